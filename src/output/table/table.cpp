#include "output/table/table.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

void append(std::string& line, std::string_view text) { append_csv(line, text); }

void append(std::string& line, double value) {
  if (std::isfinite(value)) fmt::format_to(std::back_inserter(line), "{}", value);
}

void append(std::string& line, int64_t value) { fmt::format_to(std::back_inserter(line), "{}", value); }

void append_row(std::string& text, std::span<const TableValue> row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) text += ',';
    std::visit([&](const auto& value) { append(text, value); }, row[i]);
  }
}

std::string header_of(std::span<const std::string> columns) {
  return csv_header({columns.begin(), columns.end()});
}

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// How much of an earlier part's table is kept.
struct Kept {
  int64_t rows = 0;
  std::size_t bytes = 0;
};

// None where there is no table to go on with. Rows are in order of time.
std::optional<Kept> kept_of(const fs::path& path, std::span<const std::string> columns, int64_t last_mcs) {
  std::ifstream in(path, std::ios::binary);
  CsvReader record(in);
  if (!in || !record.next() || !record.is_whole()) return std::nullopt;
  const std::string expected = header_of(columns);
  if (record.text() != expected)
    throw UserError(fmt::format("{} cannot be continued: its columns are \"{}\", but this run writes \"{}\".",
                                path.string(), record.text().substr(0, record.text().size() - 1),
                                expected.substr(0, expected.size() - 1)));
  const auto mcs_column = std::size_t(std::find(columns.begin(), columns.end(), "mcs") - columns.begin());
  Kept kept{0, expected.size()};
  for (int64_t line = 2; record.next() && record.is_whole(); ++line) {
    const bool complete = record.fields().size() == columns.size();
    const std::optional<int64_t> mcs = complete ? whole_number(record.fields()[mcs_column]) : std::nullopt;
    if (!mcs)
      throw UserError(
          fmt::format("{} cannot be continued: row {} is not {} fields with a whole number as mcs.",
                      path.string(), line, columns.size()));
    if (*mcs > last_mcs) break;
    ++kept.rows;
    kept.bytes += record.text().size();
  }
  return kept;
}

}  // namespace

std::string csv_line(std::span<const TableValue> row) {
  std::string line;
  append_row(line, row);
  return line;
}

CsvTable::CsvTable(fs::path path, std::size_t columns) : path_(std::move(path)), columns_(columns) {}

CsvTable::CsvTable(fs::path path, std::span<const std::string> columns)
    : CsvTable(std::move(path), columns.size()) {
  file_.reset(std::fopen(path_.c_str(), "wb"));
  if (!file_) fail();
  write(header_of(columns));
  flush();
}

CsvTable CsvTable::continue_from(fs::path path, std::span<const std::string> columns, int64_t last_mcs) {
  const std::optional<Kept> kept = kept_of(path, columns, last_mcs);
  if (!kept) return CsvTable(std::move(path), columns);
  CsvTable table(std::move(path), columns.size());
  table.rows_ = kept->rows;
  table.file_.reset(std::fopen(table.path_.c_str(), "ab"));
  if (!table.file_ || ::ftruncate(::fileno(table.file_.get()), off_t(kept->bytes)) != 0) table.fail();
  return table;
}

void CsvTable::add(std::span<const TableValue> row) {
  if (row.size() != columns_)
    throw std::invalid_argument(
        fmt::format("{}: a row of {} fields, not {}", path_.string(), row.size(), columns_));
  write(csv_line(row) + '\n');
  ++rows_;
}

void CsvTable::add_rows(int64_t count, const std::function<void(int64_t, std::span<TableValue>)>& fill) {
  constexpr int64_t kWorthAThread = 1000;
  const auto threads = int(std::min<int64_t>(all_threads(), 1 + count / kWorthAThread));
  std::vector<std::string> parts(static_cast<std::size_t>(threads));
  in_parallel(count, threads, [&](int part, int64_t begin, int64_t end) {
    std::vector<TableValue> row(columns_);
    for (int64_t i = begin; i < end; ++i) {
      fill(i, row);
      append_row(parts[std::size_t(part)], row);
      parts[std::size_t(part)] += '\n';
    }
  });
  for (const std::string& part : parts) write(part);
  rows_ += count;
}

void CsvTable::flush() {
  if (file_ && std::fflush(file_.get()) != 0) fail();
}

void CsvTable::sync() {
  flush();
  if (file_ && ::fsync(::fileno(file_.get())) != 0) fail();
}

void CsvTable::finish() {
  if (!file_) return;
  sync();
  file_.reset();
}

void CsvTable::write(std::string_view text) {
  if (!file_) throw std::logic_error(path_.string() + " is finished already");
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail();
}

void CsvTable::fail() const {
  throw Failure(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
}

void write_table(const std::filesystem::path& path, const Rows& rows) {
  std::string text = header_of(rows.columns);
  for (const std::vector<TableValue>& row : rows.rows) {
    append_row(text, row);
    text += '\n';
  }
  write_text_atomically(path, text);
}

}  // namespace kiln
