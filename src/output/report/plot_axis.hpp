// One axis of a plot: its range, its ticks, and where a value lies on it.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace kiln {

struct PlotRange {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double v) {
    low = v < low ? v : low;
    high = v > high ? v : high;
  }
  bool empty() const { return !(low <= high); }
};

struct PlotAxis {
  double low = 0, high = 1;
  bool log = false;
  int exponent = 0;  // labels are in units of ten to this power
  std::vector<double> ticks;
  std::vector<std::string> labels;

  bool shows(double v) const { return std::isfinite(v) && (!log || v > 0); }
  // Between 0 and 1 within the range.
  double place(double v) const {
    return log ? std::log(v / low) / std::log(high / low) : (v - low) / (high - low);
  }
  // "contacts × 10⁶"
  std::string with_exponent(const std::string& label) const;
};

// Reaches beyond the range by `margin` of it.
PlotAxis plot_axis(PlotRange range, bool log, double margin, int most_ticks);

// 1, 2 or 5 times powers of ten apart, at most `most` of them, all within [low, high].
std::vector<double> linear_ticks(double low, double high, int most);
// Powers of ten within [low, high], thinned out to at most `most`; where there are few, with 2 and 5
// times them.
std::vector<double> log_ticks(double low, double high, int most);

// A single value as people read it: −0.0313, 104,238, 1.31·10⁶.
std::string figure_text(double value);

}  // namespace kiln
