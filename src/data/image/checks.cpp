#include "data/image/checks.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/wording.hpp"

namespace kiln {

std::size_t stack_bytes(const std::string& name, const std::array<int64_t, 3>& zyx, Array::Element element,
                        std::size_t most_bytes) {
  std::size_t need = width_of(element);
  double about = double(need);
  bool overflow = false;
  for (const int64_t length : zyx) {
    if (length <= 0) throw UserError(fmt::format("{} holds no voxels.", name));
    overflow |= __builtin_mul_overflow(need, std::size_t(length), &need);
    about *= double(length);
  }
  if (overflow || need > most_bytes)
    throw UserError(fmt::format("{} needs {} of memory for {} x {} x {} voxels of {} bytes; {} are allowed.",
                                name, bytes_text(about), zyx[2], zyx[1], zyx[0], width_of(element),
                                bytes_text(double(most_bytes))));
  return need;
}

void check_choice(const std::string& name, const std::string& what, int64_t chosen, int64_t count) {
  if (chosen >= 0 && chosen < count) return;
  throw UserError(
      count == 1 ? fmt::format("{} has no {} {}; its only one is 0.", name, what, chosen)
                 : fmt::format("{} has no {} {}; it has {}, counted from 0.", name, what, chosen, count));
}

}  // namespace kiln
