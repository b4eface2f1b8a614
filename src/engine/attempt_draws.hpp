// The draws of the serial schedule: which target, which source and which threshold attempt number i of an MCS has.
// They do not depend on the state, so they can be made in batches and their memory fetched ahead.
#pragma once

#include "core/random.hpp"
#include "engine/host_world.hpp"

namespace kiln {

// Sixty-four random bits make an attempt, so one Philox draw makes two: number i has half i % 2 of draw i / 2. What
// the coordinates and the direction leave over (29 bits for 2^30 sites in 3-D) decides the threshold.
struct AttemptDraw {
  Vec3i target;
  int direction;  // from target to source
  uint32_t threshold_bits;
};

template <int Dim>
AttemptDraw attempt_draw(uint64_t bits, const Lattice& lattice) {
  Digits digits{bits};
  AttemptDraw result;
  result.target.z = Dim == 3 ? int32_t(digits.take(uint32_t(lattice.size.z))) : 0;
  result.target.y = int32_t(digits.take(uint32_t(lattice.size.y)));
  result.target.x = int32_t(digits.take(uint32_t(lattice.size.x)));
  result.direction = int(digits.take(Moore<Dim>::kCount));
  result.threshold_bits = uint32_t(digits.rest >> 32);
  return result;
}

// The same for many attempts at once, as arrays. Every loop is one that compilers turn into vector instructions.
template <int Dim, int Size>
struct AttemptDraws {
  int32_t x[Size], y[Size], z[Size];  // of the target
  int32_t direction[Size];
  uint32_t threshold_bits[Size];

  void make(uint64_t seed, Site first, uint32_t mcs, const Lattice& lattice) {
    static_assert(Size % 2 == 0);
    alignas(64) uint64_t bits[Size];
    alignas(64) uint32_t high[Size], low[Size];
    draw_many(seed, Stream::attempts, uint64_t(first / 2), mcs, Size / 2, bits);
    for (int i = 0; i < Size; ++i) {
      high[i] = uint32_t(bits[i] >> 32);
      low[i] = uint32_t(bits[i]);
    }
    // Digits::take in two halves.
    const auto take = [&](int32_t* digit, uint32_t base) {
      for (int i = 0; i < Size; ++i) {
        const uint64_t lower = uint64_t(low[i]) * base;
        const uint64_t upper = uint64_t(high[i]) * base + (lower >> 32);
        digit[i] = int32_t(upper >> 32);
        high[i] = uint32_t(upper);
        low[i] = uint32_t(lower);
      }
    };
    if (Dim == 3) take(z, uint32_t(lattice.size.z));
    take(y, uint32_t(lattice.size.y));
    take(x, uint32_t(lattice.size.x));
    take(direction, Moore<Dim>::kCount);
    for (int i = 0; i < Size; ++i) threshold_bits[i] = high[i];
    if (Dim == 2)
      for (int i = 0; i < Size; ++i) z[i] = 0;
  }
};

}  // namespace kiln
