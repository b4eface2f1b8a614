#include "measure/statistics.hpp"

#include <mutex>

#include "base/parallel.hpp"
#include "core/math.hpp"
#include "measure/cell_table.hpp"

namespace kiln {
namespace {

// All integers, so that nothing is rounded and no order matters.
struct Sums {
  using Wide = __int128;
  int64_t count = 0, sum = 0;
  Wide squares = 0;

  void add(int32_t value) {
    count += 1;
    sum += value;
    squares += int64_t(value) * value;
  }
  void add(const Sums& other) {
    count += other.count;
    sum += other.sum;
    squares += other.squares;
  }
  Summary summary() const {
    Summary result;
    result.count = count;
    if (count > 0) result.mean = double(sum) / double(count);
    if (count < 2) return result;
    // Of the distances from the whole number next to the mean: small enough for any number of cells.
    const Wide centre = sum / count, rest = sum - count * centre;
    const Wide about = squares - centre * (2 * Wide(sum) - count * centre);
    result.sd = sqrt_of((double(about) - double(rest) * double(rest) / double(count)) / double(count - 1));
    return result;
  }
};

struct SizeSums {
  Sums volume, perimeter;

  void add(const SizeSums& other) {
    volume.add(other.volume);
    perimeter.add(other.perimeter);
  }
  SizeSummary summary() const { return {volume.summary(), perimeter.summary()}; }
};

double ratio(int64_t part, int64_t whole) { return whole > 0 ? double(part) / double(whole) : kUndefined; }

}  // namespace

SizeStatistics size_statistics(const Look& look, const std::vector<bool>& frozen, int threads) {
  std::vector<SizeSums> by_type(frozen.size());
  std::mutex adding;
  look.each_slice([&](const CellSlice& slice) {
    const Cells& cells = slice.cells;
    in_parallel(cells.count(), threads, [&](int, int64_t begin, int64_t end) {
      std::vector<SizeSums> own(frozen.size());
      for (auto row = CellId(begin); row < CellId(end); ++row) {
        const Cells::Extent& extent = cells.extent[row];
        if (!is_tracked(cells, frozen, row) || extent.volume <= 0) continue;
        own[cells.type[row]].volume.add(extent.volume);
        own[cells.type[row]].perimeter.add(extent.perimeter);
      }
      const std::scoped_lock lock(adding);
      for (std::size_t type = 0; type < own.size(); ++type) by_type[type].add(own[type]);
    });
  });
  SizeStatistics result;
  SizeSums all;
  for (const SizeSums& sums : by_type) {
    all.add(sums);
    result.by_type.push_back(sums.summary());
  }
  result.all = all.summary();
  result.sites = all.volume.sum;
  return result;
}

Acceptance acceptance_between(const AttemptCounts& before, const AttemptCounts& now) {
  const int64_t attempts = now.attempts - before.attempts;
  const int64_t live = now.live - before.live;
  const int64_t accepted = now.accepted - before.accepted;
  return {ratio(accepted, attempts), ratio(accepted, live), ratio(live, attempts)};
}

}  // namespace kiln
