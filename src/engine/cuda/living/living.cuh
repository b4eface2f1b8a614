// Cells that live, on a GPU: a thread per cell plays its equations, rules and growth; what happens to its
// sites is worked out by the host (engine/living/events.hpp). Compiled behind living/source.cpp's text.
#pragma once

namespace kiln::device {

template <class Work>
__device__ __forceinline__ void each_cell(const StateTables& state, const Work& work) {
  for (int64_t cell = thread_number() + 1; cell < state.cells; cell += thread_count()) work(CellId(cell));
}

}  // namespace kiln::device

// Equations; where `ruled`, also rules and what has ended.
extern "C" __global__ void live(const __grid_constant__ kiln::cuda::StateTables state,
                                const __grid_constant__ kiln::cuda::LivingTables living, int64_t mcs,
                                bool ruled) {
  using namespace kiln;
  using namespace kiln::device;
  each_cell(state, [&](CellId row) {
    LivingCell cell(state, living, row, mcs);
    if (!cell.is_alive()) return;
    const int32_t volume = state.extents[row].volume;
    const cuda::Shrinking shrinking = state.shrinking[row];
    if (ruled && shrinking.by > 0 && volume <= shrinking.gone_at)
      cell.list(cuda::kGone);
    else if (ruled && volume == 0)
      cell.list(cuda::kVanished);
    if (shrinking.by > 0 || volume == 0) return;
    if (kiln::living::kHasEquations) {
      cell.mcs = mcs - 1;
      kiln::living::advance(cell);
      cell.mcs = mcs;
    }
    if (ruled) kiln::living::follow(cell);
  });
}

// Targets grow, and those of dying cells shrink.
extern "C" __global__ void grow(const __grid_constant__ kiln::cuda::StateTables state,
                                const __grid_constant__ kiln::cuda::LivingTables living, int64_t mcs) {
  using namespace kiln;
  using namespace kiln::device;
  each_cell(state, [&](CellId row) {
    const LivingCell cell(state, living, row, mcs);
    if (!cell.is_alive()) return;
    if (cell.is_dying())
      cell.shrink();
    else if (kiln::living::kGrows && state.extents[row].volume != 0)
      kiln::living::grow(cell);
  });
}

// What every cell secretes per site and second, by a formula.
extern "C" __global__ void work_out_secretion(const __grid_constant__ kiln::cuda::StateTables state,
                                              const __grid_constant__ kiln::cuda::LivingTables living,
                                              int64_t mcs, int32_t substance, double* rates) {
  using namespace kiln;
  using namespace kiln::device;
  each_cell(state, [&](CellId row) {
    const LivingCell cell(state, living, row, mcs);
    const bool does = cell.is_alive() && !cell.is_dying() && state.extents[row].volume != 0;
    rates[row] = does ? kiln::living::secretes(cell, substance) : 0.0;
  });
}

extern "C" __global__ void mark_rows(const kiln::CellId* rows, int64_t count, uint8_t* marked) {
  using namespace kiln::device;
  for (int64_t i = thread_number(); i < count; i += thread_count()) marked[rows[i]] = 1;
}

// Sites of marked cells as the host knows them, in any order.
extern "C" __global__ void find_touched(const __grid_constant__ kiln::cuda::StateTables state,
                                        const uint8_t* marked, kiln::TouchedSite* found, uint64_t room,
                                        uint64_t* count) {
  using namespace kiln;
  using namespace kiln::device;
  const Word* const sites = static_cast<const Word*>(state.sites);
  const auto look = [&](int64_t site, Word word) {
    const CellId row = id_of(word);
    if (marked[row] == 0) return;
    const uint64_t at = atomicAdd(reinterpret_cast<unsigned long long*>(count), 1ull);
    if (at < room) found[at] = {state.host_ids[row], site};
  };
  constexpr int kPiece = WordPiece::kCount;
  const int64_t all = kLattice.sites(), in_pieces = all / kPiece * kPiece;
  for (int64_t site = thread_number() * kPiece; site < in_pieces; site += thread_count() * kPiece) {
    const WordPiece piece(sites + site);
#pragma unroll
    for (int k = 0; k < kPiece; ++k) look(site + k, piece.words[k]);
  }
  const int64_t last = in_pieces + thread_number();
  if (last < all) look(last, sites[last]);
}

extern "C" __global__ void change_sites(const __grid_constant__ kiln::cuda::StateTables state,
                                        const kiln::cuda::ChangedSite* changed, int64_t count,
                                        uint32_t clock) {
  using namespace kiln;
  using namespace kiln::device;
  Word* const sites = static_cast<Word*>(state.sites);
  for (int64_t i = thread_number(); i < count; i += thread_count()) {
    Word& word = sites[changed[i].site];
    word = with_other_cell(word, changed[i].row, clock);
  }
}

extern "C" __global__ void count_perimeters_of_born(const __grid_constant__ kiln::cuda::StateTables state,
                                                    const kiln::cuda::ChangedSite* changed, int64_t count,
                                                    int32_t* perimeters) {
  using namespace kiln;
  using namespace kiln::device;
  const Word* const sites = static_cast<const Word*>(state.sites);
  const Neighbourhood& n = model::kPerimeterNeighbours;
  for (int64_t i = thread_number(); i < count; i += thread_count()) {
    if (changed[i].born < 0) continue;
    const Vec3i place = kLattice.position(changed[i].site);
    int32_t unlike = 0;
    for (int k = 0; k < n.count; ++k) {
      Vec3i other = place + Vec3i{n.offset[k].x, n.offset[k].y, n.offset[k].z};
      if (kLattice.wrap(other) && !is_of(sites[kLattice.index(other)], changed[i].row)) ++unlike;
    }
    if (unlike > 0) atomicAdd(perimeters + changed[i].born, unlike);
  }
}
