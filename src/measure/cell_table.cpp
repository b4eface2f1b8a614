#include "measure/cell_table.hpp"

#include <algorithm>
#include <limits>

#include "base/parallel.hpp"
#include "engine/host/survey/counts.hpp"

namespace kiln {
namespace {

// Per number of every stride-th cell.
std::vector<int32_t> sampled_neighbours(const Look& look, int64_t stride, int threads) {
  if (LatticeSurvey* const survey = look.survey()) return survey->neighbours_of_sample(stride);
  const std::vector<int32_t> counts = neighbour_counts(look.state(), stride, threads);
  std::vector<int32_t> result;
  for (std::size_t cell = 1; cell < counts.size(); cell += std::size_t(stride))
    result.push_back(counts[cell]);
  return result;
}

std::vector<double> living_values(const Cells& cells, CellId cell, int64_t mcs) {
  if (cells.life.empty()) return {};
  const Cells::Life& life = cells.life[cell];
  std::vector<double> values = {
      life.parent == 0 ? std::numeric_limits<double>::quiet_NaN() : double(life.parent),
      double(life.generation), double(mcs - life.born), life.target};
  const auto properties = std::size_t(cells.property_count);
  for (std::size_t p = 0; p < properties; ++p) values.push_back(cells.property[cell * properties + p]);
  return values;
}

}  // namespace

int64_t sampling_stride(int64_t cells, int64_t samples, int64_t limit) {
  if (cells <= 1) return 1;
  const int64_t per_sample = std::clamp<int64_t>(limit / std::max<int64_t>(samples, 1), 1, cells);
  return (cells + per_sample - 1) / per_sample;
}

std::vector<int32_t> neighbour_counts(const State& state, int64_t stride, int threads) {
  std::vector<uint8_t> wanted(state.cells.count());
  for (std::size_t cell = 1; cell < wanted.size(); cell += std::size_t(stride)) wanted[cell] = 1;
  std::vector<int32_t> counts(wanted.size());
  touching_pairs(state, whole_box(state.lattice), wanted, threads).for_each([&](uint64_t pair) {
    for (const auto cell : {CellId(pair >> 32), CellId(pair)}) counts[cell] += wanted[cell];
  });
  return counts;
}

std::vector<CellRow> cell_rows(const Look& look, const std::vector<bool>& frozen, int64_t stride,
                               int threads) {
  const std::vector<int32_t> neighbours = sampled_neighbours(look, stride, threads);
  std::vector<CellRow> rows;
  int64_t first = 0;  // number of the slice's first sampled cell
  look.each_slice([&](const CellSlice& slice) {
    const Cells& cells = slice.cells;
    const int64_t numbers = (int64_t(slice.end()) - 2 + stride) / stride - first;
    std::vector<std::vector<CellRow>> parts(std::size_t(std::max(threads, 1)));
    in_parallel(numbers, threads, [&](int part, int64_t begin, int64_t end) {
      for (int64_t number = first + begin; number < first + end; ++number) {
        const auto cell = CellId(1 + number * stride);
        const CellId row = slice.row(cell);
        const Cells::Extent& extent = cells.extent[row];
        if (!is_tracked(cells, frozen, row) || extent.volume <= 0) continue;
        parts[std::size_t(part)].push_back({cell, cells.type[row], extent.volume, extent.perimeter,
                                            cells.position(row), neighbours[std::size_t(number)],
                                            living_values(cells, row, look.mcs())});
      }
    });
    for (const std::vector<CellRow>& part : parts) rows.insert(rows.end(), part.begin(), part.end());
    first += numbers;
  });
  return rows;
}

}  // namespace kiln
