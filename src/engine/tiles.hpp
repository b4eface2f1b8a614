// The `tiles` schedule: what is tried when, the same on every engine, for any number of threads and on any
// device.
//
// An MCS is played in rounds. Each round cuts the lattice into tiles, `spacing` sites wide, at a random
// shift, and every tile tries one copy, all of them at once, into its first site. Targets are so far apart
// that no attempt sees another's target, so all that attempts of a round have in common is the sizes of their
// cells. Those are settled in passes: all attempts still open are judged on the sizes as they are; each
// accepted one claims its two cells, and the claim of the lowest priority stands; whoever holds both its
// cells is carried out; whoever finds a better claim on one of its cells stays open for the next pass. Played
// until nothing is open, a round has the outcome of its attempts made one after the other; models for which
// it makes no difference get fewer passes. See docs/parallel.md.
#pragma once

#include "core/lattice.hpp"
#include "core/random.hpp"

namespace kiln::tiles {

// What shapes the result. It follows from the model alone.
struct Settings {
  int spacing = 3;
  // Passes of a round; in the last one every accepted attempt is carried out, claimed cells or not. 0: until
  // nothing is open.
  int passes = 0;
};

inline constexpr uint32_t kStride = 32;
inline constexpr uint32_t kGroup = 4 * kStride;

// Where the tiles of one round lie.
struct Round {
  Vec3i shift;
  Vec3i count;   // tiles per axis; may be 0 on a closed axis shorter than the spacing
  uint32_t key;  // turns tile numbers into priorities
  int spacing;

  // Tiles are numbered x fastest, with gaps: every row begins at a multiple of kStride.
  KILN_HD uint32_t row_length() const { return (uint32_t(count.x) + kStride - 1) / kStride * kStride; }
  KILN_HD uint32_t rows() const { return uint32_t(count.y) * uint32_t(count.z); }
  KILN_HD int64_t tiles() const { return int64_t(count.x) * rows(); }

  // The first site of tile number i along an axis.
  KILN_HD int32_t place(const Lattice& lattice, int axis, int32_t i) const {
    const int32_t p = shift[axis] + spacing * i;
    return p < lattice.size[axis] ? p : p - lattice.size[axis];
  }
};

// A periodic axis holds as many whole tiles as fit, from any place on; a closed one starts within the first
// tile. Either way every site is the first of a tile equally often.
KILN_HD inline Round round_at(const Lattice& lattice, int spacing, uint64_t seed, uint64_t number) {
  const Draw bits = draw(seed, Stream::tile_rounds, number, 0);
  Digits digits{bits.ab()};
  Round round{{0, 0, 0}, {1, 1, 1}, bits.c, spacing};
  for (int axis = 0; axis < lattice.dimension; ++axis) {
    const int32_t length = lattice.size[axis];
    round.shift[axis] = int32_t(digits.take(uint32_t(lattice.periodic[axis] ? length : spacing)));
    round.count[axis] =
        lattice.periodic[axis] ? length / spacing : (length - round.shift[axis] + spacing - 1) / spacing;
  }
  return round;
}

// A draw has four words, for tiles kStride apart, so that a vector of draws serves four vectors of
// neighbouring tiles.
KILN_HD inline uint64_t draw_index(uint64_t round, uint32_t tile) {
  return (round >> 32 << 32) | (tile / kGroup * kStride + tile % kStride);
}
KILN_HD inline Draw draw_for(uint64_t seed, uint64_t round, uint32_t tile) {
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
// every round, so that no side of a cell is favoured. (MurmurHash3's finaliser maps words one to one.)
KILN_HD inline uint32_t priority_of(uint32_t tile, uint32_t key) {
  uint32_t h = tile ^ key;
  h = (h ^ h >> 16) * 0x85EBCA6Bu;
  h = (h ^ h >> 13) * 0xC2B2AE35u;
  return h ^ h >> 16;
}

// A claim on a cell. Later passes have smaller stamps, so old claims never stand in the way.
KILN_HD inline uint64_t claim_of(uint32_t stamp, uint32_t priority) {
  return uint64_t(stamp) << 32 | priority;
}

}  // namespace kiln::tiles
