// Comma-separated values as RFC 4180 has them: fields in quotes may hold commas, quotes and ends of lines.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

// Adds a field, in quotes where it needs them.
void append_csv(std::string& line, std::string_view field);
std::string csv_header(const std::vector<std::string>& columns);  // with an end of line

class CsvReader {
 public:
  explicit CsvReader(std::istream& in) : in_(in) {}

  // False at the end. Carriage returns before an end of line belong to it.
  bool next();

  const std::vector<std::string>& fields() const { return fields_; }
  const std::string& text() const { return text_; }        // as it is in the file, with the end of line
  bool is_whole() const { return text_.ends_with('\n'); }  // not cut short
  int64_t line() const { return line_; }                   // where the record begins, from 1

 private:
  std::istream& in_;
  std::vector<std::string> fields_;
  std::string text_;
  int64_t line_ = 0, next_line_ = 1;
};

}  // namespace kiln
