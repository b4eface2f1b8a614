#include "measure/motility/mixing.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "engine/host/survey/counts.hpp"
#include "measure/motility/near_places.hpp"
#include "measure/places.hpp"

namespace kiln {
namespace {

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

std::vector<uint8_t> touches_other_half(const Look& look, std::span<const Half> known, int threads) {
  std::vector<Half> halves(known.begin(), known.end());  // cells that were born later are of neither
  halves.resize(std::max<std::size_t>(halves.size(), look.cell_count()), Half::none);
  if (LatticeSurvey* const survey = look.survey())
    return survey->touching({reinterpret_cast<const uint8_t*>(halves.data()), halves.size()});
  return find_touching(look.state(), whole_box(look.lattice()),
                       {reinterpret_cast<const uint8_t*>(halves.data()), halves.size()}, threads);
}

double mixed_fraction(const Look& look, std::span<const Half> halves, int threads) {
  const std::vector<uint8_t> touches = touches_other_half(look, halves, threads);
  std::atomic<int64_t> cells = 0, mixed = 0;
  const std::size_t known = std::min(halves.size(), touches.size());
  look.each_slice([&](const CellSlice& slice) {
    in_parallel(slice.cells.count(), threads, [&](int, int64_t begin, int64_t end) {
      int64_t own_cells = 0, own_mixed = 0;
      for (auto row = CellId(begin); row < CellId(end); ++row) {
        const std::size_t cell = slice.id(row);
        const bool is_there = row != kMedium && slice.cells.extent[row].volume > 0;
        if (!is_there || cell >= known || halves[cell] != Half::lower) continue;
        ++own_cells;
        own_mixed += touches[cell];
      }
      cells += own_cells;
      mixed += own_mixed;
    });
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
