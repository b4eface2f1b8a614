#include "measure/motility/mixing.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

#include "base/parallel.hpp"
#include "measure/motility/near_places.hpp"
#include "measure/places.hpp"
#include "measure/rows.hpp"

namespace kiln {
namespace {

// Keys are halves, so two sites of different halves have keys that add up to 3 (1 + 2) and no others do.
void mark_pair(const PaddedRow& row, const PaddedRow& other, int32_t x, int32_t shift,
               std::vector<uint8_t>& touches) {
  if (row.key[x] + other.key[x + shift] != 3) return;
  touches[row.id[x]] = touches[other.id[x + shift]] = 1;
}

// kNoPlace for the cells of the other half and of none.
std::vector<Vec3d> places_of_half(Half half, std::span<const Vec3d> places, std::span<const Half> halves,
                                  int threads) {
  std::vector<Vec3d> result(std::min(places.size(), halves.size()), kNoPlace);
  in_parallel(int64_t(result.size()), threads, [&](int, int64_t begin, int64_t end) {
    for (auto cell = std::size_t(begin); cell < std::size_t(end); ++cell)
      if (halves[cell] == half) result[cell] = places[cell];
  });
  return result;
}

}  // namespace

std::vector<Half> halves_along(const Lattice& lattice, int axis, std::span<const Vec3d> places) {
  const double length = lattice.size[axis];
  std::vector<Half> halves(places.size(), Half::none);
  for (std::size_t cell = 0; cell < places.size(); ++cell) {
    if (!is_known(places[cell])) continue;
    double at =
        places[cell][axis] + 0.5;  // a site's place is its middle; the lattice begins before the first
    if (lattice.periodic[axis]) at -= std::floor(at / length) * length;
    halves[cell] = 2 * at < length ? Half::lower : Half::upper;
  }
  return halves;
}

std::vector<uint8_t> touches_other_half(const Look& look, std::span<const Half> halves, int threads) {
  if (LatticeSurvey* const survey = look.survey())
    return survey->touching({reinterpret_cast<const uint8_t*>(halves.data()), halves.size()});
  const State& state = look.state();
  const auto key_of = [&](CellId id) { return id < halves.size() ? uint32_t(halves[id]) : 0; };
  std::vector<uint8_t> touches(state.cells.count());
  std::mutex merging;
  in_parallel(row_count(state.lattice), threads, [&](int, int64_t begin, int64_t end) {
    std::vector<uint8_t> own(touches.size());
    RowWalk walk(state, key_of);
    walk.run(begin, end, [&](const PaddedRow& row, std::span<const PaddedRow> following) {
      for (int32_t x = 0; x < state.lattice.size.x; ++x) {
        if (row.key[x] == 0) continue;
        mark_pair(row, row, x, 1, own);
        for (const PaddedRow& other : following)
          for (int shift = -1; shift <= 1; ++shift) mark_pair(row, other, x, shift, own);
      }
    });
    const std::scoped_lock lock(merging);
    for (std::size_t cell = 0; cell < own.size(); ++cell) touches[cell] |= own[cell];
  });
  return touches;
}

double mixed_fraction(const Look& look, std::span<const Half> halves, int threads) {
  const std::vector<uint8_t> touches = touches_other_half(look, halves, threads);
  std::atomic<int64_t> cells = 0, mixed = 0;
  const auto count = int64_t(std::min(halves.size(), touches.size()));
  in_parallel(count, threads, [&](int, int64_t begin, int64_t end) {
    int64_t own_cells = 0, own_mixed = 0;
    for (auto cell = std::size_t(begin); cell < std::size_t(end); ++cell) {
      if (halves[cell] != Half::lower || look.cells().extent[cell].volume <= 0) continue;
      ++own_cells;
      own_mixed += touches[cell];
    }
    cells += own_cells;
    mixed += own_mixed;
  });
  return cells > 0 ? double(mixed) / double(cells) : kUndefined;
}

std::vector<double> mixed_within(const Lattice& lattice, std::span<const double> distances,
                                 std::span<const Vec3d> places, std::span<const Half> halves, int threads) {
  if (distances.empty()) return {};
  const double farthest = *std::max_element(distances.begin(), distances.end());
  const NearPlaces upper(lattice, farthest, places_of_half(Half::upper, places, halves, threads), threads);
  // Those of a bucket look into the same buckets, one after the other.
  const NearPlaces lower(lattice, farthest, places_of_half(Half::lower, places, halves, threads), threads);
  std::vector<int64_t> mixed(distances.size());
  const auto cells = int64_t(lower.entries().size());
  std::mutex adding;
  in_parallel(cells, threads, [&](int, int64_t begin, int64_t end) {
    std::vector<int64_t> own(distances.size());
    for (auto cell = std::size_t(begin); cell < std::size_t(end); ++cell) {
      double nearest = std::numeric_limits<double>::infinity();
      upper.for_each(lower.entries()[cell].place,
                     [&](std::size_t, double square) { nearest = std::min(nearest, square); });
      for (std::size_t i = 0; i < own.size(); ++i)
        if (nearest <= distances[i] * distances[i]) ++own[i];
    }
    const std::scoped_lock lock(adding);
    for (std::size_t i = 0; i < own.size(); ++i) mixed[i] += own[i];
  });
  std::vector<double> shares;
  for (const int64_t count : mixed) shares.push_back(cells > 0 ? double(count) / double(cells) : kUndefined);
  return shares;
}

}  // namespace kiln
