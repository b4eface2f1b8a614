#include "engine/substances/row_worker.hpp"

#include <algorithm>

#include "base/processor.hpp"

namespace kiln::substances {
namespace {

constexpr int kLanes = 32;

template <int Dim>
KILN_ALL_LEVELS void exchange_in_the_open(double* change, const double* line, const double* ym,
                                          const double* yp, const double* zm, const double* zp,
                                          double exchange, double decay, int32_t count) {
  for (int32_t x = 0; x < count; ++x) {
    const double c = line[x];
    const double sum = differences<Dim>(c, line[x - 1], line[x + 1], ym[x], yp[x], zm[x], zp[x]);
    change[x] = exchange * sum - decay * c;
  }
}

KILN_ALL_LEVELS void secrete(double* change, const double* secretion, int32_t count) {
  for (int32_t x = 0; x < count; ++x) change[x] = change[x] + secretion[x];
}

KILN_ALL_LEVELS void take_up(double* change, double* taken, const double* line, const double* share,
                             double rate, double at_most, int32_t count) {
  for (int32_t x = 0; x < count; ++x) {
    const double amount = taken_up(line[x], share[x], rate, at_most);
    change[x] = change[x] - amount;
    taken[x] = taken[x] + amount;
  }
}

KILN_ALL_LEVELS void next_row(double* to, const double* line, const double* change, Stage stage,
                              int32_t count) {
  if (stage.has_older)
    for (int32_t x = 0; x < count; ++x) to[x] = stage.next(line[x], change[x], to[x]);
  else
    for (int32_t x = 0; x < count; ++x) to[x] = stage.next(line[x], change[x], 0.0);
}

}  // namespace

KILN_ALL_LEVELS double sum_of(const double* values, int64_t count) {
  double lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = lanes[lane] + values[i + lane];
  for (int lane = 0; i + lane < count; ++lane) lanes[lane] = lanes[lane] + values[i + lane];
  for (int half = kLanes / 2; half > 0; half /= 2)
    for (int lane = 0; lane < half; ++lane) lanes[lane] = lanes[lane] + lanes[lane + half];
  return lanes[0];
}

RowWorker::RowWorker(const Equation& equation, const Sources& sources)
    : equation_(equation),
      sources_(sources),
      length_(equation.voxels.size.x),
      padded_(std::size_t(length_) + 2),
      ghosts_(4 * std::size_t(length_)),
      change_(std::size_t(length_)),
      taken_(std::size_t(length_), 0.0),
      supplied_(std::size_t(length_), 0.0),
      weighted_(std::size_t(length_)),
      line_(padded_.data() + 1) {}

void RowWorker::play(const Stage& stage, const std::vector<double>& now, std::vector<double>& before,
                     int32_t y, int32_t z) {
  place_ = {0, y, z};
  first_ = std::size_t(equation_.voxels.index(place_));
  const double* const own = now.data() + first_;
  std::copy_n(own, length_, line_);
  const bool wraps = equation_.voxels.periodic.x;
  line_[-1] = wraps ? own[length_ - 1] : equation_.ghost(0, false).beside(own[0]);
  line_[length_] = wraps ? own[0] : equation_.ghost(0, true).beside(own[length_ - 1]);
  if (equation_.voxels.dimension == 3)
    change_by_exchange<3>(now);
  else
    change_by_exchange<2>(now);
  change_by_sources();
  change_by_fluxes();
  for (int32_t x = 0; equation_.has_obstacles() && x < length_; ++x)
    if (open_part(x) == 0) change_[std::size_t(x)] = 0.0;
  hold();
  next_row(before.data() + first_, line_, change_.data(), stage, length_);
}

// The next row along y or z, or one beyond a wall.
const double* RowWorker::row_beside(const std::vector<double>& now, int axis, bool high) {
  Vec3i next = place_;
  next[axis] += high ? 1 : -1;
  if (equation_.voxels.wrap(next)) return now.data() + equation_.voxels.index(next);
  if (equation_.side(axis, high) != Side::Kind::value) return line_;
  double* const ghosts = ghosts_.data() + std::size_t(2 * (axis - 1) + high) * std::size_t(length_);
  const Ghost ghost = equation_.ghost(axis, high);
  for (int32_t x = 0; x < length_; ++x) ghosts[x] = ghost.beside(line_[x]);
  return ghosts;
}

// The open part of a face of a voxel. Faces above are those below of the next voxel; at a wall with a
// concentration the whole open part of the voxel is.
double RowWorker::face(int axis, bool high, int32_t x) const {
  Vec3i voxel = place_;
  voxel.x = x;
  const bool inside = high ? (voxel[axis] += 1, equation_.voxels.wrap(voxel))
                           : equation_.voxels.periodic[axis] || voxel[axis] > 0;
  if (inside) return equation_.open.low[std::size_t(axis)][std::size_t(equation_.voxels.index(voxel))];
  return equation_.side(axis, high) == Side::Kind::value ? open_part(x) : 0.0;
}

template <int Dim>
void RowWorker::change_by_exchange(const std::vector<double>& now) {
  const double* beside[3][2] = {{line_ - 1, line_ + 1}, {line_, line_}, {line_, line_}};
  for (int axis = 1; axis < Dim; ++axis)
    for (const bool high : {false, true}) beside[axis][high] = row_beside(now, axis, high);
  const double exchange = equation_.exchange, decay = equation_.properties.decay;
  if (!equation_.has_obstacles())
    return exchange_in_the_open<Dim>(change_.data(), line_, beside[1][0], beside[1][1], beside[2][0],
                                     beside[2][1], exchange, decay, length_);
  for (int32_t x = 0; x < length_; ++x) {
    const double c = line_[x], part = open_part(x);
    double sum = 0;
    for (int axis = 0; axis < Dim; ++axis)
      sum = sum + open_differences(c, beside[axis][0][x], beside[axis][1][x], face(axis, false, x),
                                   face(axis, true, x));
    change_[std::size_t(x)] = part > 0 ? exchange * sum / part - decay * c : 0.0;
  }
}

void RowWorker::change_by_sources() {
  if (!sources_.secretion.empty()) secrete(change_.data(), sources_.secretion.data() + first_, length_);
  if (!sources_.uptake.empty()) std::fill(taken_.begin(), taken_.end(), 0.0);
  for (const Uptake& uptake : sources_.uptake)
    take_up(change_.data(), taken_.data(), line_, uptake.share.data() + first_, uptake.rate, uptake.at_most,
            length_);
}

void RowWorker::change_by_fluxes() {
  for (int axis = 0; axis < equation_.voxels.dimension; ++axis)
    for (const bool high : {false, true}) {
      if (equation_.voxels.periodic[axis] || equation_.side(axis, high) != Side::Kind::flux) continue;
      const double inflow = equation_.inflow[std::size_t(2 * axis + high)];
      const int32_t last = high ? equation_.voxels.size[axis] - 1 : 0;
      if (axis == 0) change_[std::size_t(last)] = change_[std::size_t(last)] + inflow;
      if (axis > 0 && place_[axis] == last)
        for (double& change : change_) change = change + inflow;
    }
}

void RowWorker::hold() {
  if (sources_.held.empty()) return;
  for (std::size_t x = 0; x < change_.size(); ++x) {
    const bool held = sources_.held[first_ + x] != 0;
    supplied_[x] = held ? -change_[x] : 0.0;
    if (held) change_[x] = 0.0;
  }
}

// Into a voxel, per second.
double RowWorker::through_walls(int32_t x) const {
  const Vec3i voxel = place_ + Vec3i{x, 0, 0};
  double sum = 0;
  for (int axis = 0; axis < equation_.voxels.dimension; ++axis)
    for (const bool high : {false, true}) {
      const Side::Kind kind = equation_.side(axis, high);
      if (equation_.voxels.periodic[axis] || voxel[axis] != (high ? equation_.voxels.size[axis] - 1 : 0))
        continue;
      if (kind == Side::Kind::flux) sum = sum + equation_.inflow[std::size_t(2 * axis + high)];
      if (kind == Side::Kind::value)
        sum = sum + equation_.exchange * (equation_.ghost(axis, high).beside(line_[x]) - line_[x]);
    }
  return sum;
}

double RowWorker::weighted_sum(const double* values) {
  if (!equation_.has_obstacles()) return sum_of(values, length_);
  for (int32_t x = 0; x < length_; ++x) weighted_[std::size_t(x)] = values[x] * open_part(x);
  return sum_of(weighted_.data(), length_);
}

// Most rows touch walls at their ends alone.
double RowWorker::sum_through_walls() {
  bool along = false;
  for (int axis = 1; axis < equation_.voxels.dimension; ++axis)
    for (const bool high : {false, true})
      along = along || place_[axis] == (high ? equation_.voxels.size[axis] - 1 : 0);
  if (!along && length_ > 1)
    return through_walls(0) * open_part(0) + through_walls(length_ - 1) * open_part(length_ - 1);
  for (int32_t x = 0; x < length_; ++x) weighted_[std::size_t(x)] = through_walls(x) * open_part(x);
  return sum_of(weighted_.data(), length_);
}

RowSums RowWorker::sums() {
  return {weighted_sum(line_), sources_.uptake.empty() ? 0.0 : weighted_sum(taken_.data()),
          sum_through_walls(), sources_.held.empty() ? 0.0 : weighted_sum(supplied_.data())};
}

}  // namespace kiln::substances
