#include "view/measure_plots.hpp"

#include <algorithm>

#include "base/json.hpp"

namespace kiln::view {
namespace {

constexpr int kRestPerLook = 10;  // so many times as long as a look at new rows took, there is none
constexpr std::size_t kMostDrawn = 64;
constexpr double kSettling = 0.04;  // how a run begins does not flatten all that follows

// The panel of the page is 288 pixels wide; in a wider one they grow.
Plot for_panel(const Plot& plot) {
  Plot small = plot;
  small.width = 288;
  small.height = 140;
  small.compact = true;
  small.settling = kSettling;
  return small;
}

}  // namespace

void MeasurePlots::look(Source& source) {
  const auto start = Clock::now();
  if (start < next_look_) return;
  const Measures now = source.measures();
  if (now == measures_) return;
  measures_ = now;
  ++version_;
  drawn_.clear();
  plots_.clear();
  if (now)
    for (const Plot& plot : plots_of_measures(*now)) plots_.push_back(for_panel(plot));
  next_look_ = Clock::now() + kRestPerLook * (Clock::now() - start);
}

std::string MeasurePlots::list(Source& source) {
  const std::lock_guard lock(mutex_);
  look(source);
  std::vector<std::string> titles;
  for (const Plot& plot : plots_) titles.push_back(plot.title);
  return JsonObject().add("version", version_).add("titles", titles).line();
}

Bytes MeasurePlots::svg(Source& source, const std::string& title, std::optional<int64_t> mcs) {
  const std::lock_guard lock(mutex_);
  look(source);
  const auto plot =
      std::find_if(plots_.begin(), plots_.end(), [&](const Plot& p) { return p.title == title; });
  if (plot == plots_.end()) return nullptr;
  const auto mark = mcs ? place_in_time(*measures_, double(*mcs)) : std::nullopt;
  const auto found = std::find_if(drawn_.begin(), drawn_.end(),
                                  [&](const Drawn& d) { return d.title == title && d.mark == mark; });
  if (found != drawn_.end()) return found->svg;
  plot->mark = mark;
  if (drawn_.size() == kMostDrawn) drawn_.pop_front();
  drawn_.push_back({title, mark, std::make_shared<const std::string>(line_plot_svg(*plot))});
  return drawn_.back().svg;
}

}  // namespace kiln::view
