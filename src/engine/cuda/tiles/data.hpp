// Arguments and device tables of the `tiles` schedule's kernels. Read by both compilers.
#pragma once

#include "core/lattice.hpp"
#include "engine/cuda/state/device_tables.hpp"
#include "engine/schedule/rows_near.hpp"

namespace kiln::cuda {

inline constexpr int kMostMcsPerLaunch = 32;

// The claim of an unclaimed cell, larger than any other.
inline constexpr uint64_t kNoClaim = ~uint64_t(0);
inline constexpr uint32_t kFirstStamp = 0xFFFFFFFEu;

// A round of one pass without Act carries attempts out when they are accepted, with two tables of sizes.
// Moments have but one table, and bricks tell others of copies after a round.
KILN_HD constexpr bool is_at_once(int passes, int max_act, bool moments, bool brick) {
  return passes == 1 && max_act == 0 && !moments && !brick;
}

// How the targets of a round are numbered: a step is some batches of 32 tiles of a row. On a brick only those
// rows and steps have numbers that may have targets in it, wherever it lies; some then have none.
struct RoundShape {
  uint32_t steps_per_row, rows_y, rows_z;

  KILN_HD constexpr uint32_t steps() const { return steps_per_row * rows_y * rows_z; }
};
KILN_HD constexpr RoundShape round_shape(const Lattice& whole, const Vec3i& own, bool brick,
                                         const tiles::Settings& settings, int batches) {
  const Vec3i tiles = tiles::tile_counts(whole, settings);
  const int32_t step_tiles = int32_t(tiles::kStride) * batches;
  const uint32_t steps = uint32_t(tiles.x + step_tiles - 1) / uint32_t(step_tiles);
  if (!brick) return {steps, uint32_t(tiles.y), uint32_t(tiles.z)};
  const uint32_t within = uint32_t(own.x / settings.tile.x + 1 + 2 * step_tiles - 2) / uint32_t(step_tiles);
  return {within < steps ? within : steps, tiles::RowsNear::most_along(own.y, settings.tile.y, tiles.y),
          tiles::RowsNear::most_along(own.z, settings.tile.z, tiles.z)};
}

// In all other cases warps keep lists of their attempts. One pass needs the first four fields; several need
// all, the last one only with Act.
enum class OpenField : uint32_t { winner, loser, packed, tile, surroundings, threshold, act };
KILN_HD constexpr int open_fields(int passes, int max_act, bool moments, bool brick) {
  if (is_at_once(passes, max_act, moments, brick)) return 0;
  if (passes == 1) return 4;
  return max_act > 0 ? 7 : 6;
}

// How a copy would change the two perimeters, and flags.
inline constexpr uint32_t kAccepted = 1;         // on the sizes as they were when it was last judged
inline constexpr uint32_t kActAtSourceOnly = 2;  // the target's mean of Act has not been needed yet
KILN_HD inline uint32_t pack(int32_t winner_perimeter, int32_t loser_perimeter, uint32_t flags) {
  return uint32_t(winner_perimeter) << 17 | (uint32_t(loser_perimeter) & 0x7FFF) << 2 | flags;
}
KILN_HD inline int32_t winner_perimeter(uint32_t packed) { return int32_t(packed) >> 17; }
KILN_HD inline int32_t loser_perimeter(uint32_t packed) { return int32_t(packed << 15) >> 17; }

// The map of what is live has a bit for every box of live_width x kLiveHigh x kLiveHigh sites, and a word for
// every row of them along x.
inline constexpr int kLiveHigh = 8;
inline constexpr int64_t kMcsBetweenRebuilds = 100;  // moving cells leave marks behind
KILN_HD constexpr int live_width(const Lattice& lattice) {
  int width = 16;
  while (64 * width < lattice.size.x) width *= 2;
  return width;
}
KILN_HD constexpr int live_rows(int32_t length) { return (length + kLiveHigh - 1) / kLiveHigh; }
KILN_HD constexpr int64_t live_words(const Lattice& lattice) {
  return int64_t(live_rows(lattice.size.y)) * live_rows(lattice.size.z);
}

// A step is some batches of 32 targets of a row. Their surroundings lie in a slot of shared memory. A warp
// has three slots: one is being filled, attempts in the two others wait to be judged.
inline constexpr int kSlots = 3;
// How far the neighbours of a step's targets reach, from its first target on. In a periodic lattice that is
// no whole number of tiles long, some targets lie farther by the rest.
KILN_HD constexpr int slot_reach(int batches, const Lattice& lattice, int tile_width) {
  const int rest = lattice.periodic.x ? lattice.size.x % tile_width : 0;
  return tile_width * (32 * batches - 1) + rest + 2;
}
// Words in a row of a slot: whole sectors of 32 bytes, wherever in a sector the first word lies.
KILN_HD constexpr int slot_pitch(int batches, const Lattice& lattice, int tile_width, int word_bytes) {
  const int sector = 32 / word_bytes, needed = 1 + slot_reach(batches, lattice, tile_width);
  return (needed + 2 * (sector - 1)) / sector * sector;
}
// Shared memory that a block of `play` asks for. The rest of it is L1 cache.
KILN_HD constexpr unsigned shared_bytes(int warps, int batches, const Lattice& lattice, int tile_width,
                                        int word_bytes, int max_act) {
  const bool flat = lattice.dimension == 2, wide = lattice.sites() >= int64_t(1) << 31;
  const int rows = flat ? 3 : 9;
  const int per_slot = rows * slot_pitch(batches, lattice, tile_width, word_bytes) * word_bytes + 40;
  const int means = (wide ? 12 : 8) * (flat || max_act == 0 ? 1 : 32);
  const int logs = max_act == 0 || max_act >= 1024 ? 4 : 4 * (max_act < 256 ? 256 : max_act + 1);
  return unsigned(1024 + warps * (kSlots * per_slot + 544 + means) + logs);
}

// Written by kernels, read by the host now and then.
struct Control {
  alignas(8) uint32_t barrier;  // these two are read at once
  uint32_t open_at;             // the stamp of the last pass that left something open
  uint32_t copied;              // a second barrier, behind the copying of sizes
  uint32_t stamp;               // of the next pass
  uint32_t taken[3];            // shared steps that warps have taken, for three rounds in turn
  uint64_t attempts, live, accepted;
};

// Tables of the schedule beside the state.
struct TilesTables {
  StateTables state;
  Extent* extents;   // the other half of the double buffer of sizes, where copies are made at once
  uint64_t* claims;  // per cell
  uint32_t* open;    // for every warp open_per_warp of every field
  uint64_t* live;    // the map of what is live; none where nothing is passed over
  Control* control;
  int64_t open_per_warp;
  uint64_t seed;
};

// A launch's MCS, and the first round of each.
struct Span {
  int64_t first_mcs;
  int32_t mcs;
  uint64_t rounds[kMostMcsPerLaunch + 1];
};

}  // namespace kiln::cuda
