// A table that grows while a run goes on, under its own name: `tail -f` follows it, and what a run that was
// killed has left can be read. continue_from() cuts it back to where a run goes on.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/types.hpp"

namespace kiln {

// NaN and infinities are written as an empty field, which pandas and R read as missing. Other numbers come
// back as they were, bit for bit, in as few digits as that takes.
using TableValue = std::variant<int64_t, double, std::string_view>;

// A table in memory. Texts lie elsewhere, and must outlive it.
struct Rows {
  std::vector<std::string> columns;
  std::vector<std::vector<TableValue>> rows;
};

// Without an end of line.
std::string csv_line(std::span<const TableValue> row);

class CsvTable {
 public:
  // Starts anew. Throws Failure where the file cannot be written, as do the others.
  CsvTable(std::filesystem::path path, std::span<const std::string> columns);

  // Starts with the rows of an earlier part of the run up to the first whose `mcs` is beyond last_mcs; anew
  // where there are none. Throws UserError, and changes nothing, where that file has other columns, or a row
  // that is not one of this table.
  static CsvTable continue_from(std::filesystem::path path, std::span<const std::string> columns,
                                int64_t last_mcs);

  void add(std::span<const TableValue> row);
  // Many rows: fill(number, row) sets the fields of each. They are put into words on all processors.
  void add_rows(int64_t count, const std::function<void(int64_t, std::span<TableValue>)>& fill);
  void add(std::initializer_list<TableValue> row) {
    add(std::span<const TableValue>(row.begin(), row.size()));
  }

  void add(const Rows& rows) {
    for (const std::vector<TableValue>& row : rows.rows) add(row);
  }

  // Hands all rows so far to the system, so that they outlive this process.
  void flush();
  // The same, so that they also outlive a loss of power.
  void sync();
  // Syncs and closes it. Without this it holds what was flushed.
  void finish();

  int64_t rows() const { return rows_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  CsvTable(std::filesystem::path path, std::size_t columns);
  void write(std::string_view text);
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::size_t columns_;
  std::unique_ptr<std::FILE, Close> file_;
  int64_t rows_ = 0;
};

// A whole table at once, which appears whole or not at all.
void write_table(const std::filesystem::path& path, const Rows& rows);

}  // namespace kiln
