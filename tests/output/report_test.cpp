#include "output/report/report.hpp"

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "file_examples.hpp"
#include "output/report/plot.hpp"

namespace kiln {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool has(const std::string& html, const std::string& part) { return html.find(part) != std::string::npos; }

std::vector<std::string> titles(const std::vector<Plot>& plots) {
  std::vector<std::string> result;
  for (const Plot& plot : plots) result.push_back(plot.title);
  return result;
}

ReportInfo example() {
  ReportInfo info;
  info.run.version = "0.1.0";
  info.run.model = "models/a.toml";
  info.run.title = "Sorting <two> & more";
  info.run.seed = 18446744073709551615u;
  info.run.mcs = 12000;
  info.run.cells = 3390000;
  info.run.sites = 999;
  info.run.seconds = 3720;
  info.run.site_updates_per_second = 1.256e9;
  info.run.hash = "0123456789abcdef";
  info.run.out = "runs/a";
  info.description = "T 20\n  J <10>";
  info.resolved_model = "title = \"Sorting <two> & more\"\n";
  return info;
}

TEST(Report, SaysWhatWasRun) {
  const std::string html = report_html(example());
  EXPECT_EQ(html.rfind("<!DOCTYPE html>", 0), 0u);
  EXPECT_TRUE(has(html, "<title>Sorting &lt;two&gt; &amp; more</title>"));
  EXPECT_TRUE(has(html, "<b>12,000</b>"));
  EXPECT_TRUE(has(html, "<b>3,390,000</b>"));
  EXPECT_TRUE(has(html, "<b>999</b>"));
  EXPECT_TRUE(has(html, "<b>62 min</b>"));
  EXPECT_TRUE(has(html, "<b>1.26 billion</b>"));
  EXPECT_TRUE(has(html, "<code>0123456789abcdef</code>"));
  EXPECT_TRUE(has(html, "18446744073709551615"));
  EXPECT_TRUE(has(html, "<pre>T 20\n  J &lt;10&gt;</pre>"));
  EXPECT_TRUE(has(html, "<pre>title = &quot;Sorting &lt;two&gt; &amp; more&quot;\n</pre>"));
  EXPECT_FALSE(has(html, "<two>"));
  EXPECT_FALSE(has(html, "http:")) << "nothing is fetched";
  for (const char* section : {"<h2>Pictures", "<h2>Measures", "<h2>Files", "class=\"notes\""})
    EXPECT_FALSE(has(html, section)) << section << " without content";
}

TEST(Report, ListsNotesPicturesAndFiles) {
  ReportInfo info = example();
  info.run.interrupted = true;
  info.run.notes = {"2 cells are <extinct>."};
  info.facts = {{"Memory", "24 MB"}};
  info.pictures = {{"pictures/first view #1.png", "first, MCS 0", {}}};
  info.files = {{"cells.csv", "tracks & more"}, {"odd:name.csv", "x"}};
  const std::string html = report_html(info);
  EXPECT_TRUE(has(html, "<li>2 cells are &lt;extinct&gt;.</li>"));
  EXPECT_TRUE(has(html, "The run was interrupted"));
  EXPECT_TRUE(has(html, "<td>Memory</td><td>24 MB</td>"));
  EXPECT_TRUE(has(html, "src=\"pictures/first%20view%20%231.png\" alt=\"first, MCS 0\""));
  EXPECT_TRUE(has(html, "<a href=\"cells.csv\">cells.csv</a></td><td>tracks &amp; more"));
  EXPECT_TRUE(has(html, "<a href=\"./odd%3Aname.csv\">"));  // not a scheme
}

// A report that is sent to a colleague still has its pictures. The digits are those of RFC 4648, section 10.
TEST(Report, HoldsPicturesThatItIsGiven) {
  ReportInfo info = example();
  for (const char* bytes : {"f", "fo", "foo", "foobar"})
    info.pictures.push_back({"pictures/a.png", "a", bytes});
  const std::string html = report_html(info);
  for (const char* digits : {"Zg==", "Zm8=", "Zm9v", "Zm9vYmFy"})
    EXPECT_TRUE(has(
        html, std::string("<a href=\"pictures/a.png\"><img src=\"data:image/png;base64,") + digits + "\" "))
        << digits;
}

TEST(Report, OfARunOfNoTimeHasNoRate) {
  ReportInfo info = example();
  info.run.seconds = 0;
  info.run.site_updates_per_second = kNaN;
  EXPECT_TRUE(has(report_html(info), "<b>0 s</b>"));
  EXPECT_TRUE(has(report_html(info), "<b>–</b><span>site updates per second"));
}

TEST(Report, IsWrittenWithItsPlots) {
  const ScratchFolder folder;
  ReportInfo info = example();
  info.measures = {{"mcs", {0, 10}}, {"t_min", {0, 5}}, {"volume_mean", {40, 41}}, {"volume_sd", {0, 1}}};
  info.lags = {{"lag_s", {60, 120}}, {"msd_um2", {1, 2}}};
  write_report(folder / "report.html", info);
  const std::string html = bytes_of(folder / "report.html");
  EXPECT_EQ(html, report_html(info));
  EXPECT_TRUE(has(html, "aria-label=\"Cell volume\""));
  EXPECT_TRUE(has(html, "aria-label=\"Mean squared displacement by lag\""));
}

TEST(Report, ShowsSpeedsAndArrest) {
  ReportInfo info = example();
  SpeedSums sums;
  for (const double speed : {0.5, 0.5, 3.5, 7.5}) sums.add(speed, speed < 2);
  sums.arrest_by_cell = 0.25;
  info.motility = {{"a & b"}, {sums}, {kNaN}, "120 s", 2};
  const std::string html = report_html(info);
  EXPECT_TRUE(has(html, "<h2>Motility</h2>"));
  // (1/2 + z^2/8) / (1 + z^2/4) -+ z sqrt(1/16 + z^2/64) / (1 + z^2/4)
  EXPECT_TRUE(has(html,
                  "<tr><td>a &amp; b</td><td>4</td><td>3 ± 3.32</td><td>0.633</td>"
                  "<td>0.5 (0.15–0.85)</td><td>0.25</td><td>–</td></tr>"))
      << html.substr(html.find("<h2>Motility"), 1500);
  EXPECT_TRUE(has(html, "aria-label=\"Speeds\""));
  EXPECT_TRUE(has(html, "intervals of 120 s"));
  const Plot plot = speed_histogram(info.motility);
  ASSERT_EQ(plot.series.size(), 1u);
  EXPECT_EQ(plot.series[0].x, (std::vector<double>{0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8}));
  EXPECT_EQ(plot.series[0].y,
            (std::vector<double>{0.5, 0.5, 0, 0, 0, 0, 0.25, 0.25, 0, 0, 0, 0, 0, 0, 0.25, 0.25}));
  EXPECT_FALSE(has(report_html(example()), "Motility"));
}

TEST(ReportPlots, TypesShareAPlot) {
  const std::vector<TableColumn> measures = {
      {"mcs", {0, 10}},
      {"cells_red", {5, 5}},
      {"volume_mean_red", {4, 5}},
      {"volume_sd_red", {1, 1}},
      {"speed_um_per_min_red", {kNaN, 2}},
      {"volume_mean_dark_blue", {6, 7}},
      {"speed_um_per_min_dark_blue", {kNaN, 3}},
      {"medium_sites", {90, 80}},
  };
  const std::vector<Plot> plots = plots_of_measures(measures);
  ASSERT_EQ(titles(plots), (std::vector<std::string>{"Open space", "Cell volume by type", "Speed by type"}));
  ASSERT_EQ(plots[1].series.size(), 2u);
  EXPECT_EQ(plots[1].series[1].name, "dark blue");
  EXPECT_EQ(plots[1].series[1].y, (std::vector<double>{6, 7}));
}

TEST(ReportPlots, GroupColumnsThatBelongTogether) {
  const std::vector<TableColumn> measures = {
      {"mcs", {0, 10, 20}},          {"t_min", {0, 5, 10}},        {"phase", {kNaN, kNaN, kNaN}},
      {"cells", {9, 9, 8}},          {"extinct", {0, 0, 1}},       {"fragmented", {0, 0, 0}},
      {"volume_mean", {40, 41, 42}}, {"volume_sd", {1, 2, 3}},     {"homotypic", {5, 6, 7}},
      {"heterotypic", {7, 6, 5}},    {"with_medium", {0, 0, 0}},   {"msd_um2", {0, 1, 4}},
      {"contact_a_b", {0, 0.5, 1}},  {"contact_b_a", {0, 0.5, 1}}, {"straightness", {kNaN, kNaN, kNaN}},
      {"secreted", {1, 2, 3}},
  };
  const std::vector<Plot> plots = plots_of_measures(measures);
  ASSERT_EQ(titles(plots), (std::vector<std::string>{"Cell volume", "Interfaces", "Mean squared displacement",
                                                     "Contact fractions", "Cells", "secreted"}));
  EXPECT_EQ(plots[0].series[0].x, (std::vector<double>{0, 5, 10}));
  EXPECT_EQ(plots[0].x_label, "time (min)");
  EXPECT_EQ(plots[0].series[0].y, (std::vector<double>{40, 41, 42}));
  EXPECT_EQ(plots[0].series[0].spread, (std::vector<double>{1, 2, 3}));
  ASSERT_EQ(plots[1].series.size(), 2u);
  EXPECT_EQ(plots[1].series[1].name, "different types");
  EXPECT_TRUE(plots[2].log_x && plots[2].log_y);
  EXPECT_EQ(plots[3].series[1].name, "b a");
  EXPECT_EQ(plots[4].series.size(), 2u);
}

TEST(ReportPlots, ShowHowManyCellsThereAreWhereThatChanges) {
  const TableColumn mcs{"mcs", {0, 10}}, cells{"cells", {9, 9}}, red{"cells_red", {5, 5}},
      blue{"cells_blue", {4, 4}};
  EXPECT_TRUE(plots_of_measures({mcs, cells, red, blue}).empty());
  const std::vector<Plot> grown = plots_of_measures({mcs, {"cells", {9, 11}}, red, {"cells_blue", {4, 6}}});
  ASSERT_EQ(titles(grown), std::vector<std::string>{"Cells"});
  ASSERT_EQ(grown[0].series.size(), 2u);
  EXPECT_EQ(grown[0].series[1].name, "blue");
  const std::vector<Plot> others =
      plots_of_measures({mcs, cells, {"cells_red", {5, 4}}, {"cells_blue", {4, 5}}});
  ASSERT_EQ(titles(others), std::vector<std::string>{"Cells"});
  EXPECT_EQ(others[0].series.size(), 3u);
}

TEST(ReportPlots, ShowTheBooksOfASubstanceTogether) {
  const std::vector<Plot> plots = plots_of_measures({{"mcs", {0, 10}},
                                                     {"o2_total", {9, 8}},
                                                     {"o2_secreted", {0, 0}},
                                                     {"o2_taken_up", {0, 1}},
                                                     {"o2_decayed", {0, 0}},
                                                     {"o2_crossed_walls", {0, 0}},
                                                     {"o2_held", {0, 0}},
                                                     {"o2_unbalanced", {0, 1e-16}},
                                                     {"my_total", {1, 2}}});
  ASSERT_EQ(titles(plots), (std::vector<std::string>{"Substance o2", "my_total"}));
  ASSERT_EQ(plots[0].series.size(), 2u);
  EXPECT_EQ(plots[0].series[1].name, "taken up");
}

// Relative to what there was and all that came and went; of a steady state nothing is booked.
TEST(ReportPlots, SayByHowMuchTheBooksDoNotClose) {
  const std::vector<TableColumn> measures = {{"mcs", {0, 10, 20}},
                                             {"o2_total", {6, 4, 5}},
                                             {"o2_secreted", {0, 1, 2}},
                                             {"o2_taken_up", {0, 0, 0}},
                                             {"o2_crossed_walls", {0, -1, -2}},
                                             {"o2_unbalanced", {0, -2e-14, 1e-15}},
                                             {"slow_total", {4, 4, 4}},
                                             {"slow_unbalanced", {kNaN, kNaN, kNaN}},
                                             {"none_total", {0, 0, 0}},
                                             {"none_unbalanced", {0, 0, 0}}};
  const std::string text = "The largest gap in the books of substances, relative to what was turned over: ";
  EXPECT_EQ(books_text(measures), text + "o2 2e-15, none 0.");
  EXPECT_EQ(books_text({{"mcs", {0}}, {"slow_unbalanced", {kNaN}}}), "");
  EXPECT_EQ(books_text({{"mcs", {0, 10}}, {"energy", {1, 2}}}), "");
  ReportInfo info = example();
  info.measures = measures;
  EXPECT_TRUE(has(report_html(info), "<p class=\"subtitle\">" + text));
  EXPECT_EQ(titles(plots_of_measures(
                {{"mcs", {0, 10}}, {"slow_total", {4, 5}}, {"slow_unbalanced", {kNaN, kNaN}}})),
            std::vector<std::string>{"Substance slow"});
}

TEST(ReportPlots, TellTimeInAUnitThatSuits) {
  const auto label = [](double last) {
    return plots_of_measures({{"t_min", {0, last}}, {"volume_mean", {1, 2}}}).at(0).x_label;
  };
  EXPECT_EQ(label(2), "time (s)");
  EXPECT_EQ(label(90), "time (min)");
  EXPECT_EQ(label(600), "time (h)");
  EXPECT_EQ(label(10 * 24 * 60), "time (days)");
  const Plot plot = plots_of_measures({{"t_min", {0, 600}}, {"volume_mean", {1, 2}}}).at(0);
  EXPECT_EQ(plot.series[0].x, (std::vector<double>{0, 10}));
  EXPECT_EQ(plots_of_measures({{"mcs", {0, 600}}, {"volume_mean", {1, 2}}}).at(0).x_label, "time (MCS)");
}

TEST(ReportPlots, KnowWhereAnMcsIsInTime) {
  const std::vector<TableColumn> hours = {
      {"mcs", {0, 100, 300}}, {"t_min", {0, 300, 900}}, {"energy", {1, 2, 3}}};
  EXPECT_EQ(plots_of_measures(hours).at(0).x_label, "time (h)");
  EXPECT_EQ(place_in_time(hours, 100), 5);
  EXPECT_EQ(place_in_time(hours, 200), 10);
  EXPECT_EQ(place_in_time(hours, 0), 0);
  EXPECT_EQ(place_in_time(hours, 300), 15);
  EXPECT_EQ(place_in_time(hours, 301), std::nullopt);
  EXPECT_EQ(place_in_time({{"mcs", {20, 40}}}, 30), 30);
  EXPECT_EQ(place_in_time({{"mcs", {20, 40}}}, 10), std::nullopt);
  EXPECT_EQ(place_in_time({{"mcs", {}}, {"t_min", {}}}, 0), std::nullopt);
  EXPECT_EQ(place_in_time({{"t_min", {0, 1}}}, 0), std::nullopt);
}

TEST(ReportPlots, OfLagsAreInMinutes) {
  const std::vector<Plot> plots =
      plots_of_lags({{"lag_s", {60, 120}}, {"msd_um2", {1, 2}}, {"direction_autocorrelation", {0.5, kNaN}}});
  ASSERT_EQ(plots.size(), 2u);
  EXPECT_EQ(plots[0].series[0].x, (std::vector<double>{1, 2}));
  EXPECT_TRUE(plots_of_lags({}).empty());
}

TEST(CsvColumns, AreReadWithGapsAndQuotes) {
  const ScratchFolder folder;
  set_bytes(folder / "m.csv", "mcs,phase,\"a, b\"\n0,\"say \"\"hi\"\", ok\",\n10,x,-2.5e3\n");
  const std::vector<TableColumn> columns = csv_columns(folder / "m.csv");
  ASSERT_EQ(columns.size(), 3u);
  EXPECT_EQ(columns[0].values, (std::vector<double>{0, 10}));
  EXPECT_EQ(columns[2].name, "a, b");
  EXPECT_TRUE(std::isnan(columns[1].values[0]) && std::isnan(columns[2].values[0]));
  EXPECT_EQ(columns[2].values[1], -2500);
}

TEST(CsvColumns, OfABrokenTableAreRefused) {
  const ScratchFolder folder;
  const auto message = [&](const std::string& text) -> std::string {
    if (!text.empty()) set_bytes(folder / "m.csv", text);
    try {
      csv_columns(folder / "m.csv");
    } catch (const UserError& e) {
      return e.what();
    }
    return "";
  };
  const std::string path = (folder / "m.csv").string();
  EXPECT_EQ(message(""), "cannot read the table " + path + ".");
  EXPECT_EQ(message("a,b\n1,2\n3\n"), "line 3 of " + path + " has 1 fields where the header has 2.");
}

}  // namespace
}  // namespace kiln
