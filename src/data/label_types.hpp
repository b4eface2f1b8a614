// The types of labels from a table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kiln {

struct LabelType {
  int64_t label = 0;
  std::string type;
  int64_t line = 0;  // of the file
};

// A CSV file with a header that names the columns `label` and `type`, and any others. UserError, naming file
// and line, where it is anything else or has a label twice.
std::vector<LabelType> read_label_types(const std::filesystem::path& path);

}  // namespace kiln
