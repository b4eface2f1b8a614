// The suite of `kiln fidelity` on small ensembles, and what it writes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "fidelity/ensembles.hpp"
#include "fidelity/report.hpp"
#include "fidelity/wording.hpp"
#include "model/file/read.hpp"
#include "simulation/bench_cases.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

const EngineOptions kSerial{"serial", "serial"};

FidelityScenario find(const std::string& name) {
  for (FidelityScenario& scenario : fidelity_scenarios(true))
    if (scenario.name == name) return std::move(scenario);
  throw Failure("no such scenario");
}

// The quick sorting scenario, reduced to about a tenth of a second per ensemble.
FidelityScenario small_sorting() {
  FidelityScenario scenario = find("sorting2d");
  scenario.points[0].model = bench_model("sorting2d", 60);
  scenario.protocol.times = {1, 10, 50, 100};
  scenario.quantities.back().x = {1, 10, 50, 100};
  scenario.protocol.burn_in = 20;
  scenario.protocol.mcs = 200;
  return scenario;
}

FidelityReport report_for(const FidelityScenario& scenario, const std::vector<std::string>& set) {
  FidelityReport report;
  const TestedSchedule tested = tested_schedule(kSerial, set);
  report.engine = tested.engine;
  report.schedule = tested.schedule;
  report.set = set;
  report.quick = true;
  report.scenarios = {scenario};
  report.comparisons = run_scenario(scenario, tested);
  report.chances = chances_for(report.comparisons);
  for (const Comparison& comparison : report.comparisons)
    report.judgements.push_back(judge(comparison, report.chances));
  return report;
}

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Fidelity, SerialWithOtherSeedsIsFaithful) {
  // Fixed seeds, false-alarm rate 1%.
  const FidelityReport report = report_for(small_sorting(), {});
  EXPECT_EQ(report.comparisons.size(), 5u);
  EXPECT_EQ(report.verdict().failed, 0);
  // Other seeds, other runs.
  EXPECT_NE(report.comparisons[0].reference, report.comparisons[0].tested);
}

TEST(Fidelity, AWrongTemperatureIsSeen) {
  // A temperature 10% too high raises the acceptance by about 8%.
  const FidelityReport report = report_for(small_sorting(), {"temperature=11"});
  EXPECT_EQ(report.comparisons[0].quantity, "acceptance");
  EXPECT_EQ(report.judgements[0].verdict, Verdict::fail);
  EXPECT_GT(report.judgements[0].difference.value, 0.05);
}

TEST(Fidelity, RunsAreTheSameEveryTimeAndOnAnyNumberOfThreads) {
  FidelityScenario scenario = small_sorting();
  scenario.protocol.mcs = 100;
  TestedSchedule tested = tested_schedule(kSerial, {});
  const std::vector<Comparison> first = run_scenario(scenario, tested);
  tested.options.threads = 64;  // one run after another
  const std::vector<Comparison> second = run_scenario(scenario, tested);
  std::set<double> values;
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].reference, second[i].reference);
    EXPECT_EQ(first[i].tested, second[i].tested);
  }
  for (const Curves* curves : {&first[0].reference, &first[0].tested})
    for (const auto& run : *curves) values.insert(run[0]);
  EXPECT_EQ(values.size(), first[0].reference.size() + first[0].tested.size());  // no seed is used twice
}

TEST(Fidelity, CrossEntropyIsMeasuredAgainstRunsOfNeitherEnsemble) {
  FidelityScenario scenario = find("chemotaxis2d");
  scenario.runs = 2;
  scenario.map_runs = 3;
  scenario.points = {scenario.points[0]};
  scenario.protocol.times = {1, 5};
  scenario.protocol.burn_in = 2;
  scenario.protocol.mcs = 6;
  const std::vector<Comparison> found = run_scenario(scenario, tested_schedule(kSerial, {}));
  const Comparison& entropy = found.back();
  EXPECT_EQ(entropy.quantity, "cross-entropy");
  ASSERT_EQ(entropy.reference.size(), 2u);
  // Runs part with time.
  EXPECT_GT(entropy.reference[0].at(0), 0);
  EXPECT_GT(entropy.reference[0].at(1), entropy.reference[0].at(0));
}

