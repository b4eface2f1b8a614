// Texts that people and files give: numbers in them, blanks around them, names that were meant.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kiln {

// Without blanks and tabs at either end.
std::string_view trimmed(std::string_view text);

// A finite number in decimal notation, whatever the locale; none where the text holds anything else.
std::optional<double> number_in(std::string_view text);
// Likewise a whole number, also as 1e3 or 20.0.
std::optional<int64_t> whole_in(std::string_view text);

// The nearest of the known names, or "" where none is near.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace kiln
