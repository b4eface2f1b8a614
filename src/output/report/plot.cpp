#include "output/report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "output/report/plot_axis.hpp"

namespace kiln {
namespace {

// Told apart by people who see red and green alike (after Okabe and Ito, darkened for thin lines on white).
constexpr const char* kColours[] = {"#2368b0", "#d0571f", "#14866d", "#a8478f", "#b98500", "#4aa3d8"};
constexpr int kColourCount = int(std::size(kColours));

// Sizes in pixels; rows are where the baselines of text are.
struct PlotLayout {
  double text, title;                // sizes of letters
  double character;                  // mean width of those of text
  double title_row, unit_row;        // the unit of the y axis stands over it
  double legend_row, legend_height;  // the first row, and the way to the next
  double above;                      // the axes, without legend
  double below;
  double tick_row, x_label_row;  // below the x axis
  int x_ticks, y_ticks;
};
constexpr PlotLayout kWide{11.5, 14, 6.8, 16, 34, 52, 18, 48, 42, 17, 35, 7, 6};
// The x label ends the row of the ticks' labels, and a button of the page covers the end of the title's.
constexpr PlotLayout kCompact{10.5, 12.5, 6.2, 13, 28, 44, 15, 37, 19, 14, 14, 5, 4};
constexpr double kButton = 22;

struct Point {
  double x, y;
};

// Where everything goes, in pixels.
class Drawing {
 public:
  explicit Drawing(const Plot& plot)
      : plot_(plot),
        layout_(plot.compact ? kCompact : kWide),

        legend_(legend_rows()) {
    PlotRange x, y = y_range(plot.settling, x);
    empty_ = x.empty();
    if (y.empty()) y = y_range(0, x);
    if (plot.from_zero && !plot.log_y && !y.empty()) y.add(0);
    x_ = plot_axis(x, plot.log_x, 0, layout_.x_ticks);
    y_ = plot_axis(y, plot.log_y, 0.05, layout_.y_ticks);
    double widest = layout_.character;
    for (const std::string& label : y_.labels) widest = std::max(widest, width_of(label));
    const double legend = layout_.legend_height * double(legend_.size());
    height_ = plot.height + (plot.compact ? legend : 0);
    left_ = (plot.compact ? 8 : 14) + widest;
    top_ = layout_.above + legend;
    right_ = plot.width - (plot.compact ? 4 : 14);
    bottom_ = height_ - layout_.below;
  }

  std::string svg() const {
    std::string out = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1:g}" width="{0}" height="{1:g}" role="img" aria-label="{2}" font-family="system-ui, sans-serif" font-size="{3:g}" fill="#5a6068">)"
        "\n",
        plot_.width, height_, escaped(plot_.title), layout_.text);
    const double left = plot_.compact ? 0 : 4;
    out += text(
        left, layout_.title_row, "start", plot_.title,
        fmt::format(R"( class="title" font-size="{:g}" font-weight="600" fill="#1d2126")", layout_.title));
    if (plot_.compact && plot_.series.size() == 1)
      out += text(plot_.width - kButton, layout_.title_row, "end", newest(plot_.series[0]),
                  R"( class="value" font-weight="600" fill="#1d2126")");
    out += text(left, layout_.unit_row, "start", y_.with_exponent(plot_.y_label), R"( class="unit")");
    out += frame() + mark() + all_series();
    if (empty_) out += text((left_ + right_) / 2, (top_ + bottom_) / 2, "middle", "no data");
    return out + legend() + "</svg>\n";
  }

 private:
  struct LegendEntry {
    std::size_t series;
    double at;
  };

  bool shows(const PlotSeries& s, std::size_t i) const {
    return std::isfinite(s.x[i]) && std::isfinite(s.y[i]) && (!plot_.log_x || s.x[i] > 0) &&
           (!plot_.log_y || s.y[i] > 0);
  }

  // Without a share of each series at its beginning. `x` is that of all.
  PlotRange y_range(double without, PlotRange& x) const {
    PlotRange y;
    for (const PlotSeries& s : plot_.series)
      for (std::size_t i = 0; i < s.y.size(); ++i) {
        if (!shows(s, i)) continue;
        x.add(s.x[i]);
        if (double(i) < std::floor(without * double(s.y.size()))) continue;
        y.add(s.y[i]);
        if (s.spread.empty() || !std::isfinite(s.spread[i])) continue;
        y.add(s.y[i] + s.spread[i]);
        if (!plot_.log_y || s.y[i] > s.spread[i]) y.add(s.y[i] - s.spread[i]);
      }
    return y;
  }

  double px(double v) const { return left_ + x_.place(v) * (right_ - left_); }
  double py(double v) const { return bottom_ - y_.place(v) * (bottom_ - top_); }

  double width_of(const std::string& text) const {
    const auto letters =
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });  // UTF-8
    return layout_.character * double(letters);
  }

  static std::string text(double x, double y, const char* anchor, const std::string& words,
                          const std::string& style = "") {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor,
                       style, escaped(words));
  }

