#include "model/initial/nearest.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/parallel.hpp"

namespace kiln {
namespace {

constexpr int64_t kFar = std::numeric_limits<int64_t>::max();
constexpr CellId kNoId = kMedium;  // sites are looked at, not given

int64_t square(int64_t v) { return v * v; }

int64_t floor_divided(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0); }

}  // namespace

FinePoint fine_point(const Vec3i& place, int dimension) {
  const auto middle = [](int32_t at) { return at * kFine + kFine / 2; };
  return {middle(place.x), middle(place.y), dimension == 3 ? middle(place.z) : kFine / 2};
}

// The free sites of one block of the lattice, row by row, and what is found for them.
struct NearestPoints::Block {
  struct Row {
    int32_t y, z;
    Span span;
  };
  std::vector<Row> band;  // the region's part of all rows that a row of blocks along x covers
  std::vector<Row> rows;
  std::vector<Candidate> candidates;
  std::vector<int64_t> distance;  // squared, of the sites of a row
  std::vector<uint32_t> winner;   // among the candidates
  std::vector<int64_t> sites;     // by candidate
  std::vector<FinePoint> sums;
};

NearestPoints::NearestPoints(StepBuilder& builder, std::vector<FinePoint> points)
    : builder_(builder), size_(builder.lattice().size), points_(std::move(points)) {
  // Bins of one point each, were the points everywhere; small ones cost more to visit than they save.
  constexpr int32_t kLeast = 4, kMost = 64;
  const SiteBox box = bounding_box(builder.step().region, builder.lattice());
  const double share = double(box.sites()) / double(std::max<std::size_t>(1, points_.size()));
  const bool is_flat = builder.lattice().dimension == 2;
  int32_t length = kLeast;
  while (length < kMost && double(length) * length * (is_flat ? 1 : length) < share) ++length;
  least_edge_ = kFar;
  for (int axis = 0; axis < 3; ++axis) {
    bins_[axis] = std::max(1, size_[axis] / length);
    if (bins_[axis] > 1) least_edge_ = std::min<int64_t>(least_edge_, size_[axis] / bins_[axis]);
  }
  for (FinePoint& point : points_)
    for (int axis = 0; axis < 3; ++axis)
      if (const int64_t period = size_[axis] * kFine; builder.lattice().periodic[axis])
        point[axis] -= floor_divided(point[axis], period) * period;
  sort_into_bins();
}

// Points beyond a closed wall are in the bin at the wall.
int32_t NearestPoints::bin_at(int axis, int64_t coordinate) const {
  const int64_t site = std::clamp<int64_t>(floor_divided(coordinate, kFine), 0, size_[axis] - 1);
  int32_t bin = int32_t(site * bins_[axis] / size_[axis]);
  while (bin + 1 < bins_[axis] && edge(axis, bin + 1) <= site) ++bin;
  while (bin > 0 && edge(axis, bin) > site) --bin;
  return bin;
}

std::size_t NearestPoints::bin_index(const Vec3i& bin) const {
  return (std::size_t(bin.z) * std::size_t(bins_.y) + std::size_t(bin.y)) * std::size_t(bins_.x) +
         std::size_t(bin.x);
}

std::size_t NearestPoints::bin_of(const FinePoint& point) const {
  return bin_index({bin_at(0, point.x), bin_at(1, point.y), bin_at(2, point.z)});
}

void NearestPoints::sort_into_bins() {
  bin_starts_.assign(std::size_t(bins_.x) * std::size_t(bins_.y) * std::size_t(bins_.z) + 1, 0);
  for (const FinePoint& point : points_) ++bin_starts_[bin_of(point) + 1];
  for (std::size_t bin = 1; bin < bin_starts_.size(); ++bin) bin_starts_[bin] += bin_starts_[bin - 1];
  binned_.resize(points_.size());
  std::vector<uint32_t> next(bin_starts_.begin(), bin_starts_.end() - 1);
  for (uint32_t point = 0; point < points_.size(); ++point) binned_[next[bin_of(points_[point])]++] = point;
}

