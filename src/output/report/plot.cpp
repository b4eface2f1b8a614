#include "output/report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kiln {
namespace {

// Told apart by people who see red and green alike (after Okabe and Ito, darkened for thin lines on white).
constexpr const char* kColours[] = {"#2368b0", "#d0571f", "#14866d", "#a8478f", "#b98500", "#4aa3d8"};
constexpr int kColourCount = int(std::size(kColours));
constexpr double kCharacter = 6.8;  // mean width in pixels at 11.5 px

struct Point {
  double x, y;
};

// One axis: data range, marks, and where a value lies between 0 and 1.
struct Axis {
  double low = 0, high = 1;
  bool log = false;
  int exponent = 0;  // labels are in units of ten to this power
  std::vector<double> ticks;
  std::vector<std::string> labels;

  bool shows(double v) const { return std::isfinite(v) && (!log || v > 0); }
  double place(double v) const {
    return log ? std::log(v / low) / std::log(high / low) : (v - low) / (high - low);
  }
};

std::string superscript(int n) {
  static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = n < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(n))) text += kDigits[c - '0'];
  return text;
}

std::string minus_sign(std::string number) {
  if (number.rfind('-', 0) == 0) number.replace(0, 1, "−");
  return number;
}

void label_linear(Axis& axis) {
  const double largest = std::max(std::abs(axis.low), std::abs(axis.high));
  if (largest >= 1e5 || largest < 1e-2) axis.exponent = int(std::floor(std::log10(largest)));
  const double unit = std::pow(10.0, axis.exponent);
  const double step = axis.ticks.size() > 1 ? (axis.ticks[1] - axis.ticks[0]) / unit : 1;
  const int decimals = std::clamp(int(-std::floor(std::log10(step) + 1e-9)), 0, 9);
  for (const double tick : axis.ticks)
    axis.labels.push_back(minus_sign(fmt::format("{:.{}f}", tick / unit, decimals)));
}

void label_log(Axis& axis) {
  for (const double tick : axis.ticks) {
    const int power = int(std::floor(std::log10(tick) + 1e-9));
    const double digit = tick / std::pow(10.0, power);
    if (power >= -2 && power <= 3)
      axis.labels.push_back(fmt::format("{:.{}f}", tick, std::max(0, -power)));
    else if (digit < 1.5)
      axis.labels.push_back("10" + superscript(power));
    else
      axis.labels.push_back(fmt::format("{:.0f}·10{}", digit, superscript(power)));
  }
}

double width_of(const std::string& text) {
  const auto letters =
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });  // UTF-8
  return kCharacter * double(letters);
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  bool empty() const { return !(low <= high); }
};

Axis make_axis(Range range, bool log, double margin, int most_ticks) {
  Axis axis;
  axis.log = log;
  if (range.empty()) range = log ? Range{1, 10} : Range{0, 1};
  if (log) {
    const double factor = range.low == range.high ? 2 : std::pow(range.high / range.low, margin);
    axis.low = range.low / factor;
    axis.high = range.high * factor;
    axis.ticks = log_ticks(axis.low, axis.high, most_ticks);
    label_log(axis);
    return axis;
  }
  double widen = (range.high - range.low) * margin;
  // A value that only rounding changes is drawn as a flat line.
  if (range.high - range.low <= 1e-9 * std::max(std::abs(range.low), std::abs(range.high)))
    widen = range.low == 0 ? 1 : std::abs(range.low) * 0.1;
  axis.low = range.low >= 0 && widen > range.low ? 0 : range.low - widen;
  axis.high = range.high + widen;
  axis.ticks = linear_ticks(axis.low, axis.high, most_ticks);
  label_linear(axis);
  return axis;
}

std::string with_exponent(const std::string& label, const Axis& axis) {
  if (axis.exponent == 0) return label;
  return fmt::format("{} × 10{}", label, superscript(axis.exponent));
}

