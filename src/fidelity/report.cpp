#include "fidelity/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/atomic_file.hpp"
#include "base/json.hpp"
#include "base/wording.hpp"
#include "fidelity/wording.hpp"
#include "output/report/plot.hpp"
#include "output/report/report.hpp"
#include "output/run/record.hpp"
#include "output/table/table.hpp"

namespace kiln {
namespace {

using Columns = std::array<std::string, 7>;

Columns cells_of(const FidelityRow& row) {
  return {row.scenario, row.quantity, row.reference, row.tested, row.difference, row.limit, row.verdict};
}

std::vector<Columns> table_of(const FidelityReport& report) {
  std::vector<Columns> rows{{"scenario", "quantity", "serial", "tested", "difference", "limit", "verdict"}};
  for (std::size_t i = 0; i < report.comparisons.size(); ++i)
    rows.push_back(cells_of(fidelity_row(report.comparisons[i], report.judgements[i])));
  return rows;
}

// In characters, not bytes.
std::size_t width_of(const std::string& text) {
  return std::size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string name_of_tested(const FidelityReport& report) {
  std::string name = fmt::format("the {} schedule ({})", report.schedule, report.engine);
  for (std::size_t i = 0; i < report.set.size(); ++i) name += (i == 0 ? " with " : ", ") + report.set[i];
  return name;
}

void write_csv(const FidelityReport& report, const std::filesystem::path& path) {
  const std::vector<std::string> columns = {"scenario",      "point",  "quantity",    "x",      "serial",
                                            "serial_ci95",   "tested", "tested_ci95", "runs",   "difference",
                                            "difference_ci", "limit",  "p",           "verdict"};
  CsvTable table(path, columns);
  for (std::size_t i = 0; i < report.comparisons.size(); ++i) {
    const Comparison& c = report.comparisons[i];
    const Judgement& j = report.judgements[i];
    for (std::size_t point = 0; point < j.reference.size(); ++point) {
      const double scale = c.scale.value_or(j.reference[point].mean);
      const Difference d =
          difference_of(j.reference[point], j.tested[point], scale,
                        c.curve ? report.chances.curve / double(j.reference.size()) : report.chances.number);
      table.add({c.scenario, c.point, c.quantity, point < c.x.size() ? c.x[point] : kUndefined,
                 j.reference[point].mean, j.reference_half_width[point], j.tested[point].mean,
                 j.tested_half_width[point], j.tested[point].count, d.value, d.half_width, c.tolerance.limit,
                 c.curve ? j.p : kUndefined, verdict_word(j.verdict)});
    }
  }
  table.finish();
}

std::vector<double> means_of(const std::vector<Estimate>& estimates) {
  std::vector<double> means;
  for (const Estimate& estimate : estimates) means.push_back(estimate.mean);
  return means;
}

Plot curve_plot(const Comparison& c, const Judgement& j) {
  Plot plot;
  plot.title = c.quantity + (c.point.empty() ? "" : ", " + c.point);
  plot.x_label = c.x_label;
  plot.y_label = "mean of runs, 95% interval";
  plot.series = {{"serial", c.x, means_of(j.reference), j.reference_half_width},
                 {"tested", c.x, means_of(j.tested), j.tested_half_width}};
  plot.log_x = c.x.back() > 50 * c.x.front();
  return plot;
}

// A number over the scenario's parameter.
Plot parameter_plot(const FidelityReport& report, const FidelityScenario& scenario,
                    const FidelityQuantity& quantity) {
  Plot plot;
  plot.title = quantity.name;
  plot.x_label = scenario.parameter;
  plot.y_label = "mean of runs, 95% interval";
  plot.series = {{"serial", {}, {}, {}}, {"tested", {}, {}, {}}};
  std::size_t point = 0;
  for (std::size_t i = 0; i < report.comparisons.size(); ++i) {
    const Comparison& c = report.comparisons[i];
    const Judgement& j = report.judgements[i];
    if (c.scenario != scenario.name || c.quantity != quantity.name) continue;
    const double x = scenario.points[point++].parameter;
    for (PlotSeries& series : plot.series) series.x.push_back(x);
    plot.series[0].y.push_back(j.reference[0].mean);
    plot.series[0].spread.push_back(j.reference_half_width[0]);
    plot.series[1].y.push_back(j.tested[0].mean);
    plot.series[1].spread.push_back(j.tested_half_width[0]);
  }
  return plot;
}

std::vector<Plot> plots_of(const FidelityReport& report, const FidelityScenario& scenario) {
  std::vector<Plot> plots;
  for (const FidelityQuantity& quantity : scenario.quantities)
    if (quantity.x.empty() && scenario.points.size() > 1)
      plots.push_back(parameter_plot(report, scenario, quantity));
  for (std::size_t i = 0; i < report.comparisons.size(); ++i)
    if (report.comparisons[i].scenario == scenario.name && !report.comparisons[i].x.empty())
      plots.push_back(curve_plot(report.comparisons[i], report.judgements[i]));
  return plots;
}

std::string html_table(const FidelityReport& report) {
  std::string out =
      "<div class=\"card\" style=\"overflow-x: auto\"><table style=\"font-size: 13px; white-space: "
      "nowrap\">\n";
  const std::vector<Columns> rows = table_of(report);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Verdict verdict = i == 0 ? Verdict::pass : report.judgements[i - 1].verdict;
    const char* colour = verdict == Verdict::fail        ? " style=\"background: #fdecea\""
                         : verdict == Verdict::undecided ? " style=\"background: #fff7e3\""
                                                         : "";
    out += fmt::format("<tr{}>", colour);
    for (const std::string& cell : rows[i])
      out += i == 0 ? fmt::format("<td><b>{}</b></td>", escaped(cell))
                    : fmt::format("<td>{}</td>", escaped(cell));
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::string page_body(const FidelityReport& report) {
  std::string out = fmt::format("<p>{}</p>\n", escaped(fidelity_outcome(report))) + html_table(report);
  if (!report.updates.empty()) out += fmt::format("<pre>{}</pre>\n", escaped(updates_table(report.updates)));
  out += fmt::format("<p>{}</p>\n", escaped(fidelity_notes(report)));
  for (const FidelityScenario& scenario : report.scenarios) {
    const std::vector<Plot> plots = plots_of(report, scenario);
    if (plots.empty()) continue;
    out += fmt::format("<h2>{}: {}</h2>\n<div class=\"plots\">\n", escaped(scenario.name),
                       escaped(scenario.what));
    for (const Plot& plot : plots) out += "<div class=\"card\">" + line_plot_svg(plot) + "</div>\n";
    out += "</div>\n";
  }
  return out;
}

}  // namespace

std::string fidelity_table(const FidelityReport& report) {
  const std::vector<Columns> rows = table_of(report);
  std::array<std::size_t, 7> widths{};
  for (const Columns& row : rows)
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], width_of(row[column]));
  std::string out;
  for (const Columns& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string gap(widths[column] - width_of(row[column]), ' ');
      const bool is_text = column < 2 || column == 6;
      line += (column == 0 ? "" : "  ") + (is_text ? row[column] + gap : gap + row[column]);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string fidelity_notes(const FidelityReport& report) {
  return fmt::format(
      "Serial and tested: mean over independent runs and its 95% interval. Difference: of the means, with an "
      "interval that misses the truth with probability {:.2g} (numbers) or {:.2g} (curves, at their worst "
      "point). "
      "A number passes where the difference is within its limit and the interval narrow enough to see a "
      "violation; it fails where the whole interval lies beyond the limit. A curve fails where a permutation "
      "test over runs gives p below {:.2g} and the difference exceeds its limit. All {} comparisons of a "
      "schedule that equals the serial one pass, or stay undecided for want of runs, with a probability of "
      "at "
      "least {}%.",
      report.chances.number, report.chances.curve, report.chances.curve, report.comparisons.size(),
      100 * (1 - kFalseAlarmRate));
}

std::string fidelity_outcome(const FidelityReport& report) {
  const SuiteVerdict v = report.verdict();
  const std::string who = name_of_tested(report);
  std::string text;
  if (v.failed > 0)
    text = fmt::format("FAIL: {} differs from serial in {} of {} comparisons", who, v.failed,
                       report.comparisons.size());
  else if (report.passes())
    text = fmt::format("pass: {} is faithful to serial in {} of {} comparisons", who, v.passed,
                       report.comparisons.size());
  else
    text = fmt::format("FAIL: {} is not shown to be faithful to serial", who);
  if (v.undecided > 0) text += fmt::format("; {} undecided for want of runs", v.undecided);
  return text + fmt::format(" ({}, {}).", report.quick ? "quick suite" : "full suite",
                            duration_text(report.seconds));
}

std::string fidelity_json(const FidelityReport& report, const std::filesystem::path& folder) {
  const SuiteVerdict v = report.verdict();
  return JsonObject()
      .add("verdict", report.passes() ? "pass" : "fail")
      .add("passed", v.passed)
      .add("failed", v.failed)
      .add("undecided", v.undecided)
      .add("engine", report.engine)
      .add("schedule", report.schedule)
      .add("seconds", report.seconds)
      .add("out", folder.string())
      .line();
}

void write_fidelity_files(const FidelityReport& report, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  write_csv(report, folder / "fidelity.csv");
  write_text_atomically(folder / "fidelity.html",
                        html_page({"Fidelity of " + name_of_tested(report),
                                   "Against the serial chain, Cellular Potts Model", KILN_VERSION},
                                  page_body(report)));
}

}  // namespace kiln