template <class Visit>
void NearestPoints::visit_shell(const Vec3i& bin, int32_t ring, const Visit& visit) const {
  const Vec3<bool>& periodic = builder_.lattice().periodic;
  Vec3i first, last;
  for (int axis = 0; axis < 3; ++axis) {
    const int32_t rings = std::min(ring, bins_[axis]);
    first[axis] = periodic[axis] ? -rings : std::max(-rings, -bin[axis]);
    last[axis] = periodic[axis] ? rings : std::min(rings, bins_[axis] - 1 - bin[axis]);
  }
  for (int32_t z = first.z; z <= last.z; ++z)
    for (int32_t y = first.y; y <= last.y; ++y) {
      const bool on_shell = std::abs(y) == ring || std::abs(z) == ring;
      for (int32_t x = first.x; x <= last.x; ++x) {
        if (!on_shell && std::abs(x) != ring) {
          x = std::max(x, std::min(ring, last.x + 1) - 1);  // the other end of the shell
          continue;
        }
        const Vec3i other = bin + Vec3i{x, y, z};
        Vec3i inside;
        FinePoint shift;
        for (int axis = 0; axis < 3; ++axis) {
          const int64_t boxes = floor_divided(other[axis], bins_[axis]);
          inside[axis] = int32_t(other[axis] - boxes * bins_[axis]);
          shift[axis] = boxes * size_[axis] * kFine;
        }
        const std::size_t at = bin_index(inside);
        for (uint32_t i = bin_starts_[at]; i < bin_starts_[at + 1]; ++i)
          visit(binned_[i], points_[binned_[i]] + shift);
      }
    }
}

void NearestPoints::find_candidates(const Vec3i& bin, std::vector<Candidate>& found) const {
  FinePoint low, high;  // middles of the first and last sites
  for (int axis = 0; axis < 3; ++axis) {
    low[axis] = edge(axis, bin[axis]) * kFine + kFine / 2;
    high[axis] = edge(axis, bin[axis] + 1) * kFine - kFine / 2;
  }
  std::vector<int64_t> nearest;  // squared distance of a candidate to the nearest place of the block
  int64_t reach = kFar;          // some candidate is at most so far from every site, squared
  const auto add = [&](uint32_t point, const FinePoint& at) {
    int64_t near = 0, far = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const int64_t below = low[axis] - at[axis], above = at[axis] - high[axis];
      near += square(std::max<int64_t>({below, above, 0}));
      far += square(std::max(at[axis] - low[axis], high[axis] - at[axis]));
    }
    if (near > reach) return;
    reach = std::min(reach, far);
    found.push_back({point, at});
    nearest.push_back(near);
  };
  found.clear();
  const int32_t most_rings = std::max({bins_.x, bins_.y, bins_.z});
  for (int32_t ring = 0; ring <= most_rings; ++ring) {
    // What was not looked at yet is at least this far away.
    const int64_t seen = least_edge_ == kFar ? 0 : std::max(0, ring - 1) * least_edge_ * kFine;
    if (square(seen) > reach) break;
    visit_shell(bin, ring, add);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (nearest[i] <= reach) found[kept++] = found[i];
  found.resize(kept);
  std::sort(found.begin(), found.end(),
            [](const Candidate& a, const Candidate& b) { return a.point < b.point; });
}

