#include "output/report/plot_axis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/wording.hpp"

namespace kiln {
namespace {

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

void label_linear(PlotAxis& axis) {
  const double largest = std::max(std::abs(axis.low), std::abs(axis.high));
  if (largest >= 1e5 || largest < 1e-2) axis.exponent = int(std::floor(std::log10(largest)));
  const double unit = std::pow(10.0, axis.exponent);
  const double step = axis.ticks.size() > 1 ? (axis.ticks[1] - axis.ticks[0]) / unit : 1;
  const int decimals = std::clamp(int(-std::floor(std::log10(step) + 1e-9)), 0, 9);
  for (const double tick : axis.ticks)
    axis.labels.push_back(minus_sign(fmt::format("{:.{}f}", tick / unit, decimals)));
}

void label_log(PlotAxis& axis) {
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

}  // namespace

PlotAxis plot_axis(PlotRange range, bool log, double margin, int most_ticks) {
  PlotAxis axis;
  axis.log = log;
  if (range.empty()) range = log ? PlotRange{1, 10} : PlotRange{0, 1};
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

std::string PlotAxis::with_exponent(const std::string& label) const {
  if (exponent == 0) return label;
  return fmt::format("{} × 10{}", label, superscript(exponent));
}

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
  std::vector<double> powers, all;
  for (int power = first - 1; power <= last; ++power)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double tick = digit * std::pow(10.0, power);
      if (tick < low * (1 - 1e-9) || tick > high * (1 + 1e-9)) continue;
      all.push_back(tick);
      if (digit == 1 && (power - first) % every == 0) powers.push_back(tick);
    }
  const bool few = last - first < 2 && 2 * all.size() <= 3 * std::size_t(most);
  const std::vector<double>& ticks = few ? all : powers;
  return ticks.size() < 2 ? linear_ticks(low, high, most) : ticks;
}

std::string figure_text(double value) {
  if (!std::isfinite(value)) return "–";
  const double size = std::abs(value);
  if (size >= 1e6 || (size < 1e-3 && size > 0)) {
    const std::string text = fmt::format("{:.2e}", value);
    const std::size_t e = text.find('e');
    return minus_sign(text.substr(0, e)) + "·10" + superscript(std::stoi(text.substr(e + 1)));
  }
  return minus_sign(size >= 1000 ? grouped(value) : fmt::format("{:.{}g}", value, size >= 100 ? 4 : 3));
}

}  // namespace kiln
