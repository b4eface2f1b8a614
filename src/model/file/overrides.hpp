// Values that replace those of the model file: `--set key=value` on the command line, `set = { ... }` of a
// phase.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/file/document.hpp"

namespace kiln {

struct Override {
  std::vector<std::string> path;  // "types.tcell.act.lambda", split; entries of lists by index
  Node value;                     // its place is what messages name

  std::string dotted() const;
};

// From "key=value". Words that are not TOML are taken as a string.
Override parse_override(const std::string& text);

// The parts of "types.tcell.act.lambda".
std::vector<std::string> split_key(std::string_view dotted);

// From a table whose keys may be dotted, quoted or nested.
std::vector<Override> flattened_overrides(const Node& table);

// Sets the value as if it stood in the file. Types and fields must exist, so that a slip of the pen is no new
// type.
void apply_override(Node& root, const Override& change);

}  // namespace kiln
