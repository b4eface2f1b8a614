#include "measure/shape.hpp"

#include <algorithm>
#include <atomic>

#include "base/parallel.hpp"
#include "engine/host/survey/pieces.hpp"
#include "engine/host/survey/rows.hpp"
#include "measure/cell_table.hpp"

namespace kiln {
namespace {

std::vector<char> tracked_cells(const Cells& cells, const std::vector<bool>& frozen) {
  std::vector<char> tracked(cells.count());
  for (CellId cell = 1; cell < cells.count(); ++cell) tracked[cell] = is_tracked(cells, frozen, cell);
  return tracked;
}

}  // namespace

std::vector<int32_t> component_counts(const State& state, const std::vector<bool>& frozen, int threads) {
  return CellPieces(state, tracked_cells(state.cells, frozen), threads).counts();
}

int64_t fragmented_cells(const State& state, const std::vector<bool>& frozen, int threads) {
  const std::vector<int32_t> components = component_counts(state, frozen, threads);
  return std::count_if(components.begin(), components.end(), [](int32_t count) { return count > 1; });
}

namespace {

// By a rule: it divided, or died.
bool has_ended(const Cells& cells, CellId cell) {
  if (cells.life.empty()) return false;
  const Cells::End end = cells.life[cell].end;
  return end == Cells::End::divided || end == Cells::End::died;
}

}  // namespace

int64_t extinct_cells(const Look& look, const std::vector<bool>& frozen, int threads) {
  std::atomic<int64_t> count = 0;
  look.each_slice([&](const CellSlice& slice) {
    const Cells& cells = slice.cells;
    in_parallel(cells.count(), threads, [&](int, int64_t begin, int64_t end) {
      int64_t own = 0;
      for (auto row = CellId(begin); row < CellId(end); ++row)
        own += is_tracked(cells, frozen, row) && cells.extent[row].volume == 0 && !has_ended(cells, row);
      count += own;
    });
  });
  return count;
}

int64_t wide_cells(const State& state, const std::vector<bool>& frozen) {
  const Lattice& lattice = state.lattice;
  if (!lattice.periodic.x && !lattice.periodic.y && !lattice.periodic.z) return 0;
  const std::vector<char> tracked = tracked_cells(state.cells, frozen);
  std::vector<OffsetSpans> spans(state.cells.count());
  for (int64_t row = 0; row < row_count(lattice); ++row) {
    const auto y = int32_t(row % lattice.size.y), z = int32_t(row / lattice.size.y);
    for_each_run(state.ids.data() + row * lattice.size.x, lattice.size.x,
                 [&](int32_t begin, int32_t end, CellId id) {
                   if (tracked[id])
                     spans[id].add(lattice, state.cells.centroid[id].anchor, {begin, y, z}, end - begin);
                 });
  }
  return std::count_if(spans.begin(), spans.end(),
                       [&](const OffsetSpans& span) { return span.is_wide(lattice); });
}

int64_t fragmented_cells(const Look& look, const std::vector<bool>& frozen, int threads) {
  if (LatticeSurvey* const survey = look.survey())
    if (const std::optional<int64_t> cells = survey->fragmented_cells()) return *cells;
  return fragmented_cells(look.state(), frozen, threads);
}

int64_t wide_cells(const Look& look, const std::vector<bool>& frozen) {
  if (LatticeSurvey* const survey = look.survey())
    if (const std::optional<int64_t> cells = survey->wide_cells()) return *cells;
  return wide_cells(look.state(), frozen);
}

}  // namespace kiln
