#include "view/token.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/error.hpp"

namespace kiln::view {

std::string new_token() {
  std::array<unsigned char, 24> random{};
  if (getentropy(random.data(), random.size()) != 0)
    throw Failure(fmt::format("the system gives no random numbers for the viewer's token: {}.",
                              std::generic_category().message(errno)));
  return fmt::format("{:02x}", fmt::join(random, ""));
}

bool same_secret(std::string_view given, std::string_view secret) {
  unsigned differs = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < secret.size(); ++i) {
    const char other = i < given.size() ? given[i] : '\0';
    differs |= unsigned(static_cast<unsigned char>(secret[i] ^ other));
  }
  return differs == 0;
}

}  // namespace kiln::view
