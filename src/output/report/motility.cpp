#include "output/report/motility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "measure/motility/speed_divergence.hpp"

namespace kiln {
namespace {

// One more than the last bin that is not empty in all phases.
int64_t bins_in_use(const std::vector<SpeedSums>& speeds) {
  int64_t bins = 1;
  for (const SpeedSums& sums : speeds)
    for (int64_t bin = 0; bin <= kSpeedBins; ++bin)
      if (sums.counts[std::size_t(bin)] > 0) bins = std::max(bins, bin + 1);
  return bins;
}

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.3g}", value) : "–"; }

std::string row(const std::string& phase, const SpeedSums& sums, double divergence) {
  const SpeedMoments speed = moments_of(sums);
  const Share arrest = wilson_share(sums.arrested, sums.intervals);
  return fmt::format(
      "<tr><td>{}</td><td>{}</td><td>{} ± {}</td><td>{}</td><td>{} ({}–{})</td><td>{}</td><td>{}</td></tr>\n",
      escaped(phase), sums.intervals, number(speed.mean), number(speed.sd), number(speed.skewness),
      number(arrest.value), number(arrest.low), number(arrest.high), number(sums.arrest_by_cell),
      number(divergence));
}

}  // namespace

ReportMotility report_motility(const std::vector<SpeedSums>& speeds, const Model& model) {
  ReportMotility result;
  const std::vector<int64_t>& intervals = model.measure.speed_intervals_mcs;
  const auto length = [&](int64_t mcs) {
    return fmt::format("{:g} s", double(mcs) * model.units.seconds_per_mcs);
  };
  for (const int64_t mcs : intervals)
    result.intervals += (result.intervals.empty() ? "" : ", ") + length(mcs);
  result.arrest_below_um_per_min = model.measure.arrest_below_um_per_min;
  for (const SpeedSums& sums : speeds) {
    if (sums.intervals == 0) continue;
    const std::string& name = model.phases[std::size_t(sums.phase)].name;
    result.phases.push_back(intervals.size() > 1 ? name + ", " + length(sums.interval_mcs) : name);
    result.speeds.push_back(sums);
    result.divergence.push_back(divergence_bits(sums.counts, model.measure.reference_speeds));
  }
  return result;
}

Plot speed_histogram(const ReportMotility& motility) {
  Plot plot{"Speeds", "µm/min", "share of intervals of " + motility.intervals, {}};
  plot.from_zero = true;
  const int64_t bins = bins_in_use(motility.speeds);
  for (std::size_t i = 0; i < motility.speeds.size(); ++i) {
    const SpeedSums& sums = motility.speeds[i];
    PlotSeries series{motility.phases[i], {}, {}, {}};
    for (int64_t bin = 0; bin < bins; ++bin)
      for (const int64_t edge : {bin, bin + 1}) {
        series.x.push_back(double(edge));
        series.y.push_back(double(sums.counts[std::size_t(bin)]) / double(sums.intervals));
      }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

std::string motility_section(const ReportMotility& motility) {
  if (motility.speeds.empty()) return "";
  std::string out = fmt::format(
      "<h2>Motility</h2>\n<div class=\"card phases\"><table>\n<tr><td>phase</td><td>speeds</td><td>µm/min, "
      "mean ± "
      "sd</td><td>skewness</td><td>arrest coefficient (95% interval)</td><td>mean of cells</td>"
      "<td>bits from the reference</td></tr>\n");
  for (std::size_t i = 0; i < motility.speeds.size(); ++i)
    out += row(motility.phases[i], motility.speeds[i], motility.divergence[i]);
  out += fmt::format(
      "</table></div>\n<p class=\"subtitle\">Speeds are over intervals of {}. The arrest coefficient is "
      "the share of intervals below {:g} µm/min; its interval (Wilson) takes all intervals as "
      "independent.</p>\n",
      motility.intervals, motility.arrest_below_um_per_min);
  return out + "<div class=\"plots\">\n<div class=\"card\">" + line_plot_svg(speed_histogram(motility)) +
         "</div>\n</div>\n";
}

}  // namespace kiln
