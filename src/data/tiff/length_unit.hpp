// Units of length as microscopes and their programs spell them.
#pragma once

#include <optional>
#include <string_view>

namespace kiln {

// How many micrometres one such unit is; nothing for what is no length, such as "pixel".
std::optional<double> micrometres(std::string_view unit);

}  // namespace kiln