TEST(Fidelity, ScenariosAreWholeAndLargeEnoughForTheirTests) {
  for (const bool quick : {true, false}) {
    std::set<std::string> names;
    for (const FidelityScenario& scenario : fidelity_scenarios(quick)) {
      EXPECT_TRUE(names.insert(scenario.name).second);
      EXPECT_LT(smallest_p(scenario.runs, scenario.runs), kFalseAlarmRate / 2 / 10) << scenario.name;
      for (const FidelityPoint& point : scenario.points) {
        const Model model = parse_model(point.model, scenario.name, ".", point.overrides);
        EXPECT_GT(expected_cells(model), 8) << scenario.name;
      }
      for (const FidelityQuantity& quantity : scenario.quantities)
        EXPECT_EQ(quantity.of(Observation{}).size(), std::max<std::size_t>(1, quantity.x.size()));
    }
  }
}

TEST(Fidelity, TableFilesAndOutcome) {
  FidelityReport report;
  report.engine = "threads";
  report.schedule = "tiles";
  report.quick = true;
  report.scenarios = {small_sorting()};
  Comparison c;
  c.scenario = "sorting2d";
  c.quantity = "volume, sd";
  c.tolerance = {0.10, 0.05};
  c.reference = {{1.99}, {2.01}, {1.99}, {2.01}};
  c.tested = {{2.49}, {2.51}, {2.49}, {2.51}};
  report.comparisons = {c};
  c.quantity = "heterotypic share";
  c.curve = true;
  c.x = {1, 10};
  c.x_label = "time (MCS)";
  c.reference = c.tested = {{0.5, 0.4}, {0.5, 0.3}};
  report.comparisons.push_back(c);
  report.chances = {0.01, 0.01};
  for (const Comparison& comparison : report.comparisons)
    report.judgements.push_back(judge(comparison, report.chances));

  const std::string table = fidelity_table(report);
  EXPECT_NE(table.find("volume, sd"), std::string::npos);
  EXPECT_NE(table.find("+25.00 ± "), std::string::npos);
  EXPECT_NE(table.find("FAIL\n"), std::string::npos);
  EXPECT_NE(table.find("undecided\n"), std::string::npos);
  EXPECT_EQ(
      fidelity_outcome(report),
      "FAIL: the tiles schedule (threads) differs from serial in 1 of 2 comparisons; 1 undecided for want "
      "of runs (quick suite, 0 s).");

  const fs::path folder = fs::temp_directory_path() / ("kiln-fidelity-" + std::to_string(getpid()));
  write_fidelity_files(report, folder);
  const std::string csv = text_of(folder / "fidelity.csv"), page = text_of(folder / "fidelity.html");
  fs::remove_all(folder);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 1 + 2);  // head, a number, a curve of two points
  EXPECT_NE(csv.find("sorting2d,,\"volume, sd\",,2,"), std::string::npos);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_NE(page.find("Fidelity of the tiles schedule (threads)"), std::string::npos);
  EXPECT_NE(fidelity_json(report, "x").find("\"verdict\": \"fail\", \"passed\": 0, \"failed\": 1"),
            std::string::npos);
}

TEST(Fidelity, NumbersAreShownAsFarAsTheyAreKnown) {
  EXPECT_EQ(with_uncertainty(18.5347, 0.123), "18.53 ± 0.12");
  EXPECT_EQ(with_uncertainty(1571.33, 22), "1571 ± 22");
  EXPECT_EQ(with_uncertainty(36, 0), "36");
  EXPECT_EQ(with_uncertainty(36, 1e-14), "36");
}

TEST(Fidelity, AnUnknownScenarioIsTheUsersMistake) {
  FidelityOptions options;
  options.engine = kSerial;
  options.only = "sorting";
  try {
    fidelity_command(options);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "--only is \"sorting\", but the scenarios are dense3d, act3d, chemotaxis2d, sorting2d, "
                 "soft2d, soft3d, length2d, collective3d, persistent3d, growth2d, substance2d.");
  }
}

}  // namespace
}  // namespace kiln