void NearestPoints::visit_block(const Vec3i& bin, CellId first, Block& block, Totals& totals) {
  const Lattice& lattice = builder_.lattice();
  const Span xs{edge(0, bin.x), edge(0, bin.x + 1)};
  block.rows.clear();
  for (const Block::Row& row : block.band) {
    Span span = row.span.within(xs);
    if (span.length() == 0) continue;
    const auto is_free = [&](int32_t x) { return builder_.is_free({x, row.y, row.z}); };
    while (span.begin < span.end && !is_free(span.begin)) ++span.begin;
    while (span.end > span.begin && !is_free(span.end - 1)) --span.end;
    if (span.length() > 0) block.rows.push_back({row.y, row.z, span});
  }
  if (block.rows.empty()) return;
  find_candidates(bin, block.candidates);
  const std::size_t count = block.candidates.size();
  const bool with_sums = !totals.sums.empty();
  block.sites.assign(count, 0);
  block.sums.assign(with_sums ? count : 0, FinePoint{});
  block.distance.resize(std::size_t(xs.length()));
  block.winner.resize(std::size_t(xs.length()));
  for (const Block::Row& row : block.rows) {
    const std::size_t length = std::size_t(row.span.length());
    std::fill_n(block.distance.begin(), length, kFar);
    const FinePoint start = fine_point({row.span.begin, row.y, row.z}, lattice.dimension);
    for (uint32_t c = 0; c < count; ++c) {
      const FinePoint off = start - block.candidates[c].at;
      const int64_t across = square(off.y) + square(off.z);
      for (std::size_t i = 0; i < length; ++i) {
        const int64_t d = across + square(off.x + int64_t(i) * kFine);
        const bool nearer = d < block.distance[i];
        block.distance[i] = nearer ? d : block.distance[i];
        block.winner[i] = nearer ? c : block.winner[i];
      }
    }
    for (std::size_t i = 0; i < length; ++i) {
      const Vec3i place{row.span.begin + int32_t(i), row.y, row.z};
      if (!builder_.is_free(place)) continue;
      const uint32_t c = block.winner[i];
      if (first != kNoId) builder_.give(place, first + block.candidates[c].point);
      ++block.sites[c];
      if (with_sums)
        block.sums[c] =
            block.sums[c] + (start + FinePoint{int64_t(i) * kFine, 0, 0} - block.candidates[c].at);
    }
  }
  // Integers, so the order in which blocks add does not matter.
  const auto add = [](int64_t& to, int64_t v) {
    std::atomic_ref<int64_t>(to).fetch_add(v, std::memory_order_relaxed);
  };
  for (std::size_t c = 0; c < count; ++c) {
    if (block.sites[c] == 0) continue;
    add(totals.sites[block.candidates[c].point], block.sites[c]);
    for (int axis = 0; axis < 3 && with_sums; ++axis)
      add(totals.sums[block.candidates[c].point][axis], block.sums[c][axis]);
  }
}

NearestPoints::Totals NearestPoints::visit_all(CellId first, bool with_sums) {
  Totals totals;
  totals.sites.resize(points_.size());
  if (with_sums) totals.sums.resize(points_.size());
  if (points_.empty()) return totals;
  parallel_for(int64_t(bins_.y) * bins_.z, all_threads(), [&](int64_t row) {
    Block block;
    const int32_t by = int32_t(row % bins_.y), bz = int32_t(row / bins_.y);
    for (int32_t z = edge(2, bz); z < edge(2, bz + 1); ++z)
      for (int32_t y = edge(1, by); y < edge(1, by + 1); ++y)
        for (const Span& part : row_spans(builder_.step().region, builder_.lattice(), y, z).part)
          block.band.push_back({y, z, part});
    for (int32_t x = 0; x < bins_.x; ++x) visit_block({x, by, bz}, first, block, totals);
  });
  return totals;
}

std::vector<int64_t> NearestPoints::assign(CellId first) { return visit_all(first, false).sites; }

void NearestPoints::relax() {
  const Totals totals = visit_all(kNoId, true);
  for (std::size_t point = 0; point < points_.size(); ++point)
    for (int axis = 0; axis < 3; ++axis) {
      if (totals.sites[point] == 0) continue;
      int64_t& at = points_[point][axis];
      at += floor_divided(totals.sums[point][axis], totals.sites[point]);
      if (const int64_t period = size_[axis] * kFine; builder_.lattice().periodic[axis])
        at -= floor_divided(at, period) * period;
    }
  sort_into_bins();
}

}  // namespace kiln
