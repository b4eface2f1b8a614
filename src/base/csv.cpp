#include "base/csv.hpp"

#include <utility>

namespace kiln {

void append_csv(std::string& line, std::string_view field) {
  if (field.find_first_of(",\"\n\r") == field.npos) {
    line += field;
    return;
  }
  line += '"';
  for (const char c : field) line.append(c == '"' ? 2 : 1, c);
  line += '"';
}

std::string csv_header(const std::vector<std::string>& columns) {
  std::string line;
  for (const std::string& name : columns) {
    if (!line.empty()) line += ',';
    append_csv(line, name);
  }
  return line + '\n';
}

bool CsvReader::next() {
  fields_.clear();
  text_.clear();
  line_ = next_line_;
  std::string field;
  bool quoted = false;
  for (int c = in_.get(), before = 0; c != EOF; before = c, c = in_.get()) {
    text_ += char(c);
    if (c == '\n') ++next_line_;
    if (c == '"') {
      if (!quoted && before == '"') field += '"';  // doubled: a quote that belongs to the text
      quoted = !quoted;
    } else if (quoted || (c != ',' && c != '\n')) {
      field += char(c);
    } else {
      if (c == '\n' && field.ends_with('\r')) field.pop_back();
      fields_.push_back(std::exchange(field, {}));
      if (c == '\n') return true;
    }
  }
  if (text_.empty()) return false;
  fields_.push_back(std::move(field));
  return true;
}

}  // namespace kiln
