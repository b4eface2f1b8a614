#include "fidelity/observe.hpp"

#include <algorithm>
#include <cmath>

#include "core/math.hpp"
#include "measure/contacts.hpp"
#include "terms/length.hpp"

namespace kiln {
namespace {

// Long axes of the cells (terms/length.hpp), where their moments are known.
Summary lengths_of(const State& state) {
  const Cells& cells = state.cells;
  double count = 0, sum = 0, squares = 0;
  for (CellId cell = 1; cell < cells.count() && !cells.moments.empty(); ++cell)
    if (cells.extent[cell].volume > 0) {
      const double own = length::axes_of(cells.extent[cell].volume, cells.centroid[cell].sum,
                                         cells.moments[cell], state.lattice.dimension)
                             .longest;
      count += 1, sum += own, squares += own * own;
    }
  if (count < 2) return {};
  const double mean = sum / count;
  return {int64_t(count), mean, std::sqrt(std::max(0.0, squares - count * mean * mean) / (count - 1))};
}

// Averages of a size over samples in time.
class SizeMeans {
 public:
  void add(const SizeSummary& size, const Summary& length) {
    ++samples_;
    cells_ += double(size.volume.count);
    length_ += length.mean;
    length_variance_ += length.sd * length.sd;
    volume_ += size.volume.mean;
    volume_variance_ += size.volume.sd * size.volume.sd;
    perimeter_ += size.perimeter.mean;
    perimeter_variance_ += size.perimeter.sd * size.perimeter.sd;
  }

  void write_to(Observation& seen) const {
    if (samples_ == 0) return;
    seen.cells = cells_ / samples_;
    seen.volume_mean = volume_ / samples_;
    seen.volume_sd = std::sqrt(volume_variance_ / samples_);
    seen.perimeter_mean = perimeter_ / samples_;
    seen.perimeter_sd = std::sqrt(perimeter_variance_ / samples_);
    seen.length_mean = length_ / samples_;
    seen.length_sd = std::sqrt(length_variance_ / samples_);
  }

 private:
  double samples_ = 0, volume_ = 0, volume_variance_ = 0, perimeter_ = 0, perimeter_variance_ = 0;
  double cells_ = 0, length_ = 0, length_variance_ = 0;
};

double heterotypic_share(const State& state, const Model& model) {
  const Interface interface =
      interface_by_kind(contact_matrix(state, int(model.types.size())), model.frozen_types());
  const int64_t contacts = interface.homotypic + interface.heterotypic;
  return contacts > 0 ? double(interface.heterotypic) / double(contacts) : kUndefined;
}

State first_state(const Model& model, const Protocol& protocol) {
  if (!protocol.initial_seed) return initial_state(model);
  Model start = model;
  start.seed = *protocol.initial_seed;
  return initial_state(start);
}

// How far the run may go in one stretch before something is to be looked at.
int64_t next_stop(int64_t now, const Protocol& protocol) {
  int64_t stop = protocol.burn_in;
  if (now >= protocol.burn_in) {
    const auto next = [&](int64_t every) { return now + every - (now - protocol.burn_in) % every; };
    stop = std::min(protocol.mcs, next(protocol.size_every));
    if (protocol.track_every > 0) stop = std::min(stop, next(protocol.track_every));
  }
  for (const int64_t time : protocol.times)
    if (time > now) stop = std::min(stop, time);
  return stop;
}

// The mean of the last values, at most `count` of them.
double mean_of_last(const std::vector<double>& values, int64_t count) {
  const auto last = std::min(values.size(), std::size_t(count));
  double sum = 0;
  for (std::size_t i = values.size() - last; i < values.size(); ++i) sum += values[i];
  return last > 0 ? sum / double(last) : kUndefined;
}

void observe_motion(const Tracks& tracks, double seconds_per_mcs, const Protocol& protocol,
                    Observation& seen) {
  seen.displacement = mean_displacement(tracks.data(), kDisplacementLag);
  seen.autocorrelation.assign(protocol.lags.size(), kUndefined);
  for (const Lag& lag : tracks.lags())
    for (std::size_t i = 0; i < protocol.lags.size(); ++i)
      if (lag.seconds == double(protocol.lags[i]) * seconds_per_mcs)
        seen.autocorrelation[i] = lag.direction_autocorrelation;
}

}  // namespace

std::vector<OccupancyMap> occupancy_maps(const std::vector<Observation>& runs) {
  std::vector<OccupancyMap> maps;
  for (const Observation& run : runs) {
    maps.resize(run.occupancy.size());
    for (std::size_t time = 0; time < maps.size(); ++time) maps[time].add(run.occupancy[time]);
  }
  return maps;
}

void add_cross_entropy(const std::vector<OccupancyMap>& maps, std::vector<Observation>& runs) {
  for (Observation& run : runs) {
    run.cross_entropy.clear();
    for (std::size_t time = 0; time < maps.size(); ++time)
      run.cross_entropy.push_back(maps[time].cross_entropy(run.occupancy[time]));
  }
}

double mean_displacement(const TrackData& tracks, int64_t lag_mcs) {
  double sum = 0;
  int64_t pairs = 0;
  for (std::size_t from = 0; from < tracks.mcs.size(); ++from) {
    const auto to = std::lower_bound(tracks.mcs.begin(), tracks.mcs.end(), tracks.mcs[from] + lag_mcs);
    if (to == tracks.mcs.end() || *to != tracks.mcs[from] + lag_mcs) continue;
    const std::vector<Vec3d>& later = tracks.positions[to - tracks.mcs.begin()];
    for (std::size_t track = 0; track < tracks.positions[from].size(); ++track) {
      const Vec3d way = later[track] - tracks.positions[from][track];
      const double length = sqrt_of(dot(way, way));
      if (std::isnan(length)) continue;  // the cell was not there
      sum += length;
      ++pairs;
    }
  }
  return pairs > 0 ? sum / double(pairs) : kUndefined;
}

Observation observe(const Model& model, const EngineOptions& options, const Protocol& protocol) {
  const std::vector<bool> frozen = model.frozen_types();
  const auto engine =
      make_engine(model, model.phases[0].physics.view(), first_state(model, protocol), options);
  Observation seen;
  SizeMeans sizes;
  Tracks tracks(model.units, frozen);
  std::vector<double> order;
  AttemptCounts counts;
  for (int64_t now = 0; now < protocol.mcs;) {
    const int64_t stop = next_stop(now, protocol);
    engine->advance(stop - now);
    now = stop;
    const bool measured = now >= protocol.burn_in;
    const int64_t since = now - protocol.burn_in;
    if (now == protocol.burn_in) counts = engine->counts();
    if (measured && since % protocol.size_every == 0)
      sizes.add(size_statistics(engine->state(), frozen).all, lengths_of(engine->state()));
    if (measured && protocol.track_every > 0 && since % protocol.track_every == 0) {
      const Motion& motion = tracks.add(engine->state());
      if (since > 0) order.push_back(motion.order_index);
    }
    if (std::find(protocol.times.begin(), protocol.times.end(), now) == protocol.times.end()) continue;
    seen.heterotypic.push_back(heterotypic_share(engine->state(), model));
    if (protocol.occupancy) seen.occupancy.push_back(occupancy_of(engine->state()));
  }
  seen.acceptance = acceptance_between(counts, engine->counts()).of_attempts;
  sizes.write_to(seen);
  seen.order_index = mean_of_last(order, protocol.order_samples);
  if (protocol.track_every > 0) observe_motion(tracks, model.units.seconds_per_mcs, protocol, seen);
  return seen;
}

}  // namespace kiln