  static std::string line(double x0, double y0, double x1, double y1, const char* style) {
    return fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" {}/>\n", x0, y0, x1, y1, style);
  }

  std::string frame() const {
    constexpr const char* kGrid = R"(class="grid" stroke="#e4e7ea")";
    constexpr const char* kAxis = R"(class="axis" stroke="#8b929a")";
    constexpr const char* kTick = R"( class="tick")";
    std::string out;
    for (std::size_t i = 0; i < y_.ticks.size(); ++i) {
      const double y = py(y_.ticks[i]);
      out += line(left_, y, right_, y, kGrid);
      out += text(left_ - 6, y + 4, "end", y_.labels[i], kTick);
    }
    const std::string x_label = x_.with_exponent(plot_.x_label);
    const double labels_end = plot_.compact ? plot_.width - width_of(x_label) - 4 : plot_.width;
    for (std::size_t i = 0; i < x_.ticks.size(); ++i) {
      const double x = px(x_.ticks[i]);
      out += line(x, bottom_, x, bottom_ + 4, kAxis);
      if (x + width_of(x_.labels[i]) / 2 <= labels_end || !plot_.compact)
        out += text(x, bottom_ + layout_.tick_row, "middle", x_.labels[i], kTick);
    }
    out += line(left_, bottom_, right_, bottom_, kAxis);
    const double label_y = bottom_ + layout_.x_label_row;
    return out + (plot_.compact ? text(plot_.width, label_y, "end", x_label)
                                : text((left_ + right_) / 2, label_y, "middle", x_label));
  }

  std::string mark() const {
    if (!plot_.mark || !x_.shows(*plot_.mark) || *plot_.mark < x_.low || *plot_.mark > x_.high) return "";
    const double x = px(*plot_.mark);
    return line(x, top_, x, bottom_, R"(class="mark" stroke="#5a6068" stroke-dasharray="3 3")");
  }

  // Cut off at the axes where the y axis does not show all.
  std::string all_series() const {
    std::string out;
    for (std::size_t i = 0; i < plot_.series.size(); ++i) out += series(i);
    if (plot_.settling == 0 || out.empty()) return out;
    constexpr double kBeside = 4;  // a line at an end, or a dot, is whole
    const double x = left_ - kBeside, width = right_ - left_ + 2 * kBeside;
    return fmt::format(
               "<svg x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{3:.1f}\" "
               "viewBox=\"{0:.1f} {1:.1f} {2:.1f} {3:.1f}\">\n",
               x, top_, width, bottom_ - top_) +
           out + "</svg>\n";
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
    const std::size_t number = index % kColourCount;
    const char* colour = kColours[number];
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
      out += fmt::format("<path class=\"band series-{}\" d=\"{}Z\" fill=\"{}\" fill-opacity=\"0.16\"/>\n",
                         number, path_through(band), colour);
    if (middle.size() == 1)
      out +=
          fmt::format("<circle class=\"dot series-{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n",
                      number, middle[0].x, middle[0].y, colour);
    else if (!middle.empty())
      out += fmt::format(
          "<path class=\"line series-{}\" d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.7\" "
          "stroke-linejoin=\"round\"{}/>\n",
          number, path_through(middle), colour, dashes(index));
    return out;
  }

  // The second time round, a colour is dashed.
  static const char* dashes(std::size_t index) {
    return index / kColourCount % 2 == 1 ? " stroke-dasharray=\"5 3\"" : "";
  }

  static std::string newest(const PlotSeries& s) {
    const auto last = std::find_if(s.y.rbegin(), s.y.rend(), [](double v) { return std::isfinite(v); });
    return last == s.y.rend() ? "" : figure_text(*last);
  }

  std::vector<std::vector<LegendEntry>> legend_rows() const {
    std::vector<std::vector<LegendEntry>> rows;
    if (plot_.series.size() < 2) return rows;
    const double left = plot_.compact ? 0 : 4;
    double at = plot_.width;
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      const PlotSeries& s = plot_.series[i];
      const double width = plot_.compact ? 30 + width_of(s.name + " " + newest(s)) : 36 + width_of(s.name);
      if (at + width > plot_.width) {
        rows.emplace_back();
        at = left;
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
        const double y = layout_.legend_row + layout_.legend_height * double(row);
        const std::size_t number = entry.series % kColourCount;
        const PlotSeries& s = plot_.series[entry.series];
        out += fmt::format(
            "<path class=\"key series-{}\" d=\"M{:.1f} {:.1f}h16\" stroke=\"{}\" stroke-width=\"2.5\"{}/>\n",
            number, entry.at, y - 4, kColours[number], dashes(entry.series));
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}", entry.at + 21, y, escaped(s.name));
        if (plot_.compact)
          out += fmt::format(R"(<tspan dx="5" class="value" font-weight="600" fill="#1d2126">{}</tspan>)",
                             newest(s));
        out += "</text>\n";
      }
    return out;
  }

  const Plot& plot_;
  const PlotLayout& layout_;

  std::vector<std::vector<LegendEntry>> legend_;
  PlotAxis x_, y_;
  bool empty_ = false;
  double height_ = 0, left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;
};

}  // namespace

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
