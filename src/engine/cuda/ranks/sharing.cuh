// Who shares which cells (engine/ranks/sharing.hpp), as far as that is found and kept on the device.
#pragma once

#include "engine/cuda/ranks/talk.cuh"

// Marks the cells that are near to a neighbour: a bit below for those that are still near, one above for
// those that are near.
extern "C" __global__ void mark_near(const __grid_constant__ kiln::cuda::StateTables state,
                                     const kiln::cuda::Zone* zones, int32_t count, uint64_t* near) {
  using namespace kiln;
  using namespace kiln::device;
  const ThreadRange threads = whole_grid();
  const Word* sites = static_cast<const Word*>(state.sites);
  for (int32_t z = 0; z < count; ++z) {
    const cuda::Zone zone = zones[z];
    const Vec3i size = zone.still_near.size();
    const uint32_t rows = uint32_t(size.y) * uint32_t(size.z);
    // A warp takes a row, or several short ones.
    const int32_t width = size.x >= 32 ? 32 : size.x, rows_at_once = 32 / width;
    const int32_t lane = int32_t(threads.rank % 32), x_in = lane % width, row_in = lane / width;
    const uint32_t stride = uint32_t(threads.count / 32) * uint32_t(rows_at_once);
    for (uint32_t first = uint32_t(threads.rank / 32) * uint32_t(rows_at_once); first < rows;
         first += stride) {
      const uint32_t row = first + uint32_t(row_in);
      Vec3i place =
          zone.still_near.low + Vec3i{x_in, int32_t(row % uint32_t(size.y)), int32_t(row / uint32_t(size.y))};
      const bool has_row = row_in < rows_at_once && row < rows;
      for (int32_t x = x_in; x - x_in < size.x; x += width, place.x += width) {
        const bool inside = has_row && x < size.x;
        CellId cell = inside ? id_of(sites[index(place)]) : kMedium;
        if (is_of_frozen(state, cell)) cell = kMedium;
        const bool is_near = inside && zone.near.contains(place);
        // Of neighbouring sites of a cell the first marks it.
        const uint32_t key = cell << 1 | (is_near ? 1 : 0), before = __shfl_up_sync(~0u, key, 1);
        if (cell == kMedium || (lane > 0 && key == before)) continue;
        const uint64_t bits = uint64_t(zone.bit) | (is_near ? uint64_t(zone.bit) << 32 : uint64_t(0));
        if ((near[cell] & bits) != bits)
          atomicOr(reinterpret_cast<unsigned long long*>(near + cell), static_cast<unsigned long long>(bits));
      }
    }
  }
}

// Lists the cells that the brick owns in another way than its partners know.
extern "C" __global__ void find_changes(const __grid_constant__ kiln::cuda::StateTables state,
                                        const __grid_constant__ kiln::cuda::BrickTables brick,
                                        const uint64_t* near, kiln::cuda::FoundChange* found,
                                        uint32_t* found_count, uint32_t room) {
  using namespace kiln;
  using namespace kiln::device;
  const ThreadRange threads = whole_grid();
  for (int64_t cell = threads.rank + 1; cell < state.cells; cell += threads.count) {
    const uint64_t marked = near[cell];
    const bool is_shared = brick.sharers[cell] != 0;
    if (marked == 0 && !is_shared) continue;
    const uint32_t before = brick.told[cell];
    const bool owns = !is_shared || brick.here[cell] > 0;
    const uint32_t now = uint32_t(marked >> 32) | (uint32_t(marked) & before);
    if (!is_shared ? now == 0 : (owns ? now | cuda::kOwner : 0) == before) continue;
    const uint32_t at = atomicAdd(found_count, 1);
    if (at < room) found[at] = {CellId(cell), owns ? now | cuda::kOwner : 0};
  }
}

extern "C" __global__ void note_told(const __grid_constant__ kiln::cuda::BrickTables brick,
                                     const kiln::cuda::FoundChange* found, uint32_t count) {
  for (int64_t i = kiln::device::thread_number(); i < count; i += kiln::device::thread_count())
    brick.told[found[i].cell] = found[i].told;
}

