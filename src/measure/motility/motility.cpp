#include "measure/motility/motility.hpp"

#include <algorithm>
#include <utility>

#include "core/lattice_size.hpp"
#include "measure/cell_table.hpp"

namespace kiln {
namespace {

SpeedSettings speed_settings(const Model& model) {
  return {model.units.voxel_um, model.units.seconds_per_mcs, model.measure.speed_interval_mcs,
          model.measure.arrest_below_um_per_min};
}

}  // namespace

Motility::Motility(const Model& model, int threads, MotilityData data)
    : settings_(model.measure),
      units_(model.units),
      frozen_(model.frozen_types()),
      threads_(threads),
      phase_(data.phase),
      speeds_(speed_settings(model), std::move(data.speeds)),
      explored_(frozen_, {.cells = model.measure.explored_cells}, threads, std::move(data.explored)),
      halves_(std::move(data.halves)),
      correlation_bin_(data.correlation_bin) {}

std::vector<CorrelationBin> Motility::watch(const Look& look, int phase) {
  std::vector<CorrelationBin> rows;
  if (speeds_.is_due(look.mcs(), phase)) {
    find_tracked_places(look.cells(), frozen_, threads_, places_);
    if (correlation_is_due(look.mcs())) rows = correlate(look, places_);
    speeds_.add(look.mcs(), std::move(places_), phase, threads_);
  }
  if (phase == phase_) return rows;
  phase_ = phase;
  correlation_bin_ = 0;
  if (phase < 0) return rows;
  if (settings_.explored) explored_.begin(look);
  if (settings_.halves)
    halves_ =
        halves_along(look.lattice(), *settings_.halves, tracked_places(look.cells(), frozen_, threads_));
  return rows;
}

// At the first end of an interval at or after every multiple of cells_every.
bool Motility::correlation_is_due(int64_t mcs) const {
  const int64_t every = settings_.cells_every;
  return settings_.direction_correlation && every > 0 && speeds_.ends_interval(mcs) &&
         mcs / every > speeds_.data().last_mcs / every;
}

std::vector<CorrelationBin> Motility::correlate(const Look& look, const std::vector<Vec3d>& places) {
  if (correlation_bin_ == 0) {
    const Summary volume = size_statistics(look.cells(), frozen_, threads_).all.volume;
    if (volume.count == 0) return {};
    correlation_bin_ = ball_diameter(volume.mean, look.lattice().dimension);
  }
  CorrelationSettings settings;
  const Vec3i& size = look.lattice().size;  // nothing is farther apart than its sides together
  settings.distance = std::min(settings_.correlation_distance_um / units_.voxel_um,
                               double(size.x) + double(size.y) + double(size.z));
  settings.bin = correlation_bin_;
  settings.stride = sampling_stride(int64_t(look.cells().count()) - 1, 1, settings_.correlation_cells);
  settings.threads = threads_;
  return direction_correlation(look.lattice(), speeds_.data().last, places, settings);
}

void Motility::copy_data(MotilityData& to) const {
  to.phase = phase_;
  to.speeds = speeds_.data();
  to.explored = explored_.data();
  to.halves = halves_;
  to.correlation_bin = correlation_bin_;
}

std::optional<ExploredRow> Motility::explore(const Look& look) {
  if (!settings_.explored) return std::nullopt;
  explored_.add(look);
  const double um = units_.voxel_um;
  const double site = look.lattice().dimension == 2 ? um * um : um * um * um;
  const int64_t cells = size_statistics(look.cells(), frozen_, threads_).all.volume.count;
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

}  // namespace kiln
