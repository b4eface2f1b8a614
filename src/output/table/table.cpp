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

fs::path part_of(const fs::path& path) {
  return path.parent_path() / fmt::format(".{}.part", path.filename().string());
}

void append(std::string& line, std::string_view text) { append_csv(line, text); }

void append(std::string& line, double value) {
  if (std::isfinite(value)) fmt::format_to(std::back_inserter(line), "{}", value);
}

void append(std::string& line, int64_t value) { fmt::format_to(std::back_inserter(line), "{}", value); }

void append_row(std::string& text, std::span<const Field> row) {
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

// The file with the rows of an earlier run, read up to its header; not open where there is none.
std::ifstream open_earlier(const fs::path& path, const std::string& header) {
  for (const fs::path& candidate : {part_of(path), path}) {
    std::ifstream in(candidate, std::ios::binary);
    CsvReader reader(in);
    if (!in || !reader.next() || !reader.is_whole()) continue;
    if (reader.text() != header)
      throw UserError(fmt::format(
          "{} cannot be continued: its columns are \"{}\", but this run writes \"{}\".", candidate.string(),
          reader.text().substr(0, reader.text().size() - 1), header.substr(0, header.size() - 1)));
    return in;
  }
  return {};
}

}  // namespace

std::string csv_line(std::span<const Field> row) {
  std::string line;
  append_row(line, row);
  return line;
}

CsvTable::CsvTable(fs::path path, std::size_t columns)
    : path_(std::move(path)), part_(part_of(path_)), columns_(columns) {}

CsvTable::CsvTable(fs::path path, std::span<const std::string> columns)
    : CsvTable(std::move(path), columns.size()) {
  file_.reset(std::fopen(part_.c_str(), "wb"));
  if (!file_) fail();
  write(header_of(columns));
  flush();
}

CsvTable CsvTable::continue_from(fs::path path, std::span<const std::string> columns, int64_t last_mcs) {
  const auto mcs_column = std::find(columns.begin(), columns.end(), "mcs") - columns.begin();
  std::ifstream in = open_earlier(path, header_of(columns));
  if (!in.is_open()) return CsvTable(std::move(path), columns);

  CsvTable table(std::move(path), columns.size());
  write_atomically(table.part_, [&](const fs::path& temporary) {
    table.file_.reset(std::fopen(temporary.c_str(), "wb"));
    if (!table.file_) table.fail();
    table.write(header_of(columns));
    CsvReader record(in);
    for (int64_t line = 2; record.next() && record.is_whole(); ++line) {
      const bool complete = record.fields().size() == columns.size();
      const std::optional<int64_t> mcs =
          complete ? whole_number(record.fields()[std::size_t(mcs_column)]) : std::nullopt;
      if (!mcs)
        throw UserError(
            fmt::format("{} cannot be continued: row {} is not {} fields with a whole number as mcs.",
                        table.path_.string(), line, columns.size()));
      if (*mcs > last_mcs) continue;
      table.write(record.text());
      ++table.rows_;
    }
    table.flush();
  });
  return table;
}

void CsvTable::add(std::span<const Field> row) {
  if (row.size() != columns_)
    throw std::invalid_argument(
        fmt::format("{}: a row of {} fields, not {}", path_.string(), row.size(), columns_));
  write(csv_line(row) + '\n');
  ++rows_;
}

void CsvTable::add_rows(int64_t count, const std::function<void(int64_t, std::span<Field>)>& fill) {
  constexpr int64_t kWorthAThread = 1000;
  const auto threads = int(std::min<int64_t>(all_threads(), 1 + count / kWorthAThread));
  std::vector<std::string> parts(static_cast<std::size_t>(threads));
  in_parallel(count, threads, [&](int part, int64_t begin, int64_t end) {
    std::vector<Field> row(columns_);
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
  move_into_place(part_, path_);
}

void CsvTable::write(std::string_view text) {
  if (!file_) throw std::logic_error(path_.string() + " is finished already");
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail();
}

void CsvTable::fail() const {
  throw Failure(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
}

void write_table(const std::filesystem::path& path, const Rows& rows) {
  CsvTable table(path, rows.columns);
  table.add(rows);
  table.finish();
}

}  // namespace kiln
