// What a sweep has finished so far, in a hidden file that grows. Whatever ends the program, runs that are in
// it are whole, and a sweep that goes on has them.
#pragma once

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kiln {

// The rows of one run, as they stand in the tables, without what names the run.
struct SweepRows {
  std::string summary;                // of sweep.csv
  std::vector<std::string> measures;  // of measures.csv
};

class SweepJournal {
 public:
  using Runs = std::map<std::string, SweepRows>;  // by name

  // Goes on with the journal in this folder where there is one. `about` says what all runs have in common, in
  // one line: UserError where that file is about something else. `others`: runs that were finished elsewhere.
  SweepJournal(const std::filesystem::path& folder, const std::string& about, Runs others = {});

  // Runs go by their names. Failure where it cannot be written.
  void add(const std::string& run, SweepRows rows);
  const SweepRows* find(const std::string& run) const;  // nullptr: not finished

  static std::filesystem::path path_in(const std::filesystem::path& folder);
  // What is in the journal of a folder; none where there is no journal. UserError as above.
  static Runs runs_in(const std::filesystem::path& folder, const std::string& about);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void write(const std::string& text);

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  Runs runs_;
};

}  // namespace kiln
