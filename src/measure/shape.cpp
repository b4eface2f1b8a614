#include "measure/shape.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "engine/host/survey/rows.hpp"
#include "measure/cell_table.hpp"

namespace kiln {
namespace {

std::vector<char> tracked_cells(const Cells& cells, const std::vector<bool>& frozen) {
  std::vector<char> tracked(cells.count());
  for (CellId cell = 1; cell < cells.count(); ++cell) tracked[cell] = is_tracked(cells, frozen, cell);
  return tracked;
}

// Calls visit(begin, end, id) for every stretch of equal ids of a row.
template <class Visit>
void for_each_run(const CellId* ids, int32_t width, const Visit& visit) {
  for (int32_t begin = 0, end = 0; begin < width; begin = end) {
    end = begin + 1;
    while (end < width && ids[end] == ids[begin]) ++end;
    visit(begin, end, ids[begin]);
  }
}

// Union-find over runs, the stretches of equal ids along x. `Index` holds the number of any run.
template <class Index>
class RunForest {
 public:
  RunForest(const State& state, const std::vector<char>& tracked, const std::vector<int64_t>& first_run)
      : state_(state),
        tracked_(tracked),
        first_run_(first_run),
        start_(first_run.back()),
        parent_(first_run.back()) {}

  std::vector<int32_t> components(int threads) {
    const int64_t rows = row_count(state_.lattice);
    std::vector<std::vector<RowPair>> across(std::size_t(std::max(threads, 1)));
    in_parallel(rows, threads,
                [&](int part, int64_t begin, int64_t end) { across[part] = join_stretch(begin, end); });
    for (const auto& pairs : across)
      for (const auto& [row, other] : pairs) join_rows(row, other);

    std::vector<int32_t> count(state_.cells.count());
    in_parallel(rows, threads, [&](int, int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        for (int64_t run = first_run_[row]; run < first_run_[row + 1]; ++run)
          if (const CellId id = id_of(row, run); tracked_[id] && parent_[run] == Index(run))
            std::atomic_ref(count[id]).fetch_add(1, std::memory_order_relaxed);
    });
    return count;
  }

 private:
  using RowPair = std::pair<int64_t, int64_t>;

  // Joins the rows among [begin, end). Neighbours that another thread owns, or that have no runs yet, are
  // returned.
  std::vector<RowPair> join_stretch(int64_t begin, int64_t end) {
    std::vector<RowPair> later;
    for (int64_t row = begin; row < end; ++row) {
      int64_t run = first_run_[row];
      for_each_run(ids_of(row), width(), [&](int32_t start, int32_t, CellId) {
        start_[run] = start;
        parent_[run] = Index(run);
        ++run;
      });
      if (state_.lattice.periodic.x) join_ends(row, row);
      const NeighbourRows before(state_.lattice, row, -1);
      for (int i = 0; i < before.count; ++i) {
        if (before.row[i] >= begin && before.row[i] < row)
          join_rows(row, before.row[i]);
        else
          later.push_back({row, before.row[i]});
      }
    }
    return later;
  }

  // Both rows' runs in step along x. Runs touch where they overlap or meet at a corner; where two end
  // together, each meets the other's successor at a corner.
  void join_rows(int64_t row_a, int64_t row_b) {
    const int64_t last_a = first_run_[row_a + 1] - 1, last_b = first_run_[row_b + 1] - 1;
    int64_t a = first_run_[row_a], b = first_run_[row_b];
    while (true) {
      join(row_a, a, row_b, b);
      const int32_t end_a = a < last_a ? start_[a + 1] : width(),
                    end_b = b < last_b ? start_[b + 1] : width();
      if (end_a == end_b) {
        if (a == last_a) break;  // then b is the last as well
        join(row_a, a, row_b, b + 1);
        join(row_a, a + 1, row_b, b);
      }
      a += end_a <= end_b;
      b += end_b <= end_a;
    }
    if (state_.lattice.periodic.x) {
      join_ends(row_a, row_b);
      join_ends(row_b, row_a);
    }
  }

  void join_ends(int64_t row_a, int64_t row_b) {
    join(row_a, first_run_[row_a], row_b, first_run_[row_b + 1] - 1);
  }

  void join(int64_t row_a, int64_t a, int64_t row_b, int64_t b) {
    const CellId id = id_of(row_a, a);
    if (id != id_of(row_b, b) || !tracked_[id]) return;
    const Index root_a = root(Index(a)), root_b = root(Index(b));
    parent_[std::max(root_a, root_b)] = std::min(root_a, root_b);
  }

