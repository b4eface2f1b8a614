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
#include "base/error.hpp"
#include "base/parallel.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

fs::path part_of(const fs::path& path) {
  return path.parent_path() / fmt::format(".{}.part", path.filename().string());
}

void append(std::string& line, std::string_view text) {
  if (text.find_first_of(",\"\n\r") == text.npos) {
    line += text;
    return;
  }
  line += '"';
  for (const char c : text) line.append(c == '"' ? 2 : 1, c);
  line += '"';
}

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
  std::string line;
  for (const std::string& name : columns) {
    if (!line.empty()) line += ',';
    append(line, std::string_view(name));
  }
  return line + '\n';
}

struct Record {
  std::string text;  // as it stands in the file, with the end of line
  std::vector<std::string> fields;
};

// The next record; none at the end, nor where the last line was cut short.
std::optional<Record> read_record(std::istream& in) {
  Record record;
  std::string field;
  bool quoted = false;
  for (int c = in.get(), before = 0; c != EOF; before = c, c = in.get()) {
    record.text += char(c);
    if (c == '"') {
      if (!quoted && before == '"') field += '"';  // doubled: a quote that belongs to the text
      quoted = !quoted;
    } else if (quoted || (c != ',' && c != '\n')) {
      field += char(c);
    } else {
      record.fields.push_back(std::exchange(field, {}));
      if (c == '\n') return record;
    }
  }
  return std::nullopt;
}

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The file with the rows of an earlier run, standing behind its header; not open where there is none.
std::ifstream open_earlier(const fs::path& path, std::span<const std::string> columns) {
  for (const fs::path& candidate : {part_of(path), path}) {
    std::ifstream in(candidate, std::ios::binary);
    const std::optional<Record> header = in ? read_record(in) : std::nullopt;
    if (!header) continue;
    if (header->text != header_of(columns))
      throw UserError(
          fmt::format("{} cannot be continued: its columns are \"{}\", but this run writes \"{}\".",
                      candidate.string(), header->text.substr(0, header->text.size() - 1),
                      header_of(columns).substr(0, header_of(columns).size() - 1)));
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
  std::ifstream in = open_earlier(path, columns);
  if (!in.is_open()) return CsvTable(std::move(path), columns);

  CsvTable table(std::move(path), columns.size());
  write_atomically(table.part_, [&](const fs::path& temporary) {
    table.file_.reset(std::fopen(temporary.c_str(), "wb"));
    if (!table.file_) table.fail();
    table.write(header_of(columns));
    for (int64_t line = 2; const std::optional<Record> record = read_record(in); ++line) {
      const bool complete = record->fields.size() == columns.size();
      const std::optional<int64_t> mcs =
          complete ? whole_number(record->fields.at(mcs_column)) : std::nullopt;
      if (!mcs)
        throw UserError(
            fmt::format("{} cannot be continued: row {} is not {} fields with a whole number as mcs.",
                        table.path_.string(), line, columns.size()));
      if (*mcs > last_mcs) continue;
      table.write(record->text);
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
