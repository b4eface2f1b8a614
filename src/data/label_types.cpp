#include "data/label_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <unordered_map>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/wording.hpp"

namespace kiln {
namespace {

using Fields = std::vector<std::string_view>;

Fields fields_of(const CsvReader& record) {
  Fields fields;
  for (const std::string& field : record.fields()) fields.push_back(trimmed(field));
  return fields;
}

// The rows of one file, and messages that name file and line.
class Table {
 public:
  explicit Table(const std::filesystem::path& path)
      : file_(path.string()), in_(path, std::ios::binary), record_(in_) {
    if (!in_ || std::filesystem::is_directory(path))
      throw UserError(
          fmt::format("cannot read {}: {}.", file_,
                      std::filesystem::is_directory(path) ? "it is a folder" : std::strerror(errno)));
    if (in_.peek() == 0xEF) in_.ignore(3);  // the mark that spreadsheets put first
    next();
  }

  // Goes on to the next line that is not blank.
  bool next() {
    while (record_.next()) {
      line_ = record_.line();
      fields_ = fields_of(record_);
      if (fields_.size() > 1 || !fields_[0].empty()) return true;
    }
    return false;
  }
  const Fields& fields() const { return fields_; }
  int64_t line() const { return line_; }
  [[noreturn]] void fail(const std::string& sentence) const {
    throw UserError(fmt::format("{}:{}: {}", file_, line_, sentence));
  }

  // Where the header, the current line, has this name.
  std::size_t column(std::string_view name) const {
    if (std::count(fields_.begin(), fields_.end(), name) != 1)
      fail(fmt::format("the columns are \"{}\", but one must be \"label\" and one \"type\".",
                       fmt::join(fields_, ",")));
    return std::size_t(std::find(fields_.begin(), fields_.end(), name) - fields_.begin());
  }

 private:
  std::string file_;
  std::ifstream in_;
  CsvReader record_;
  Fields fields_;
  int64_t line_ = 1;
};

}  // namespace

std::vector<LabelType> read_label_types(const std::filesystem::path& path) {
  Table table(path);
  const std::size_t columns = table.fields().size(), label = table.column("label"),
                    type = table.column("type");
  std::vector<LabelType> rows;
  std::unordered_map<int64_t, int64_t> lines;  // by label
  while (table.next()) {
    const Fields& fields = table.fields();
    if (fields.size() != columns)
      table.fail(fmt::format("there {} {}, but must be {}, as in the header.",
                             fields.size() == 1 ? "is" : "are", counted(double(fields.size()), "field"),
                             columns));
    const std::optional<int64_t> number = whole_in(fields[label]);
    if (!number || *number < 1)
      table.fail(fmt::format("label is \"{}\", but must be an integer of at least 1.", fields[label]));
    rows.push_back({*number, std::string(fields[type]), table.line()});
    const auto [first, is_new] = lines.emplace(*number, table.line());
    if (!is_new) table.fail(fmt::format("label {} has a type already, in line {}.", *number, first->second));
  }
  if (rows.empty()) table.fail("the table ends here without a single label, but must hold at least one.");
  return rows;
}

}  // namespace kiln
