#include "output/table/sweep_journal.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>

#include "base/atomic_file.hpp"
#include "base/error.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

// A line per text, whatever is in it.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '\\' ? "\\\\" : c == '\n' ? "\\n" : std::string(1, c);
  return result;
}
std::string unescaped(std::string_view line) {
  std::string result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool escape = line[i] == '\\' && i + 1 < line.size();
    if (escape) ++i;
    result += escape && line[i] == 'n' ? '\n' : line[i];
  }
  return result;
}

std::string first_line(const std::string& about) { return "kiln-sweep 1 " + escaped(about) + "\n"; }

// The name, how many lines follow, those lines, and a mark that nothing is missing.
std::string record_of(const std::string& run, const SweepRows& rows) {
  std::string text =
      fmt::format("run {} {}\n{}\n", rows.measures.size(), escaped(run), escaped(rows.summary));
  for (const std::string& row : rows.measures) text += escaped(row) + "\n";
  return text + "end\n";
}

std::optional<std::string> line_from(std::istream& in) {
  std::string line;
  if (!std::getline(in, line) || in.eof()) return std::nullopt;  // cut short
  return line;
}

std::optional<std::pair<std::string, SweepRows>> record_from(std::istream& in) {
  const std::optional<std::string> head = line_from(in);
  if (!head || !head->starts_with("run ")) return std::nullopt;
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(head->data() + 4, head->data() + head->size(), count);
  if (error != std::errc() || end == head->data() + head->size() || *end != ' ') return std::nullopt;
  SweepRows rows;
  const std::optional<std::string> summary = line_from(in);
  if (!summary) return std::nullopt;
  rows.summary = unescaped(*summary);
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<std::string> row = line_from(in);
    if (!row) return std::nullopt;
    rows.measures.push_back(unescaped(*row));
  }
  if (line_from(in) != "end") return std::nullopt;
  return std::pair{unescaped(std::string_view(end + 1, head->data() + head->size())), std::move(rows)};
}

}  // namespace

fs::path SweepJournal::path_in(const fs::path& folder) { return folder / ".sweep.journal"; }

SweepJournal::SweepJournal(const fs::path& folder, const std::string& about, Runs others)
    : path_(path_in(folder)), runs_(runs_in(folder, about)) {
  runs_.merge(others);
  std::string whole = first_line(about);  // what a dying program left half-written goes
  for (const auto& [run, rows] : runs_) whole += record_of(run, rows);
  write_text_atomically(path_, whole);
  file_.reset(std::fopen(path_.c_str(), "ab"));
  if (!file_) throw Failure(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
}

SweepJournal::Runs SweepJournal::runs_in(const fs::path& folder, const std::string& about) {
  const fs::path path = path_in(folder);
  if (!fs::exists(path)) return {};
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Failure(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  const std::optional<std::string> first = line_from(in);
  if (!first || *first + "\n" != first_line(about))
    throw UserError(
        fmt::format("{} holds a sweep of another model, or with another schedule, and cannot go on with this "
                    "one; give another --out.",
                    folder.string()));
  Runs runs;
  while (auto record = record_from(in)) runs.insert_or_assign(record->first, std::move(record->second));
  return runs;
}

void SweepJournal::add(const std::string& run, SweepRows rows) {
  write(record_of(run, rows));
  runs_.insert_or_assign(run, std::move(rows));
}

const SweepRows* SweepJournal::find(const std::string& run) const {
  const auto found = runs_.find(run);
  return found == runs_.end() ? nullptr : &found->second;
}

void SweepJournal::write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0)
    throw Failure(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
}

}  // namespace kiln
