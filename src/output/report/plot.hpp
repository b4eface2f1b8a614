// Line plots as SVG, to stand inside a page.
#pragma once

#include <optional>
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
  // For a narrow place: smaller, with the newest values beside the names. A legend adds to the height.
  bool compact = false;
  // The share of each series at its beginning that the y axis need not show; such points are clipped.
  double settling = 0;
  std::optional<double> mark = std::nullopt;  // a vertical line at this x
};

// Parts have classes, by which a page may colour them otherwise: title, value, unit, grid, axis, tick, mark,
// key, and line, band, dot with series-0 to series-5.
std::string line_plot_svg(const Plot& plot);

// With &, <, >, " and ' as HTML and XML want them.
std::string escaped(std::string_view text);

}  // namespace kiln
