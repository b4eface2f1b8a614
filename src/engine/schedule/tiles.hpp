// The `tiles` schedule: what is tried when, the same on every engine, for any number of threads and on any
// device.
//
// An MCS is played in rounds. Each round cuts the lattice into tiles at a random shift, and every tile tries
// one copy, all of them at once. Their targets lie in rows along x, each row displaced at random, and so far
// apart that no attempt sees another's target. So all that attempts of a round have in common is the sizes of
// their cells. Those are settled in passes: all attempts still open are judged on the sizes as they are; each
// accepted one claims its two cells, and the claim of the lowest priority stands; an attempt that holds both
// its cells is carried out; one with a better claim on one of its cells stays open for the next pass. Played
// until nothing is open, a round has the outcome of its attempts made one after the other; models for which
// it makes no difference get fewer passes. See docs/parallel.md.
#pragma once

#include "core/lattice.hpp"
#include "core/random.hpp"

namespace kiln::tiles {

// Settings that shape the result. They follow from the model alone.
struct Settings {
  static constexpr float kNever = 0x1p126f;

  Vec3i tile{3, 3, 3};  // sites along each axis
  int apart = 2;        // any two targets of a round differ by this much along some axis, or by more
  // Passes of a round. A single one carries out every accepted attempt, claimed cells or not; the last of
  // several those that hold the cell they take a site from, and drops the rest. 0: until nothing is open.
  int passes = 0;
  // An attempt whose dH exceeds its threshold by more than this, in several passes, is not kept open: what
  // the rest of its round does to the sizes of its cells would not save it.
  float hopeless = kNever;

  bool operator==(const Settings&) const = default;
};

inline constexpr uint32_t kStride = 32;
inline constexpr uint32_t kGroup = 4 * kStride;

// MurmurHash3's finaliser: maps words one to one.
KILN_HD inline uint32_t mixed(uint32_t h) {
  h = (h ^ h >> 16) * 0x85EBCA6Bu;
  h = (h ^ h >> 13) * 0xC2B2AE35u;
  return h ^ h >> 16;
}

// The targets of one row of tiles, by rising x: at every `width` sites, with one gap on a periodic axis whose
// length is no multiple. Between closed walls places may lie outside.
struct Row {
  Vec3i first;
  int32_t width;
  int32_t split, gap;  // target number `split` and those behind it lie `gap` sites farther

  KILN_HD int32_t x_of(int32_t i) const { return first.x + width * i + (i >= split ? gap : 0); }
};

// Where the tiles of one round lie, and where in them the targets.
struct Round {
  Vec3i tile;
  int apart;
  Vec3i shift;
  Vec3i count;  // tiles per axis
  uint32_t priority_key, row_key;

  // Tiles are numbered x fastest, with gaps: every row begins at a multiple of kStride.
  KILN_HD uint32_t row_length() const { return (uint32_t(count.x) + kStride - 1) / kStride * kStride; }
  KILN_HD uint32_t rows() const { return uint32_t(count.y) * uint32_t(count.z); }
  KILN_HD uint64_t tiles() const { return uint64_t(row_length()) * rows(); }

  // Row (j, k) of tiles. Rows are displaced at random, each for itself: by any amount along x, by what keeps
  // them `apart` along y and z. In step, they would drag cells along.
  KILN_HD Row row_at(const Lattice& lattice, uint32_t j, uint32_t k) const {
    const uint32_t h = mixed((k * uint32_t(count.y) + j) ^ row_key);
    Row row{shift, tile.x, count.x, 0};
    row.first.x += int32_t((h & 0xFFFF) * uint32_t(tile.x) >> 16);
    row.first.y += tile.y * int32_t(j) + int32_t((h >> 16 & 0xFF) * uint32_t(tile.y - apart + 1) >> 8);
    if (lattice.dimension == 3)
      row.first.z += tile.z * int32_t(k) + int32_t((h >> 24) * uint32_t(tile.z - apart + 1) >> 8);
    for (int axis = 0; axis < lattice.dimension; ++axis)
      if (lattice.periodic[axis] && row.first[axis] >= lattice.size[axis])
        row.first[axis] -= lattice.size[axis];
    if (!lattice.periodic.x) {
      if (row.first.x > 0) row.first.x -= tile.x;
      return row;
    }
    const int32_t before_wall = (lattice.size.x - row.first.x + tile.x - 1) / tile.x;
    if (before_wall < count.x) {  // begin with those that lie behind the wall
      row.first.x += tile.x * before_wall - lattice.size.x;
      row.split = count.x - before_wall;
      row.gap = lattice.size.x - tile.x * count.x;
    }
    return row;
  }
};

// Tiles per axis. A periodic axis holds as many whole tiles as fit, from any place on; along a closed one the
// first and the last tile may lie half outside. Either way every site is a target equally often.
KILN_HD constexpr Vec3i tile_counts(const Lattice& lattice, const Settings& settings) {
  Vec3i counts{1, 1, 1};
  for (int axis = 0; axis < lattice.dimension; ++axis) {
    const int32_t side = settings.tile[axis], beyond = lattice.periodic[axis] ? 0 : 2 * (side - 1);
    counts[axis] = (lattice.size[axis] + beyond) / side;
  }
  return counts;
}

KILN_HD inline Round round_at(const Lattice& lattice, const Settings& settings, uint64_t seed,
                              uint64_t number) {
  const Draw bits = draw(seed, Stream::tile_rounds, number, 0);
  Digits digits{bits.ab()};
  Round round{settings.tile, settings.apart, {0, 0, 0}, tile_counts(lattice, settings), bits.c, bits.d};
  for (int axis = 0; axis < lattice.dimension; ++axis)
    round.shift[axis] = lattice.periodic[axis] ? int32_t(digits.take(uint32_t(lattice.size[axis])))
                                               : -int32_t(digits.take(uint32_t(settings.tile[axis])));
  return round;
}

// A draw has four words, for tiles kStride apart, so that a vector of draws serves four vectors of
// neighbouring tiles.
//
// Where there are more than 2^32 tiles, the upper halves of their numbers are apart from those of rounds, of
// which there are fewer than 2^48.
KILN_HD inline uint64_t draw_index(uint64_t round, uint64_t tile) {
  const uint64_t high = round >> 32 ^ tile >> 32 << 16, low = uint32_t(tile);
  return high << 32 | (low / kGroup * kStride + low % kStride);
}
KILN_HD inline Draw draw_for(uint64_t seed, uint64_t round, uint64_t tile) {
  return draw(seed, Stream::tile_attempts, draw_index(round, tile), uint32_t(round));
}

// A word chooses the neighbour to copy from; what is left of it decides the threshold.
KILN_HD inline int direction_of(uint32_t word, int neighbours) {
  return int(uint64_t(word) * uint32_t(neighbours) >> 32);
}
KILN_HD inline uint32_t threshold_bits_of(uint32_t word, int neighbours) {
  return word * uint32_t(neighbours);
}

// The order in which attempts of a round come first at a cell they share: random, all different, and anew in
// every round, so that no side of a cell is favoured. Tiles whose numbers have the same lower half are far
// apart.
KILN_HD inline uint32_t priority_of(uint32_t tile, uint32_t key) { return mixed(tile ^ key); }

// A claim on a cell. Later passes have smaller stamps, so old claims never stand in the way.
KILN_HD inline uint64_t claim_of(uint32_t stamp, uint32_t priority) {
  return uint64_t(stamp) << 32 | priority;
}

}  // namespace kiln::tiles