// Where everything goes, in pixels.
class Drawing {
 public:
  explicit Drawing(const Plot& plot) : plot_(plot), legend_(legend_rows()) {
    Range x, y;
    const auto shown = [&](double vx, double vy) {
      return std::isfinite(vx) && std::isfinite(vy) && (!plot.log_x || vx > 0) && (!plot.log_y || vy > 0);
    };
    for (const PlotSeries& s : plot.series)
      for (std::size_t i = 0; i < s.y.size(); ++i) {
        if (!shown(s.x[i], s.y[i])) continue;
        x.add(s.x[i]);
        y.add(s.y[i]);
        if (s.spread.empty() || !std::isfinite(s.spread[i])) continue;
        y.add(s.y[i] + s.spread[i]);
        if (!plot.log_y || s.y[i] > s.spread[i]) y.add(s.y[i] - s.spread[i]);
      }
    empty_ = x.empty();
    if (plot.from_zero && !plot.log_y && !y.empty()) y.add(0);
    x_ = make_axis(x, plot.log_x, 0, 7);
    y_ = make_axis(y, plot.log_y, 0.05, 6);
    double widest = kCharacter;
    for (const std::string& label : y_.labels) widest = std::max(widest, width_of(label));
    left_ = 14 + widest;
    top_ = 48 + 18 * double(legend_.size());
    right_ = plot.width - 14;
    bottom_ = plot.height - 42;
  }

  std::string svg() const {
    std::string out = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" aria-label="{2}" font-family="system-ui, sans-serif" font-size="11.5" fill="#5a6068">)"
        "\n",
        plot_.width, plot_.height, escaped(plot_.title));
    out += text(4, 16, "start", plot_.title, R"( font-size="14" font-weight="600" fill="#1d2126")");
    out += text(4, 34, "start", with_exponent(plot_.y_label, y_));
    out += frame();
    for (std::size_t i = 0; i < plot_.series.size(); ++i) out += series(i);
    if (empty_) out += text((left_ + right_) / 2, (top_ + bottom_) / 2, "middle", "no data");
    return out + legend() + "</svg>\n";
  }

 private:
  struct LegendEntry {
    std::size_t series;
    double at;
  };

  double px(double v) const { return left_ + x_.place(v) * (right_ - left_); }
  double py(double v) const { return bottom_ - y_.place(v) * (bottom_ - top_); }

