// Counter-based random numbers: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy
// as 1, 2, 3", SC 2011). A number is a pure function of (seed, stream, index, step), so it never matters who
// draws it, or when.
#pragma once

#include "core/streams.hpp"
#include "core/types.hpp"

namespace kiln {

struct Draw {
  uint32_t a, b, c, d;

  KILN_HD constexpr uint64_t ab() const { return uint64_t(a) | uint64_t(b) << 32; }
  KILN_HD constexpr uint64_t cd() const { return uint64_t(c) | uint64_t(d) << 32; }
};

KILN_HD constexpr Draw philox(Draw counter, uint32_t key_low, uint32_t key_high) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p = uint64_t(0xD2511F53u) * counter.a;
    const uint64_t q = uint64_t(0xCD9E8D57u) * counter.c;
    counter = Draw{uint32_t(q >> 32) ^ counter.b ^ key_low, uint32_t(q),
                   uint32_t(p >> 32) ^ counter.d ^ key_high, uint32_t(p)};
    key_low += 0x9E3779B9u;
    key_high += 0xBB67AE85u;
  }
  return counter;
}

// The draw with number `index` of step `step` (an MCS, a step of the initial state, ...) in a stream.
KILN_HD constexpr Draw draw(uint64_t seed, Stream stream, uint64_t index, uint32_t step) {
  return philox(Draw{uint32_t(index), uint32_t(index >> 32), step, uint32_t(stream)}, uint32_t(seed),
                uint32_t(seed >> 32));
}

// Draws first .. first + count - 1 of a step, as 64-bit halves: out[2 i] is ab() and out[2 i + 1] is cd() of
// draw i. Much faster than one at a time.
#ifndef __CUDACC_RTC__
void draw_many(uint64_t seed, Stream stream, uint64_t first, uint32_t step, int count, uint64_t* out);
#endif

// 64 uniform bits as a number in [0, 1) whose leading digit in any base can be taken off, again and again:
// one draw gives z, then y, then x, then a direction. The bias is at most (product of the bases) / 2^64.
struct Digits {
  uint64_t rest;

  KILN_HD constexpr uint32_t take(uint32_t base) {
#ifdef __CUDA_ARCH__
    const uint32_t digit = uint32_t(__umul64hi(rest, uint64_t(base)));
    rest *= base;
    return digit;
#else
    const auto product = static_cast<unsigned __int128>(rest) * base;
    rest = uint64_t(product);
    return uint32_t(product >> 64);
#endif
  }
};

// Uniform in (0, 1), never 0 or 1 in double; in float it may round to 1.
KILN_HD constexpr double unit_double(uint64_t bits) { return (double(bits >> 12) + 0.5) * 0x1p-52; }
KILN_HD constexpr float unit_float(uint32_t bits) { return float(bits) * 0x1p-32f + 0x1p-33f; }

}  // namespace kiln