// Cells that came have their rows already.
extern "C" __global__ void set_sharing(const __grid_constant__ kiln::cuda::StateTables state,
                                       const __grid_constant__ kiln::cuda::BrickTables brick,
                                       const kiln::cuda::NewSharing* all, uint32_t count) {
  using namespace kiln;
  using namespace kiln::device;
  for (int64_t i = thread_number(); i < count; i += thread_count()) {
    const cuda::NewSharing now = all[i];
    const bool was_shared = brick.sharers[now.cell] != 0;
    brick.sharers[now.cell] = now.set;
    brick.sets[now.set] = now.partners;
    brick.numbers[now.cell] = now.number;
    if (now.kind == cuda::NewSharing::came) {
      brick.here[now.cell] = 0;
    } else if (now.kind == cuda::NewSharing::left) {
      state.extents[now.cell] = {0, 0};
    } else if (!was_shared) {
      brick.here[now.cell] = state.extents[now.cell].volume;  // nobody else had sites of it
    }
    if (now.kind != cuda::NewSharing::changed || now.set == 0) brick.told[now.cell] = 0;
  }
}

// The list of shared cells, and their numbers' table, which was cleared.
extern "C" __global__ void list_shared(const __grid_constant__ kiln::cuda::StateTables state,
                                       const __grid_constant__ kiln::cuda::BrickTables brick,
                                       uint64_t* own_ids, kiln::CellId* shared, uint32_t* shared_count) {
  using namespace kiln;
  using namespace kiln::device;
  const uint32_t lane = threadIdx.x % 32;
  const ThreadRange threads = whole_grid();
  for (int64_t first = threads.rank - lane; first < state.cells; first += threads.count) {
    const CellId cell = CellId(first + lane);
    const bool is_shared = cell < state.cells && brick.sharers[cell] != 0;
    const uint32_t all = __ballot_sync(~0u, is_shared);
    if (all == 0) continue;
    uint32_t begin = 0;
    if (lane == 0) begin = atomicAdd(shared_count, uint32_t(__popc(all)));
    begin = __shfl_sync(~0u, begin, 0);
    if (!is_shared) continue;
    shared[begin + __popc(all & ((1u << lane) - 1))] = cell;
    const uint64_t pair = uint64_t(cell) << 32 | brick.numbers[cell];
    uint32_t at = home_of(brick.numbers[cell], brick.own_ids_size);
    while (atomicCAS(reinterpret_cast<unsigned long long*>(own_ids + at), 0ull,
                     static_cast<unsigned long long>(pair)) != 0)
      at = place_after(at, brick.own_ids_size);
  }
}

// Sites that get other cells between two MCS.
extern "C" __global__ void change_sites(const __grid_constant__ kiln::cuda::StateTables state,
                                        const kiln::cuda::StoredChange* changed, int64_t count,
                                        uint32_t clock) {
  using namespace kiln;
  using namespace kiln::device;
  Word* const sites = static_cast<Word*>(state.sites);
  for (int64_t i = thread_number(); i < count; i += thread_count()) {
    Word& word = sites[index(kLattice.position(changed[i].site))];
    word = with_other_cell(word, changed[i].row, clock);
  }
}

// Whole rows of some cells, packed one after the other; and back.
extern "C" __global__ void gather_rows(const __grid_constant__ kiln::cuda::RowPlan plan,
                                       const kiln::CellId* cells, uint32_t count, uint32_t* packed) {
  for (int64_t i = kiln::device::thread_number(); i < count; i += kiln::device::thread_count()) {
    uint32_t* to = packed + i * plan.all_words;
    for (int32_t k = 0; k < plan.count; ++k)
      for (uint32_t w = 0; w < plan.words[k]; ++w)
        *to++ = plan.columns[k][int64_t(cells[i]) * plan.words[k] + w];
  }
}
extern "C" __global__ void scatter_rows(const __grid_constant__ kiln::cuda::RowPlan plan,
                                        const kiln::CellId* cells, uint32_t count, const uint32_t* packed) {
  for (int64_t i = kiln::device::thread_number(); i < count; i += kiln::device::thread_count()) {
    const uint32_t* from = packed + i * plan.all_words;
    for (int32_t k = 0; k < plan.count; ++k)
      for (uint32_t w = 0; w < plan.words[k]; ++w)
        plan.columns[k][int64_t(cells[i]) * plan.words[k] + w] = *from++;
  }
}