  Index root(Index run) {
    while (parent_[run] != run) run = parent_[run] = parent_[parent_[run]];
    return run;
  }

  int32_t width() const { return state_.lattice.size.x; }
  const CellId* ids_of(int64_t row) const { return state_.ids.data() + row * width(); }
  CellId id_of(int64_t row, int64_t run) const { return ids_of(row)[start_[run]]; }

  const State& state_;
  const std::vector<char>& tracked_;
  const std::vector<int64_t>& first_run_;  // per row, and one more
  std::vector<int32_t> start_;             // x of a run's first site
  std::vector<Index> parent_;
};

struct Span {
  int32_t least = std::numeric_limits<int32_t>::max(), most = std::numeric_limits<int32_t>::min();

  void add(int32_t offset) {
    least = std::min(least, offset);
    most = std::max(most, offset);
  }
  bool wide(int32_t length) const { return most >= least && 2 * (int64_t(most) - least + 1) > length; }
};

}  // namespace

std::vector<int32_t> component_counts(const State& state, const std::vector<bool>& frozen, int threads) {
  const int64_t rows = row_count(state.lattice);
  const int32_t width = state.lattice.size.x;
  std::vector<int64_t> first_run(std::size_t(rows) + 1);
  in_parallel(rows, threads, [&](int, int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const CellId* ids = state.ids.data() + row * width;
      int32_t changes = 0;
      for (int32_t x = 1; x < width; ++x) changes += ids[x] != ids[x - 1];
      first_run[row + 1] = 1 + changes;
    }
  });
  std::partial_sum(first_run.begin(), first_run.end(), first_run.begin());
  const std::vector<char> tracked = tracked_cells(state.cells, frozen);
  if (first_run.back() <= int64_t(std::numeric_limits<uint32_t>::max()))
    return RunForest<uint32_t>(state, tracked, first_run).components(threads);
  return RunForest<uint64_t>(state, tracked, first_run).components(threads);
}

int64_t fragmented_cells(const State& state, const std::vector<bool>& frozen, int threads) {
  const std::vector<int32_t> components = component_counts(state, frozen, threads);
  return std::count_if(components.begin(), components.end(), [](int32_t count) { return count > 1; });
}

int64_t extinct_cells(const Cells& cells, const std::vector<bool>& frozen, int threads) {
  std::atomic<int64_t> count = 0;
  in_parallel(cells.count(), threads, [&](int, int64_t begin, int64_t end) {
    int64_t own = 0;
    for (auto cell = CellId(begin); cell < CellId(end); ++cell)
      own += is_tracked(cells, frozen, cell) && cells.extent[cell].volume == 0;
    count += own;
  });
  return count;
}

int64_t wide_cells(const State& state, const std::vector<bool>& frozen) {
  const Lattice& lattice = state.lattice;
  if (!lattice.periodic.x && !lattice.periodic.y && !lattice.periodic.z) return 0;
  const std::vector<char> tracked = tracked_cells(state.cells, frozen);
  std::vector<Vec3<Span>> spans(state.cells.count());
  for (int64_t row = 0; row < row_count(lattice); ++row) {
    const auto y = int32_t(row % lattice.size.y), z = int32_t(row / lattice.size.y);
    for_each_run(state.ids.data() + row * lattice.size.x, lattice.size.x,
                 [&](int32_t begin, int32_t end, CellId id) {
                   if (!tracked[id]) return;
                   const Vec3i& anchor = state.cells.centroid[id].anchor;
                   const Vec3i first = offset_from_anchor(lattice, anchor, {begin, y, z});
                   spans[id].x.add(first.x);
                   spans[id].y.add(first.y);
                   spans[id].z.add(first.z);
                   const int32_t last = offset_from_anchor(lattice, anchor, {end - 1, y, z}).x;
                   spans[id].x.add(last);
                   if (last - first.x == end - 1 - begin) return;
                   // The run passes the place opposite to the anchor, where offsets jump from (L - 1) / 2 to
                   // -(L / 2).
                   spans[id].x.add((lattice.size.x - 1) / 2);
                   spans[id].x.add(-(lattice.size.x / 2));
                 });
  }
  return std::count_if(spans.begin(), spans.end(), [&](const Vec3<Span>& span) {
    bool wide = false;
    for (int axis = 0; axis < 3; ++axis)
      wide |= lattice.periodic[axis] && span[axis].wide(lattice.size[axis]);
    return wide;
  });
}

}  // namespace kiln
