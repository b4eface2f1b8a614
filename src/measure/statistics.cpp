#include "measure/statistics.hpp"

#include "core/math.hpp"
#include "measure/cell_table.hpp"

namespace kiln {
namespace {

using Values = std::vector<int32_t>;

// In two passes, so that nothing cancels.
Summary summary_of(const Values& values) {
  Summary result;
  result.count = int64_t(values.size());
  if (values.empty()) return result;
  int64_t sum = 0;
  for (const int32_t value : values) sum += value;
  result.mean = double(sum) / double(values.size());
  if (values.size() < 2) return result;
  double squares = 0;
  for (const int32_t value : values) squares += (value - result.mean) * (value - result.mean);
  result.sd = sqrt_of(squares / double(values.size() - 1));
  return result;
}

double ratio(int64_t part, int64_t whole) { return whole > 0 ? double(part) / double(whole) : kUndefined; }

}  // namespace

SizeStatistics size_statistics(const Cells& cells, const std::vector<bool>& frozen) {
  Values volumes, perimeters;
  std::vector<Values> volumes_of(frozen.size()), perimeters_of(frozen.size());
  for (CellId cell = 1; cell < cells.count(); ++cell) {
    const Cells::Extent& extent = cells.extent[cell];
    if (!is_tracked(cells, frozen, cell) || extent.volume <= 0) continue;
    volumes.push_back(extent.volume);
    perimeters.push_back(extent.perimeter);
    volumes_of[cells.type[cell]].push_back(extent.volume);
    perimeters_of[cells.type[cell]].push_back(extent.perimeter);
  }
  SizeStatistics result{{summary_of(volumes), summary_of(perimeters)}, {}};
  for (std::size_t type = 0; type < frozen.size(); ++type)
    result.by_type.push_back({summary_of(volumes_of[type]), summary_of(perimeters_of[type])});
  return result;
}

Acceptance acceptance_between(const AttemptCounts& before, const AttemptCounts& now) {
  const int64_t attempts = now.attempts - before.attempts;
  const int64_t live = now.live - before.live;
  const int64_t accepted = now.accepted - before.accepted;
  return {ratio(accepted, attempts), ratio(accepted, live), ratio(live, attempts)};
}

}  // namespace kiln
