#include "measure/motility/tracks.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/math.hpp"
#include "measure/cell_table.hpp"
#include "measure/places.hpp"

namespace kiln {
namespace {

double length_of(const Vec3d& v) { return sqrt_of(dot(v, v)); }

double mean(double sum, int64_t count) { return count > 0 ? sum / double(count) : kUndefined; }

template <class T>
void keep_every_second(std::vector<T>& list) {
  for (std::size_t i = 0; 2 * i < list.size(); ++i) std::swap(list[i], list[2 * i]);
  list.resize((list.size() + 1) / 2);
}

int64_t next_lag(int64_t lag) { return lag < 64 ? lag + 1 : lag + lag / 16; }

}  // namespace

struct Tracks::Sums {
  explicit Sums(std::size_t types) : of_type(types) {}

  struct Steps {
    int64_t count = 0;
    double length = 0;
  };
  std::vector<Steps> of_type;
  int64_t alive = 0, stepped = 0, headed = 0, travelled = 0;
  double displacement = 0, square = 0, step = 0, cosine = 0, straightness = 0;
  Vec3d heading;
};

Tracks::Tracks(Units units, std::vector<bool> frozen, TrackLimits limits, TrackData data)
    : units_(units), frozen_(std::move(frozen)), limits_(limits), data_(std::move(data)) {}

const Motion& Tracks::add(const Look& look) {
  if (data_.stride > 0 && look.mcs() <= data_.last_mcs) return data_.motion;
  const int64_t ids = int64_t(look.cell_count()) - 1;
  if (data_.stride == 0) data_.stride = sampling_stride(ids, 1, limits_.tracks);
  const std::size_t tracks = ids > 0 ? std::size_t((ids - 1) / data_.stride + 1) : 0;
  if (tracks > data_.first.size()) {
    data_.first.resize(tracks, kNoPlace);
    data_.last.resize(tracks, kNoPlace);
    data_.first_heading.resize(tracks, kNoPlace);
    data_.path.resize(tracks);
  }

  Sums sums(frozen_.size());
  std::size_t track = 0;
  const auto cell_of = [&] { return 1 + int64_t(track) * data_.stride; };
  look.each_slice([&](const CellSlice& slice) {
    for (const Cells& cells = slice.cells; track < data_.first.size() && cell_of() < slice.end(); ++track) {
      const CellId row = slice.row(CellId(cell_of()));
      const bool lives = is_tracked(cells, frozen_, row) && cells.extent[row].volume > 0;
      follow(track, lives ? cells.position(row) : kNoPlace, lives ? cells.type[row] : TypeId(0), sums);
    }
  });
  for (; track < data_.first.size(); ++track) follow(track, kNoPlace, TypeId(0), sums);
  take_motion(sums, look.mcs() - data_.last_mcs);
  data_.last_mcs = look.mcs();
  remember(look.mcs());
  return data_.motion;
}

void Tracks::follow(std::size_t track, const Vec3d& now, TypeId type, Sums& sums) {
  Vec3d &first = data_.first[track], &last = data_.last[track], &first_heading = data_.first_heading[track];
  double& path = data_.path[track];
  if (!is_known(now)) {
    first = last = first_heading = kNoPlace;
    path = 0;
    return;
  }
  if (!is_known(first)) first = now;
  const double distance = length_of(now - first);
  ++sums.alive;
  sums.displacement += distance;
  sums.square += distance * distance;
  if (is_known(last)) {
    const Vec3d step = now - last;
    const double length = length_of(step);
    ++sums.stepped;
    sums.step += length;
    ++sums.of_type[type].count;
    sums.of_type[type].length += length;
    path += length;
    if (length > 0) {
      const Vec3d heading = unit_vector(step);
      if (!is_known(first_heading)) first_heading = heading;
      ++sums.headed;
      sums.heading = sums.heading + heading;
      sums.cosine += dot(heading, first_heading);
    }
    if (path > 0) {
      ++sums.travelled;
      sums.straightness += distance / path;
    }
  }
  last = now;
}

void Tracks::take_motion(const Sums& sums, int64_t elapsed_mcs) {
  const double um = units_.voxel_um;
  const double minutes = double(elapsed_mcs) * units_.seconds_per_mcs / 60.0;
  Motion& motion = data_.motion;
  motion.tracks = sums.alive;
  motion.displacement_um = mean(sums.displacement * um, sums.alive);
  motion.msd_um2 = mean(sums.square * um * um, sums.alive);
  motion.speed_um_per_min = mean(sums.step * um / minutes, sums.stepped);
  motion.order_index = mean(length_of(sums.heading), sums.headed);
  motion.direction_autocorrelation = mean(sums.cosine, sums.headed);
  motion.straightness = mean(sums.straightness, sums.travelled);
  data_.speed_by_type.clear();
  for (const Sums::Steps& steps : sums.of_type)
    data_.speed_by_type.push_back(mean(steps.length * um / minutes, steps.count));
}

void Tracks::remember(int64_t mcs) {
  const bool kept = data_.samples++ % data_.keep_every == 0;
  if (!kept) return;
  std::vector<Vec3d> sample;
  for (std::size_t track = 0; track < data_.last.size(); track += std::size_t(data_.keep_track))
    sample.push_back(data_.last[track]);
  data_.mcs.push_back(mcs);
  data_.positions.push_back(std::move(sample));

  const auto tracks = [&] { return int64_t(data_.positions.back().size()); };
  while (tracks() * int64_t(data_.mcs.size()) > limits_.positions && tracks() > limits_.fewest) {
    for (auto& positions : data_.positions) {
      keep_every_second(positions);
      positions.shrink_to_fit();
    }
    data_.keep_track *= 2;
  }
  while (tracks() * int64_t(data_.mcs.size()) > limits_.positions && data_.mcs.size() > 2) {
    keep_every_second(data_.mcs);
    keep_every_second(data_.positions);
    data_.keep_every *= 2;
  }
}

int64_t Tracks::interval() const {
  std::map<int64_t, int64_t> frequency;
  for (std::size_t i = 1; i < data_.mcs.size(); ++i) ++frequency[data_.mcs[i] - data_.mcs[i - 1]];
  const auto best = std::max_element(frequency.begin(), frequency.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return best == frequency.end() ? 0 : best->first;
}

const std::vector<Vec3d>* Tracks::sample_at(int64_t mcs) const {
  const auto found = std::lower_bound(data_.mcs.begin(), data_.mcs.end(), mcs);
  return found == data_.mcs.end() || *found != mcs ? nullptr : &data_.positions[found - data_.mcs.begin()];
}

std::vector<Lag> Tracks::lags() const {
  std::vector<Lag> result;
  const int64_t step = interval();
  if (step == 0) return result;
  const int64_t longest = (data_.mcs.back() - data_.mcs.front()) / step;
  for (int64_t multiple = 1; multiple <= longest; multiple = next_lag(multiple)) {
    Lag lag;
    lag.seconds = double(multiple * step) * units_.seconds_per_mcs;
    add_msd(multiple * step, lag);
    add_autocorrelation(multiple * step, step, lag);
    if (lag.pairs > 0) result.push_back(lag);
  }
  return result;
}

void Tracks::add_msd(int64_t lag_mcs, Lag& lag) const {
  double sum = 0;
  for (std::size_t i = 0; i < data_.mcs.size(); ++i) {
    const std::vector<Vec3d>& from = data_.positions[i];
    const std::vector<Vec3d>* to = sample_at(data_.mcs[i] + lag_mcs);
    if (to == nullptr) continue;
    for (std::size_t track = 0; track < from.size(); ++track) {
      const Vec3d way = (*to)[track] - from[track];
      if (!is_known(way)) continue;
      sum += dot(way, way);
      ++lag.pairs;
    }
  }
  lag.msd_um2 = mean(sum * units_.voxel_um * units_.voxel_um, lag.pairs);
}

void Tracks::add_autocorrelation(int64_t lag_mcs, int64_t step_mcs, Lag& lag) const {
  double sum = 0;
  int64_t pairs = 0;
  for (std::size_t i = 0; i < data_.mcs.size(); ++i) {
    const std::vector<Vec3d>& from = data_.positions[i];
    const std::vector<Vec3d>* to = sample_at(data_.mcs[i] + step_mcs);
    const std::vector<Vec3d>* later_from = sample_at(data_.mcs[i] + lag_mcs);
    const std::vector<Vec3d>* later_to = sample_at(data_.mcs[i] + lag_mcs + step_mcs);
    if (to == nullptr || later_from == nullptr || later_to == nullptr) continue;
    for (std::size_t track = 0; track < from.size(); ++track) {
      const Vec3d a = (*to)[track] - from[track];
      const Vec3d b = (*later_to)[track] - (*later_from)[track];
      const double lengths = sqrt_of(dot(a, a) * dot(b, b));
      if (!(lengths > 0)) continue;  // NaN as well: the cell was not there
      sum += dot(a, b) / lengths;
      ++pairs;
    }
  }
  lag.direction_autocorrelation = mean(sum, pairs);
}

}  // namespace kiln
