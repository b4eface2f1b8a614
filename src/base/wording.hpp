// Numbers as people read them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kiln {

std::string grouped(double number);  // 1,234,567
// 1 page, 1,234 pages.
std::string counted(double number, std::string_view noun);
std::string bytes_text(double bytes);       // 6.7 MB
std::string duration_text(double seconds);  // 16.7 min
// A moment of something that lasts `span` seconds, in a unit that suits the whole: 0.25 h of 10 h.
std::string time_text(double seconds, double span);
// 5400 of "1h30m", "90min", "1.5h" or "5400"; units are d, h, m or min, s. None where it is no duration.
std::optional<double> seconds_in(std::string_view text);

}  // namespace kiln
