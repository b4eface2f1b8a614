#include "engine/host/survey/pieces.hpp"

#include <atomic>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "engine/host/survey/rows.hpp"

namespace kiln {

template <class Index>
class RunForest {
 public:
  RunForest(const State& state, const std::vector<char>& tracked, const std::vector<int64_t>& first_run,
            int threads)
      : state_(state),
        tracked_(tracked),
        first_run_(first_run),
        start_(first_run.back()),
        parent_(first_run.back()) {
    const int64_t rows = row_count(state_.lattice);
    std::vector<std::vector<RowPair>> across(std::size_t(std::max(threads, 1)));
    in_parallel(rows, threads,
                [&](int part, int64_t begin, int64_t end) { across[part] = join_stretch(begin, end); });
    for (const auto& pairs : across)
      for (const auto& [row, other] : pairs) join_rows(row, other);
  }

  std::vector<int32_t> counts(int threads) const {
    const int64_t rows = row_count(state_.lattice);
    std::vector<int32_t> count(state_.cells.count());
    in_parallel(rows, threads, [&](int, int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        for (int64_t run = first_run_[row]; run < first_run_[row + 1]; ++run)
          if (const CellId id = id_of(row, run); tracked_[id] && parent_[run] == Index(run))
            std::atomic_ref(count[id]).fetch_add(1, std::memory_order_relaxed);
    });
    return count;
  }

  uint64_t piece_at(const Vec3i& place) const {
    const int64_t row = int64_t(place.z) * state_.lattice.size.y + place.y;
    const auto begin = start_.begin() + first_run_[row], end = start_.begin() + first_run_[row + 1];
    auto run = Index(std::upper_bound(begin, end, place.x) - start_.begin() - 1);
    while (parent_[run] != run) run = parent_[run];
    return run;
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

CellPieces::CellPieces(const State& state, std::vector<char> wanted, int threads)
    : state_(state), wanted_(std::move(wanted)), threads_(threads) {
  const int64_t rows = row_count(state.lattice);
  const int32_t width = state.lattice.size.x;
  first_run_.resize(std::size_t(rows) + 1);
  in_parallel(rows, threads, [&](int, int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const CellId* ids = state.ids.data() + row * width;
      int32_t changes = 0;
      for (int32_t x = 1; x < width; ++x) changes += ids[x] != ids[x - 1];
      first_run_[row + 1] = 1 + changes;
    }
  });
  std::partial_sum(first_run_.begin(), first_run_.end(), first_run_.begin());
  if (first_run_.back() <= int64_t(std::numeric_limits<uint32_t>::max()))
    forest_ = std::make_unique<RunForest<uint32_t>>(state_, wanted_, first_run_, threads);
  else
    large_forest_ = std::make_unique<RunForest<uint64_t>>(state_, wanted_, first_run_, threads);
}

CellPieces::~CellPieces() = default;

std::vector<int32_t> CellPieces::counts() const {
  return forest_ ? forest_->counts(threads_) : large_forest_->counts(threads_);
}

uint64_t CellPieces::piece_at(const Vec3i& place) const {
  return forest_ ? forest_->piece_at(place) : large_forest_->piece_at(place);
}

void OffsetSpans::add(const Lattice& lattice, const Vec3i& anchor, const Vec3i& first, int32_t count) {
  const Vec3i offset = offset_from_anchor(lattice, anchor, first);
  for (int axis = 0; axis < 3; ++axis) along[axis].add(offset[axis]);
  const int32_t last = offset_from_anchor(lattice, anchor, first + Vec3i{count - 1, 0, 0}).x;
  along.x.add(last);
  if (last - offset.x == count - 1) return;
  // The row passes the place opposite to the anchor, where offsets jump from (L - 1) / 2 to -(L / 2).
  along.x.add((lattice.size.x - 1) / 2);
  along.x.add(-(lattice.size.x / 2));
}

bool OffsetSpans::is_wide(const Lattice& lattice) const {
  for (int axis = 0; axis < 3; ++axis)
    if (lattice.periodic[axis] && along[axis].is_wide(lattice.size[axis])) return true;
  return false;
}

}  // namespace kiln
