// The findings of `kiln fidelity`: a table on the screen, a CSV file and a page with plots.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "fidelity/scenarios.hpp"
#include "fidelity/updates.hpp"
#include "fidelity/verdict.hpp"

namespace kiln {

struct FidelityReport {
  std::string engine, schedule;  // of the tested ensembles
  std::vector<std::string> set;  // changes of the tested models
  bool quick = false;
  double seconds = 0;
  std::vector<FidelityScenario> scenarios;  // those that were run
  std::vector<Comparison> comparisons;
  std::vector<Judgement> judgements;  // one per comparison
  Chances chances;
  std::vector<UpdateFinding> updates;  // empty where only one scenario was asked for

  SuiteVerdict verdict() const { return verdict_of(judgements); }
  bool passes() const {
    const auto good = [](const UpdateFinding& f) { return f.passes(); };
    return verdict().passes(quick) && std::all_of(updates.begin(), updates.end(), good);
  }
};

std::string fidelity_table(const FidelityReport& report);
// What the verdicts mean and how often they err.
std::string fidelity_notes(const FidelityReport& report);
// The outcome in one sentence.
std::string fidelity_outcome(const FidelityReport& report);
// One line: verdict, passed, failed, undecided, engine, schedule, seconds, out.
std::string fidelity_json(const FidelityReport& report, const std::filesystem::path& folder);

// fidelity.csv and fidelity.html.
void write_fidelity_files(const FidelityReport& report, const std::filesystem::path& folder);

}  // namespace kiln
