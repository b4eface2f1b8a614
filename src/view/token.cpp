#include "view/token.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <random>

namespace kiln::view {

std::string new_token() {
  std::random_device random;  // of the system: getrandom, or /dev/urandom
  std::string token;
  for (int i = 0; i < 6; ++i) token += fmt::format("{:08x}", uint32_t(random()));
  return token;
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
