#include "measure/motility/motility.hpp"

#include <algorithm>
#include <utility>

#include "core/lattice_size.hpp"
#include "measure/cell_table.hpp"

namespace kiln {
namespace {

std::vector<Speeds> speeds_over(const Model& model, std::vector<SpeedData> data) {
  const std::vector<int64_t>& intervals = model.measure.speed_intervals_mcs;
  data.resize(intervals.size());
  std::vector<Speeds> result;
  for (std::size_t i = 0; i < intervals.size(); ++i)
    result.emplace_back(SpeedSettings{model.units.voxel_um, model.units.seconds_per_mcs, intervals[i],
                                      model.measure.arrest_below_um_per_min},
                        std::move(data[i]));
  return result;
}

}  // namespace

Motility::Motility(const Model& model, int threads, MotilityData data, int64_t most_with_speeds)
    : settings_(model.measure),
      units_(model.units),
      frozen_(model.frozen_types()),
      threads_(threads),
      phase_(data.phase),
      speeds_(speeds_over(model, std::move(data.speeds))),
      explored_(frozen_, {.cells = model.measure.explored_cells}, threads, std::move(data.explored)),
      halves_(std::move(data.halves)),
      correlation_bin_(data.correlation_bin),
      most_with_speeds_(most_with_speeds),
      stride_(data.stride) {}

std::vector<IntervalCorrelation> Motility::watch(const Look& look, int phase) {
  std::vector<IntervalCorrelation> rows;
  std::vector<Speeds*> due;
  for (Speeds& speeds : speeds_)
    if (speeds.is_due(look.mcs(), phase)) due.push_back(&speeds);
  if (!due.empty() && stride_ == 0) {
    const int64_t ids = int64_t(look.cell_count()) - 1;
    stride_ = settings_.direction_correlation ? 1 : sampling_stride(ids, 1, most_with_speeds_);
  }
  if (!due.empty()) find_tracked_places(look, frozen_, threads_, places_, stride_);
  for (Speeds* const speeds : due) {
    if (correlation_is_due(*speeds, look.mcs()))
      rows.push_back({speeds->interval_mcs(), correlate(look, speeds->data().last)});
    const bool is_last = speeds == due.back();  // all others get copies
    if (!is_last) copied_places_ = places_;
    speeds->add(look.mcs(), std::move(is_last ? places_ : copied_places_), phase, threads_);
  }
  if (phase == phase_) return rows;
  phase_ = phase;
  correlation_bin_ = 0;
  if (phase < 0) return rows;
  if (settings_.explored) explored_.begin(look);
  if (settings_.halves)
    halves_ = halves_along(look.lattice(), *settings_.halves, tracked_places(look, frozen_, threads_));
  return rows;
}

int64_t Motility::next_due(int64_t mcs) const {
  int64_t next = -1;
  for (const Speeds& speeds : speeds_)
    if (const int64_t end = speeds.next_end(mcs); end >= 0) next = next < 0 ? end : std::min(next, end);
  return next;
}

std::vector<SpeedSums> Motility::speeds() const {
  std::vector<SpeedSums> result;
  for (const Speeds& speeds : speeds_)
    for (const SpeedSums& sums : speeds.sums()) result.push_back(sums);
  std::stable_sort(result.begin(), result.end(),
                   [](const SpeedSums& a, const SpeedSums& b) { return a.phase < b.phase; });
  return result;
}

// At the first end of an interval at or after every multiple of cells_every.
bool Motility::correlation_is_due(const Speeds& speeds, int64_t mcs) const {
  const int64_t every = settings_.cells_every;
  return settings_.direction_correlation && every > 0 && speeds.ends_interval(mcs) &&
         mcs / every > speeds.data().last_mcs / every;
}

std::vector<CorrelationBin> Motility::correlate(const Look& look, const std::vector<Vec3d>& before) {
  if (correlation_bin_ == 0) {
    const Summary volume = size_statistics(look, frozen_, threads_).all.volume;
    if (volume.count == 0) return {};
    correlation_bin_ = ball_diameter(volume.mean, look.lattice().dimension);
  }
  CorrelationSettings settings;
  const Vec3i& size = look.lattice().size;  // nothing is farther apart than its sides together
  settings.distance = std::min(settings_.correlation_distance_um / units_.voxel_um,
                               double(size.x) + double(size.y) + double(size.z));
  settings.bin = correlation_bin_;
  settings.stride = sampling_stride(int64_t(look.cell_count()) - 1, 1, settings_.correlation_cells);
  settings.threads = threads_;
  return direction_correlation(look.lattice(), before, places_, settings);
}

void Motility::copy_data(MotilityData& to) const {
  to.phase = phase_;
  to.speeds.resize(speeds_.size());
  for (std::size_t i = 0; i < speeds_.size(); ++i) to.speeds[i] = speeds_[i].data();
  to.explored = explored_.data();
  to.halves = halves_;
  to.correlation_bin = correlation_bin_;
  to.stride = stride_;
}

std::optional<ExploredRow> Motility::explore(const Look& look) {
  if (!settings_.explored) return std::nullopt;
  explored_.add(look);
  const double um = units_.voxel_um;
  const double site = look.lattice().dimension == 2 ? um * um : um * um * um;
  const int64_t cells = size_statistics(look, frozen_, threads_).all.volume.count;
  ExploredRow row;
  row.sites = explored_.sites();
  row.size = double(row.sites) * site;
  row.per_cell = cells > 0 ? row.size / double(cells) : kUndefined;
  row.visited_mean = explored_.mean_sites_of_cells() * site;
  return row;
}

std::optional<double> Motility::mixed(const Look& look) const {
  if (!settings_.halves) return std::nullopt;
  return mixed_fraction(look, halves_, threads_);
}

std::vector<double> Motility::mixed_within(const Look& look) {
  if (settings_.mixed_within_um.empty()) return {};
  find_tracked_places(look, frozen_, threads_, places_);
  std::vector<double> sites;
  for (const double um : settings_.mixed_within_um) sites.push_back(um / units_.voxel_um);
  return kiln::mixed_within(look.lattice(), sites, places_, halves_, threads_);
}

}  // namespace kiln
