#include "output/report/plot.hpp"

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

TEST(Plot, StartsAtZeroWhereAsked) {
  Plot plot{"", "", "", {{"", {0, 1}, {100, 110}, {}}}};
  EXPECT_FALSE(contains(words_in(line_plot_svg(plot)), "40"));
  plot.from_zero = true;
  EXPECT_TRUE(contains(words_in(line_plot_svg(plot)), "40"));
}

}  // namespace
}  // namespace kiln
