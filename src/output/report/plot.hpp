// Line plots as SVG, to stand inside a page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kiln {

struct PlotSeries {
  std::string name;            // in the legend, if there are several
  std::vector<double> x, y;    // of equal length; a point with a NaN is left out, the line goes on behind it
  std::vector<double> spread;  // a band from y - spread to y + spread; empty for none
};

struct Plot {
  std::string title;
  std::string x_label, y_label;  // with units
  std::vector<PlotSeries> series;
  bool log_x = false, log_y = false;  // only positive values are shown then
  bool from_zero = false;             // the y axis starts at 0 even where no value comes near
  int width = 480, height = 290;      // pixels, before the page scales it
};

std::string line_plot_svg(const Plot& plot);

// 1, 2 or 5 times powers of ten apart, at most `most` of them, all within [low, high].
std::vector<double> linear_ticks(double low, double high, int most);
// Powers of ten within [low, high], thinned out to at most `most`; with 2 and 5 in between where there are
// few.
std::vector<double> log_ticks(double low, double high, int most);

// With &, <, >, " and ' as HTML and XML want them.
std::string escaped(std::string_view text);

}  // namespace kiln
