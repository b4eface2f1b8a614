#include "data/image/axes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "data/image/checks.hpp"

namespace kiln {

StackPlace place_of_stack(const std::string& name, const std::vector<uint64_t>& shape,
                          const ImagePart& part) {
  const std::size_t axes = shape.size();
  if (axes < 2 || axes > 5)
    throw UserError(fmt::format(
        "{} has {} ax{}s; an image has two to five: (y, x), (z, y, x), (c, z, y, x) or (t, c, z, y, x).",
        name, axes, axes == 1 ? "i" : "e"));
  const auto length = [&](std::size_t from_end) {  // 1 along an axis that is not there
    const uint64_t found = from_end < axes ? shape[axes - 1 - from_end] : 1;
    return int64_t(std::min<uint64_t>(found, std::numeric_limits<int64_t>::max()));
  };
  check_choice(name, "time", part.time, length(4));
  check_choice(name, "channel", part.channel, length(3));
  StackPlace place;
  place.start.assign(axes, 0);
  place.lengths = shape;
  place.zyx = {length(2), length(1), length(0)};
  place.channels = length(3);
  place.times = length(4);
  if (axes >= 4) place.start[axes - 4] = uint64_t(part.channel), place.lengths[axes - 4] = 1;
  if (axes == 5) place.start[0] = uint64_t(part.time), place.lengths[0] = 1;
  return place;
}

}  // namespace kiln
