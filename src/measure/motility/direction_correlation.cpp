#include "measure/motility/direction_correlation.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>

#include "base/parallel.hpp"
#include "core/math.hpp"
#include "measure/cell_table.hpp"
#include "measure/motility/near_places.hpp"

namespace kiln {
namespace {

constexpr double kParts = 1 << 30;  // of a unit: sums of integers do not depend on their order

int64_t parts_of(double value) { return std::llround(value * kParts); }

// The places in `to` of the cells that have moved; kNoPlace for the others.
std::vector<Vec3d> places_of_movers(std::span<const Vec3d> from, std::span<const Vec3d> to, int threads) {
  std::vector<Vec3d> places(std::min(from.size(), to.size()), kNoPlace);
  in_parallel(int64_t(places.size()), threads, [&](int, int64_t begin, int64_t end) {
    for (auto cell = std::size_t(begin); cell < std::size_t(end); ++cell) {
      const Vec3d step = to[cell] - from[cell];
      if (is_known(step) && dot(step, step) > 0) places[cell] = to[cell];
    }
  });
  return places;
}

// Per bin.
struct DirectionSums {
  struct Bin {
    int64_t pairs = 0, cosine = 0;            // of pairs at this distance
    int64_t within = 0, order = 0, null = 0;  // over cells, with those closer than the bin's end
  };
  std::vector<Bin> bins;
  int64_t cells = 0;

  explicit DirectionSums(std::size_t count) : bins(count) {}
  void add(const DirectionSums& other) {
    cells += other.cells;
    for (std::size_t i = 0; i < bins.size(); ++i) {
      bins[i].pairs += other.bins[i].pairs;
      bins[i].cosine += other.bins[i].cosine;
      bins[i].within += other.bins[i].within;
      bins[i].order += other.bins[i].order;
      bins[i].null += other.bins[i].null;
    }
  }
};

// What is around one cell, by bins; the cell itself is in the first.
struct Surroundings {
  std::vector<int64_t> cells;
  std::vector<Vec3d> directions;  // their sums

  explicit Surroundings(std::size_t bins) : cells(bins), directions(bins) {}
  void clear() {
    std::fill(cells.begin(), cells.end(), 0);
    std::fill(directions.begin(), directions.end(), Vec3d{});
  }
};

class DirectionSearch {
 public:
  DirectionSearch(const Lattice& lattice, std::span<const Vec3d> from, std::span<const Vec3d> to,
                  const CorrelationSettings& settings)
      : settings_(settings),
        dimension_(lattice.dimension),
        bins_(std::size_t(std::ceil(settings.distance / settings.bin))),
        near_(lattice, settings.distance, places_of_movers(from, to, settings.threads), settings.threads),
        directions_(near_.entries().size()) {
    in_parallel(int64_t(directions_.size()), settings.threads, [&](int, int64_t begin, int64_t end) {
      for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
        const CellId cell = near_.entries()[i].number;
        directions_[i] = unit_vector(to[cell] - from[cell]);
      }
    });
  }

  DirectionSums sums() const {
    DirectionSums total(bins_);
    std::mutex adding;
    in_parallel(int64_t(directions_.size()), settings_.threads, [&](int, int64_t begin, int64_t end) {
      DirectionSums own(bins_);
      Surroundings around(bins_);
      for (auto i = std::size_t(begin); i < std::size_t(end); ++i)
        if (is_sampled(near_.entries()[i].number, settings_.stride)) add(i, around, own);
      const std::scoped_lock lock(adding);
      total.add(own);
    });
    return total;
  }

 private:
  void add(std::size_t origin, Surroundings& around, DirectionSums& own) const {
    const CellId cell = near_.entries()[origin].number;
    const Vec3d direction = directions_[origin];
    around.clear();
    near_.for_each(near_.entries()[origin].place, [&](std::size_t i, double square) {
      if (square >= settings_.distance * settings_.distance) return;
      const std::size_t bin = std::min(bins_ - 1, std::size_t(sqrt_of(square) / settings_.bin));
      ++around.cells[bin];
      around.directions[bin] = around.directions[bin] + directions_[i];
      const CellId other = near_.entries()[i].number;
      // Of a pair of two origins only one looks at the other.
      if (other == cell || (other < cell && is_sampled(other, settings_.stride))) return;
      ++own.bins[bin].pairs;
      own.bins[bin].cosine += parts_of(dot(direction, directions_[i]));
    });
    ++own.cells;
    int64_t within = 0;
    Vec3d sum;
    for (std::size_t bin = 0; bin < bins_; ++bin) {
      within += around.cells[bin];
      sum = sum + around.directions[bin];
      own.bins[bin].within += within;
      own.bins[bin].order += parts_of(sqrt_of(dot(sum, sum)) / double(within));
      own.bins[bin].null += parts_of(independent_order(within, dimension_));
    }
  }

  CorrelationSettings settings_;
  int dimension_;
  std::size_t bins_;
  NearPlaces near_;
  std::vector<Vec3d> directions_;  // of its entries
};

// Projected on an axis, a direction in 3-D is uniform in [-1, 1], and the mean length of a sum of n of them
// twice the mean of |S|, S the sum of n such numbers: Irwin and Hall's distribution.
double independent_order_3d(int n) {
  double sum = 0, binomial = 1;  // n over k
  for (int k = 0; 2 * k <= n; ++k) {
    double term = k % 2 == 0 ? binomial : -binomial;
    for (int i = 1; i <= n + 1; ++i) term *= (n / 2.0 - k) / i;  // to the power of n + 1, over (n + 1)!
    sum += term;
    binomial *= double(n - k) / (k + 1);
  }
  return 8 * sum / n;
}

}  // namespace

double independent_order(int64_t n, int dimension) {
  constexpr double pi = std::numbers::pi;
  if (n == 1) return 1;
  if (dimension == 2) return n == 2 ? 2 / pi : sqrt_of(pi / (4 * double(n))) * (1 + 1 / (16 * double(n)));
  if (n <= 12) return independent_order_3d(int(n));
  return sqrt_of(8 / (3 * pi * double(n))) * (1 + 1 / (20 * double(n)));
}

std::vector<CorrelationBin> direction_correlation(const Lattice& lattice, std::span<const Vec3d> from,
                                                  std::span<const Vec3d> to,
                                                  const CorrelationSettings& settings) {
  const DirectionSums sums = DirectionSearch(lattice, from, to, settings).sums();
  std::vector<CorrelationBin> result;
  for (std::size_t bin = 0; bin < sums.bins.size(); ++bin) {
    const DirectionSums::Bin& found = sums.bins[bin];
    CorrelationBin row{double(bin) * settings.bin,
                       std::min(double(bin + 1) * settings.bin, settings.distance), found.pairs};
    if (row.pairs > 0) row.correlation = double(found.cosine) / kParts / double(row.pairs);
    if (const auto cells = double(sums.cells); cells > 0) {
      row.cells_within = double(found.within) / cells;
      row.order_index = double(found.order) / kParts / cells;
      row.order_null = double(found.null) / kParts / cells;
    }
    result.push_back(row);
  }
  return result;
}

}  // namespace kiln
