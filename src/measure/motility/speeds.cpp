#include "measure/motility/speeds.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "base/parallel.hpp"
#include "core/math.hpp"

namespace kiln {
namespace {

constexpr double kPartsPerUnit = 1024;     // of a µm/min
constexpr double kMostParts = 1073741824;  // so that the sum of 2^34 cubes fits

}  // namespace

void SpeedSums::add(double speed_um_per_min, bool is_arrested) {
  ++intervals;
  arrested += is_arrested ? 1 : 0;
  ++counts[std::size_t(std::min(speed_um_per_min, double(kSpeedBins)))];
  const WideSum parts = std::llround(std::min(speed_um_per_min * kPartsPerUnit, kMostParts));
  powers[0] += parts;
  powers[1] += parts * parts;
  powers[2] += parts * parts * parts;
}

void SpeedSums::add(const SpeedSums& other) {
  intervals += other.intervals;
  arrested += other.arrested;
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
  for (std::size_t i = 0; i < powers.size(); ++i) powers[i] += other.powers[i];
}

// About the whole number next to the mean, where the sums are still exact; only the rest is rounded.
SpeedMoments moments_of(const SpeedSums& sums) {
  SpeedMoments result;
  const WideSum n = sums.intervals;
  if (n == 0) return result;
  const auto& [s1, s2, s3] = sums.powers;
  const WideSum centre = s1 / n;
  const double count = double(n);
  const double rest = double(s1 - n * centre) / count;
  const double about2 = double(s2 - 2 * centre * s1 + n * centre * centre) / count;
  const double about3 =
      double(s3 - 3 * centre * s2 + 3 * centre * centre * s1 - n * centre * centre * centre) / count;
  const double m2 = about2 - rest * rest;
  const double m3 = about3 - 3 * rest * about2 + 2 * rest * rest * rest;
  result.mean = (double(centre) + rest) / kPartsPerUnit;
  if (n > 1) result.sd = sqrt_of(std::max(m2, 0.0) * count / (count - 1)) / kPartsPerUnit;
  if (n > 1 && m2 > 0) result.skewness = m3 / (m2 * sqrt_of(m2));
  return result;
}

Share wilson_share(int64_t part, int64_t whole) {
  if (whole <= 0) return {};
  constexpr double z = 1.959963984540054;  // the normal distribution's 97.5% point
  const double n = double(whole), p = double(part) / n, scale = 1 + z * z / n;
  const double middle = (p + z * z / (2 * n)) / scale;
  const double half = z * sqrt_of(p * (1 - p) / n + z * z / (4 * n * n)) / scale;
  return {p, part == 0 ? 0 : middle - half, part == whole ? 1 : middle + half};
}

Speeds::Speeds(SpeedSettings settings, SpeedData data) : settings_(settings), data_(std::move(data)) {}

bool Speeds::is_due(int64_t mcs, int phase) const {
  return settings_.interval_mcs > 0 && (phase != data_.phase || ends_interval(mcs));
}

bool Speeds::ends_interval(int64_t mcs) const {
  return data_.phase >= 0 && mcs - data_.last_mcs == settings_.interval_mcs;
}

int64_t Speeds::next_end(int64_t mcs) const {
  if (settings_.interval_mcs <= 0 || data_.phase < 0) return -1;
  const int64_t interval = settings_.interval_mcs;
  return data_.start_mcs + ((mcs - data_.start_mcs) / interval + 1) * interval;
}

void Speeds::add(int64_t mcs, std::vector<Vec3d>&& places, int phase, int threads) {
  if (!is_due(mcs, phase)) return;
  if (ends_interval(mcs)) count_steps(places, threads);
  if (phase != data_.phase) {
    if (data_.phase >= 0) data_.phases.back().arrest_by_cell = mean_arrest_of_cells();
    data_.phase = phase;
    data_.start_mcs = mcs;
    data_.intervals.clear();
    data_.arrested.clear();
    if (phase >= 0) data_.phases.emplace_back().phase = phase;
  }
  data_.intervals.resize(places.size());
  data_.arrested.resize(places.size());
  data_.last.swap(places);
  data_.last_mcs = mcs;
}

void Speeds::count_steps(std::span<const Vec3d> places, int threads) {
  const double minutes = double(settings_.interval_mcs) * settings_.seconds_per_mcs / 60;
  const std::size_t cells = std::min(places.size(), data_.last.size());
  std::mutex adding;
  in_parallel(int64_t(cells), threads, [&](int, int64_t begin, int64_t end) {
    SpeedSums own;
    for (auto cell = std::size_t(begin); cell < std::size_t(end); ++cell) {
      const Vec3d step = places[cell] - data_.last[cell];
      if (!is_known(step)) continue;
      const double speed = sqrt_of(dot(step, step)) * settings_.voxel_um / minutes;
      const bool is_arrested = speed < settings_.arrest_below_um_per_min;
      own.add(speed, is_arrested);
      ++data_.intervals[cell];
      data_.arrested[cell] += is_arrested ? 1 : 0;
    }
    const std::scoped_lock lock(adding);
    data_.phases.back().add(own);
  });
}

double Speeds::mean_arrest_of_cells() const {
  double sum = 0;
  int64_t cells = 0;
  for (std::size_t cell = 0; cell < data_.intervals.size(); ++cell)
    if (data_.intervals[cell] > 0) {
      sum += double(data_.arrested[cell]) / double(data_.intervals[cell]);
      ++cells;
    }
  return cells > 0 ? sum / double(cells) : kUndefined;
}

std::vector<SpeedSums> Speeds::sums() const {
  std::vector<SpeedSums> result = data_.phases;
  for (SpeedSums& of_phase : result) of_phase.interval_mcs = settings_.interval_mcs;
  if (data_.phase >= 0 && !result.empty()) result.back().arrest_by_cell = mean_arrest_of_cells();
  return result;
}

}  // namespace kiln