  static std::string text(double x, double y, const char* anchor, const std::string& words,
                          const char* style = "") {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor,
                       style, escaped(words));
  }

  static std::string line(double x0, double y0, double x1, double y1, const char* colour) {
    return fmt::format(R"(<path d="M{:.1f} {:.1f}L{:.1f} {:.1f}" stroke="{}"/>)"
                       "\n",
                       x0, y0, x1, y1, colour);
  }

  std::string frame() const {
    std::string out;
    for (std::size_t i = 0; i < y_.ticks.size(); ++i) {
      const double y = py(y_.ticks[i]);
      out += line(left_, y, right_, y, "#e4e7ea");
      out += text(left_ - 6, y + 4, "end", y_.labels[i]);
    }
    for (std::size_t i = 0; i < x_.ticks.size(); ++i) {
      const double x = px(x_.ticks[i]);
      out += line(x, bottom_, x, bottom_ + 4, "#8b929a");
      out += text(x, bottom_ + 17, "middle", x_.labels[i]);
    }
    out += line(left_, bottom_, right_, bottom_, "#8b929a");
    return out + text((left_ + right_) / 2, bottom_ + 35, "middle", with_exponent(plot_.x_label, x_));
  }

  std::vector<std::size_t> shown_points(const PlotSeries& s) const {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < s.y.size(); ++i)
      if (x_.shows(s.x[i]) && y_.shows(s.y[i])) indices.push_back(i);
    return thinned(s, indices);
  }

  // First, lowest, highest and last of those that share a column of pixels: the picture stays the same.
  std::vector<std::size_t> thinned(const PlotSeries& s, const std::vector<std::size_t>& all) const {
    if (all.size() <= std::size_t(4 * plot_.width)) return all;
    std::vector<std::size_t> kept;
    for (std::size_t begin = 0; begin < all.size();) {
      std::size_t end = begin;
      while (end < all.size() && int(px(s.x[all[end]])) == int(px(s.x[all[begin]]))) ++end;
      const auto [low, high] =
          std::minmax_element(all.begin() + std::ptrdiff_t(begin), all.begin() + std::ptrdiff_t(end),
                              [&](std::size_t a, std::size_t b) { return s.y[a] < s.y[b]; });
      std::size_t four[] = {all[begin], *low, *high, all[end - 1]};
      std::sort(std::begin(four), std::end(four));
      kept.insert(kept.end(), std::begin(four), std::unique(std::begin(four), std::end(four)));
      begin = end;
    }
    return kept;
  }

  std::string path_through(const std::vector<Point>& points) const {
    std::string d;
    for (const Point& p : points) d += fmt::format("{}{:.1f} {:.1f}", d.empty() ? "M" : "L", p.x, p.y);
    return d;
  }

  std::string series(std::size_t index) const {
    const PlotSeries& s = plot_.series[index];
    const char* colour = kColours[index % kColourCount];
    const std::vector<std::size_t> shown = shown_points(s);
    std::vector<Point> middle, band;
    for (const std::size_t i : shown) middle.push_back({px(s.x[i]), py(s.y[i])});
    const auto spread = [&](std::size_t i) {
      return s.spread.empty() || !std::isfinite(s.spread[i]) ? 0 : s.spread[i];
    };
    if (!s.spread.empty()) {
      for (const std::size_t i : shown) band.push_back({px(s.x[i]), py(s.y[i] + spread(i))});
      for (auto i = shown.rbegin(); i != shown.rend(); ++i)
        band.push_back({px(s.x[*i]), py(y_.shows(s.y[*i] - spread(*i)) ? s.y[*i] - spread(*i) : y_.low)});
    }
    std::string out;
    if (band.size() > 2)
      out += fmt::format("<path d=\"{}Z\" fill=\"{}\" fill-opacity=\"0.16\"/>\n", path_through(band), colour);
    if (middle.size() == 1)
      out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", middle[0].x,
                         middle[0].y, colour);
    else if (!middle.empty())
      out += fmt::format(
          "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.7\" stroke-linejoin=\"round\"{}/>\n",
          path_through(middle), colour, dashes(index));
    return out;
  }

  // The second time round, a colour is dashed.
  static const char* dashes(std::size_t index) {
    return index / kColourCount % 2 == 1 ? " stroke-dasharray=\"5 3\"" : "";
  }

  std::vector<std::vector<LegendEntry>> legend_rows() const {
    std::vector<std::vector<LegendEntry>> rows;
    if (plot_.series.size() < 2) return rows;
    double at = plot_.width;
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      const double width = 36 + width_of(plot_.series[i].name);
      if (at + width > plot_.width) {
        rows.emplace_back();
        at = 4;
      }
      rows.back().push_back({i, at});
      at += width;
    }
    return rows;
  }

  std::string legend() const {
    std::string out;
    for (std::size_t row = 0; row < legend_.size(); ++row)
      for (const LegendEntry& entry : legend_[row]) {
        const double y = 52 + 18 * double(row);
        out += fmt::format("<path d=\"M{:.1f} {:.1f}h16\" stroke=\"{}\" stroke-width=\"2.5\"{}/>\n", entry.at,
                           y - 4, kColours[entry.series % kColourCount], dashes(entry.series));
        out += text(entry.at + 21, y, "start", plot_.series[entry.series].name);
      }
    return out;
  }

  const Plot& plot_;
  std::vector<std::vector<LegendEntry>> legend_;
  Axis x_, y_;
  bool empty_ = false;
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;
};

}  // namespace

std::vector<double> linear_ticks(double low, double high, int most) {
  if (!(high > low)) return {low};
  double step = std::pow(10.0, std::floor(std::log10((high - low) / most)));
  for (const double factor : {2.0, 2.5, 2.0}) {  // 1, 2, 5, 10
    if ((high - low) / step < most) break;
    step *= factor;
  }
  std::vector<double> ticks;
  const double slack = 1e-9 * (high - low);
  for (double k = std::ceil((low - slack) / step); k * step <= high + slack; ++k)
    ticks.push_back(k == 0 ? 0 : k * step);
  return ticks;
}

std::vector<double> log_ticks(double low, double high, int most) {
  const int first = int(std::ceil(std::log10(low) - 1e-9)), last = int(std::floor(std::log10(high) + 1e-9));
  const int every = std::max(1, (last - first + most) / most);
  std::vector<double> ticks;
  const bool few = last - first < 2;
  for (int power = first - 1; power <= last; ++power)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double tick = digit * std::pow(10.0, power);
      if (digit > 1 ? !few : (power - first) % every != 0) continue;
      if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push_back(tick);
    }
  return ticks.size() < 2 ? linear_ticks(low, high, most) : ticks;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string line_plot_svg(const Plot& plot) { return Drawing(plot).svg(); }

}  // namespace kiln
