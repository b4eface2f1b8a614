// Numbers that every cell has of its own where growth and rules set them, in place of its type's.
#pragma once

#include "model/file/reading.hpp"
#include "model/file/term_registry.hpp"

namespace kiln {

inline constexpr const char* kTargetVolume = "volume.target";
inline constexpr const char* kTargetPerimeter = "perimeter.target";

// The term whose lambda this name says, where cells can have it of their own; else nullptr.
const Term* term_of_lambda(std::string_view name);
// All that rules can set beside properties.
std::vector<std::string> numbers_of_cells();

// The entries of a table of formulas; those of a table within have dotted names.
std::vector<std::pair<std::string, const Node*>> flat_entries(const Node& table);

bool has_term(const Node& given, const std::string& type, const char* term);

// Which types' cells have which of them: Scope::own_targets, own_lambdas. Nothing has been checked yet.
void find_own_numbers(Reading& reading);

}  // namespace kiln
