#include "output/report/plot.hpp"
#include "output/report/plot_axis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "xml_elements.hpp"

namespace kiln {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Place {
  double x, y;
};

// The corners of "M1 2L3 4...".
std::vector<Place> corners(std::string d) {
  for (char& c : d) c = c == 'M' || c == 'L' || c == 'Z' ? ' ' : c;
  std::istringstream in(d);
  std::vector<Place> places;
  for (Place p; in >> p.x >> p.y;) places.push_back(p);
  return places;
}

std::vector<XmlElement> lines_in(const std::string& svg) {
  std::vector<XmlElement> lines;
  for (const XmlElement& element : xml_elements(svg))
    if (element.name == "path" && element.attributes.count("fill") > 0 &&
        element.attributes.at("fill") == "none")
      lines.push_back(element);
  return lines;
}

std::vector<std::string> words_in(const std::string& svg) {
  std::vector<std::string> words;
  for (const XmlElement& element : xml_elements(svg))
    if (element.name == "text") words.push_back(element.text);
  return words;
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TEST(Ticks, AreRoundNumbersWithinTheRange) {
  EXPECT_EQ(linear_ticks(0, 10, 6), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(linear_ticks(0, 10, 3), (std::vector<double>{0, 5, 10}));
  EXPECT_EQ(linear_ticks(3, 27, 6), (std::vector<double>{5, 10, 15, 20, 25}));
  EXPECT_EQ(linear_ticks(-130, 90, 6), (std::vector<double>{-100, -50, 0, 50}));
  EXPECT_EQ(linear_ticks(7, 7, 5), (std::vector<double>{7}));
  EXPECT_FALSE(std::signbit(linear_ticks(-0.5, 1, 6)[1]));  // no "-0"
}

TEST(Ticks, OfALogarithmicAxisArePowersOfTen) {
  EXPECT_EQ(log_ticks(1, 1000, 6), (std::vector<double>{1, 10, 100, 1000}));
  EXPECT_EQ(log_ticks(0.7, 13, 6), (std::vector<double>{1, 2, 5, 10}));
  EXPECT_EQ(log_ticks(2, 600, 6), (std::vector<double>{2, 5, 10, 20, 50, 100, 200, 500}));
  EXPECT_EQ(log_ticks(2, 600, 4), (std::vector<double>{10, 100}));
  EXPECT_EQ(log_ticks(1, 1e12, 5), (std::vector<double>{1, 1e3, 1e6, 1e9, 1e12}));
  EXPECT_EQ(log_ticks(3, 4, 5), linear_ticks(3, 4, 5));
}

TEST(Plot, PutsPointsWhereTheyBelong) {
  Plot plot{"Title <1> & \"more\"", "time (min)", "µm", {{"only", {0, 1, 2, 4}, {10, 30, 20, 10}, {}}}};
  const std::string svg = line_plot_svg(plot);
  const auto lines = lines_in(svg);
  ASSERT_EQ(lines.size(), 1u);
  const std::vector<Place> p = corners(lines[0].attributes.at("d"));
  ASSERT_EQ(p.size(), 4u);
  EXPECT_NEAR(p[1].x - p[0].x, p[2].x - p[1].x, 0.2);
  EXPECT_NEAR(p[3].x - p[2].x, 2 * (p[1].x - p[0].x), 0.2);
  EXPECT_NEAR(p[0].y - p[1].y, 2 * (p[0].y - p[2].y), 0.2);  // up is less
  EXPECT_LT(p[1].y, p[0].y);
  EXPECT_NEAR(p[0].y, p[3].y, 0.01);
  const auto words = words_in(svg);
  EXPECT_TRUE(contains(words, "Title &lt;1&gt; &amp; &quot;more&quot;"));
  EXPECT_TRUE(contains(words, "time (min)"));
  EXPECT_TRUE(contains(words, "µm"));
  EXPECT_TRUE(contains(words, "20"));
  EXPECT_FALSE(contains(words, "only")) << "a legend for one line";
}

TEST(Plot, StretchesLogarithmicAxesAndLeavesOutWhatIsNotPositive) {
  Plot plot{"", "", "", {{"", {0, 1, 10, 100}, {5, 1, 100, 10000}, {}}}};
  plot.log_x = plot.log_y = true;
  const std::string svg = line_plot_svg(plot);
  const std::vector<Place> p = corners(lines_in(svg).at(0).attributes.at("d"));
  ASSERT_EQ(p.size(), 3u);
  EXPECT_NEAR(p[1].x - p[0].x, p[2].x - p[1].x, 0.2);
  EXPECT_NEAR(p[1].y - p[0].y, p[2].y - p[1].y, 0.2);
  EXPECT_TRUE(contains(words_in(svg), "10⁴"));
}

TEST(Plot, GoesOnBehindMissingValues) {
  const Plot plot{
      "", "", "", {{"", {0, 1, 2, kNaN, 4}, {1, kNaN, 3, 4, std::numeric_limits<double>::infinity()}, {}}}};
  EXPECT_EQ(corners(lines_in(line_plot_svg(plot)).at(0).attributes.at("d")).size(), 2u);
}

TEST(Plot, SaysWhereThereIsNothing) {
  EXPECT_TRUE(contains(words_in(line_plot_svg({"", "", "", {}})), "no data"));
  EXPECT_TRUE(contains(words_in(line_plot_svg({"", "", "", {{"", {0, 1}, {kNaN, kNaN}, {}}}})), "no data"));
}

TEST(Plot, OfOneValueIsADot) {
  int dots = 0;
  for (const XmlElement& element : xml_elements(line_plot_svg({"", "", "", {{"", {3}, {7}, {}}}})))
    dots += element.name == "circle" ? 1 : 0;
  EXPECT_EQ(dots, 1);
}

TEST(Plot, DrawsABandAroundALine) {
  const Plot plot{"", "", "", {{"", {0, 1, 2}, {5, 6, 7}, {1, 2, kNaN}}}};
  std::vector<Place> band, line;
  for (const XmlElement& element : xml_elements(line_plot_svg(plot)))
    if (element.attributes.count("fill-opacity") > 0) band = corners(element.attributes.at("d"));
  line = corners(lines_in(line_plot_svg(plot)).at(0).attributes.at("d"));
  ASSERT_EQ(band.size(), 6u);  // above from left to right, below from right to left
  const double unit = line[0].y - line[1].y;
  EXPECT_NEAR(line[0].y - band[0].y, unit, 0.2);
  EXPECT_NEAR(band[5].y - line[0].y, unit, 0.2);
  EXPECT_NEAR(line[1].y - band[1].y, 2 * unit, 0.3);
  EXPECT_NEAR(band[2].y, line[2].y, 0.1);
}

TEST(Plot, NamesAndColoursSeveralSeries) {
  Plot plot{"", "", "", {}};
  for (int i = 0; i < 8; ++i)
    plot.series.push_back({"series " + std::to_string(i), {0, 1}, {0.0, double(i)}, {}});
  const std::string svg = line_plot_svg(plot);
  const auto lines = lines_in(svg);
  ASSERT_EQ(lines.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_TRUE(contains(words_in(svg), "series " + std::to_string(i)));
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_FALSE(lines[i].attributes.at("stroke") == lines[k].attributes.at("stroke") &&
                   lines[i].attributes.count("stroke-dasharray") ==
                       lines[k].attributes.count("stroke-dasharray"))
          << i << " looks like " << k;
  }
}

TEST(Plot, TakesLargeNumbersIntoTheAxisLabel) {
  const std::string svg = line_plot_svg({"", "time", "contacts", {{"", {0, 1}, {0, 2.4e6}, {}}}});
  EXPECT_TRUE(contains(words_in(svg), "contacts × 10⁶"));
  EXPECT_TRUE(contains(words_in(svg), "2.0"));
  EXPECT_TRUE(contains(words_in(svg), "time"));
}

TEST(Plot, KeepsExtremesOfLongSeriesInASmallPicture) {
  Plot plot{"", "", "", {{"", {}, {}, {}}}};
  for (int i = 0; i < 200'000; ++i) {
    plot.series[0].x.push_back(i);
    plot.series[0].y.push_back(i == 123'456 ? 9 : i == 77'777 ? -9 : i % 2);
  }
  const std::string svg = line_plot_svg(plot);
  EXPECT_LT(svg.size(), 60'000u);
  double top = 1e9, bottom = 0;
  for (const Place& p : corners(lines_in(svg).at(0).attributes.at("d"))) {
    top = std::min(top, p.y);
    bottom = std::max(bottom, p.y);
  }
  // The axis reaches 5% beyond -9 and 9: these span 18 of 19.8 units.
  const std::vector<Place> flat =
      corners(lines_in(line_plot_svg({"", "", "", {{"", {0, 1}, {-9, 9}, {}}}})).at(0).attributes.at("d"));
  EXPECT_NEAR(top, flat[1].y, 0.11);
  EXPECT_NEAR(bottom, flat[0].y, 0.11);
}

std::vector<XmlElement> of_class(const std::string& svg, const std::string& name) {
  std::vector<XmlElement> found;
  for (const XmlElement& element : xml_elements(svg)) {
    const auto classes = element.attributes.find("class");
    if (classes != element.attributes.end() &&
        (" " + classes->second + " ").find(" " + name + " ") != std::string::npos)
      found.push_back(element);
  }
  return found;
}

// A page colours them by these.
TEST(Plot, PartsHaveClasses) {
  Plot plot{"Title", "x", "y", {}};
  for (int i = 0; i < 7; ++i) plot.series.push_back({"s", {0, 1}, {0, double(i)}, {1, 1}});
  plot.series.push_back({"one", {1}, {3}, {}});
  plot.mark = 0.5;
  const std::string svg = line_plot_svg(plot);
  EXPECT_EQ(of_class(svg, "title").size(), 1u);
  for (const char* name : {"grid", "axis", "tick"}) EXPECT_GT(of_class(svg, name).size(), 2u) << name;
  for (const auto& [name, count] :
       {std::pair("line", 7u), {"band", 7u}, {"dot", 1u}, {"key", 8u}, {"mark", 1u}})
    EXPECT_EQ(of_class(svg, name).size(), count) << name;
  const auto lines = of_class(svg, "line");
  EXPECT_EQ(lines[5].attributes.at("class"), "line series-5");
  EXPECT_EQ(lines[6].attributes.at("class"), "line series-0");
  for (const XmlElement& element : xml_elements(svg))
    EXPECT_EQ(element.attributes.count("style"), 0u) << "the viewer's page would refuse it";
}

TEST(Plot, MarksAPlaceOnItsAxis) {
  Plot plot{"", "", "", {{"", {10, 20, 30}, {1, 2, 3}, {}}}};
  const auto place = [&](double x) {
    plot.mark = x;
    const auto marks = of_class(line_plot_svg(plot), "mark");
    return marks.empty() ? -1 : corners(marks[0].attributes.at("d")).at(0).x;
  };
  const auto line = corners(lines_in(line_plot_svg(plot)).at(0).attributes.at("d"));
  EXPECT_TRUE(of_class(line_plot_svg(plot), "mark").empty());
  EXPECT_NEAR(place(20), line[1].x, 0.11);
  EXPECT_NEAR(place(15), (line[0].x + line[1].x) / 2, 0.11);
  EXPECT_NEAR(place(30), line[2].x, 0.11);
  for (const double outside : {9.9, 30.1, kNaN}) EXPECT_EQ(place(outside), -1) << outside;
  plot.log_x = true;
  plot.series[0].x = {0, 1, 100};
  EXPECT_NEAR(place(10), (place(1) + place(100)) / 2, 0.11);
  EXPECT_EQ(place(0), -1);
}

TEST(Plot, HowItBeginsNeedNotFlattenWhatFollows) {
  Plot plot{"", "", "", {{"", {}, {}, {}}}};
  for (int i = 0; i < 100; ++i) {
    plot.series[0].x.push_back(i);
    plot.series[0].y.push_back(i < 3 ? 5000 : 10 + i % 2);
  }
  const auto height = [&] {
    const auto line = corners(lines_in(line_plot_svg(plot)).at(0).attributes.at("d"));
    return std::abs(line[98].y - line[99].y);
  };
  EXPECT_LT(height(), 1);
  plot.settling = 0.04;
  EXPECT_GT(height(), 150);
  // What lies outside is cut off by a view of the axes' size.
  const auto elements = xml_elements(line_plot_svg(plot));
  const auto view = std::find_if(elements.begin(), elements.end(),
                                 [](const XmlElement& e) { return e.name == "svg" && e.depth == 1; });
  ASSERT_NE(view, elements.end());
  const double top = std::stod(view->attributes.at("y")), tall = std::stod(view->attributes.at("height"));
  const auto line = corners(lines_in(line_plot_svg(plot)).at(0).attributes.at("d"));
  EXPECT_LT(line[0].y, top);
  EXPECT_GT(line[50].y, top);
  EXPECT_LT(line[50].y, top + tall);
  // Where nothing follows, all is shown.
  for (std::size_t i = 3; i < 100; ++i) plot.series[0].y[i] = kNaN;
  EXPECT_TRUE(contains(words_in(line_plot_svg(plot)), "5000"));
}

TEST(Plot, FitsANarrowPlaceWithTheNewestValues) {
  Plot plot{"Interfaces", "time (MCS)", "contacts", {{"same", {0, 1, 2}, {1, 2, kNaN}, {}}}};
  plot.width = 288;
  plot.height = 140;
  plot.compact = true;
  const auto values = [&] {
    std::vector<std::string> found;
    for (const XmlElement& element : of_class(line_plot_svg(plot), "value")) found.push_back(element.text);
    return found;
  };
  EXPECT_EQ(values(), (std::vector<std::string>{"2"}));
  plot.series.push_back({"other", {0, 1, 2}, {0, 0, 1234567}, {}});
  EXPECT_EQ(values(), (std::vector<std::string>{"2", "1.23·10⁶"}));
  plot.compact = false;
  EXPECT_TRUE(values().empty());
}

TEST(Plot, SingleValuesAreReadable) {
  EXPECT_EQ(figure_text(0), "0");
  EXPECT_EQ(figure_text(0.123456), "0.123");
  EXPECT_EQ(figure_text(-12.5), "−12.5");
  EXPECT_EQ(figure_text(999.9), "999.9");
  EXPECT_EQ(figure_text(104238), "104,238");
  EXPECT_EQ(figure_text(-2345.6), "−2,346");
  EXPECT_EQ(figure_text(99999999), "1.00·10⁸");
  EXPECT_EQ(figure_text(-0.000123), "−1.23·10⁻⁴");
  EXPECT_EQ(figure_text(kNaN), "–");
}

TEST(Plot, StartsAtZeroWhereAsked) {
  Plot plot{"", "", "", {{"", {0, 1}, {100, 110}, {}}}};
  EXPECT_FALSE(contains(words_in(line_plot_svg(plot)), "40"));
  plot.from_zero = true;
  EXPECT_TRUE(contains(words_in(line_plot_svg(plot)), "40"));
}

}  // namespace
}  // namespace kiln
