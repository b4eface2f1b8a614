// What bricks tell each other while they are played, as it travels. Read by both compilers.
#pragma once

#include "core/box.hpp"
#include "core/moments.hpp"

namespace kiln {

// A copy. The target is a site of the sender's brick, x fastest.
struct SentCopy {
  static constexpr int kPerimeterBits = 12, kTargetBits = 64 - 2 * kPerimeterBits;

  uint64_t packed;
  CellId winner, loser;  // numbers

  SentCopy() = default;
  KILN_HD SentCopy(uint64_t target, CellId won, CellId lost, int32_t winner_perimeter,
                   int32_t loser_perimeter)
      : packed(target << 2 * kPerimeterBits | field_of(winner_perimeter) << kPerimeterBits |
               field_of(loser_perimeter)),
        winner(won),
        loser(lost) {}

  KILN_HD uint64_t target() const { return packed >> 2 * kPerimeterBits; }
  KILN_HD int16_t winner_perimeter() const { return perimeter_at(kTargetBits); }
  KILN_HD int16_t loser_perimeter() const { return perimeter_at(kTargetBits + kPerimeterBits); }

 private:
  KILN_HD static uint64_t field_of(int32_t perimeter) {
    return uint64_t(uint32_t(perimeter)) & ((1u << kPerimeterBits) - 1);
  }
  // The field behind so many bits, with its sign.
  KILN_HD int16_t perimeter_at(int bits) const {
    return int16_t(int64_t(packed << bits) >> (64 - kPerimeterBits));
  }
};
static_assert(sizeof(SentCopy) == 16);

struct SentClaim {
  CellId cell;  // its number
  uint32_t priority;
};

// The sums over the sender's sites of a cell.
struct SentSums {
  CellId cell;  // its number
  uint32_t unused;
  Vec3<int64_t> sum;
  Moments moments;
};

KILN_HD inline uint64_t index_in(const Box& box, const Vec3i& place) {
  const Vec3i p = place - box.low, size = box.size();
  return (uint64_t(p.z) * uint32_t(size.y) + uint32_t(p.y)) * uint32_t(size.x) + uint32_t(p.x);
}
KILN_HD inline Vec3i place_in(const Box& box, uint64_t index) {
  const Vec3i size = box.size();
  const uint64_t row = index / uint32_t(size.x);
  return box.low + Vec3i{int32_t(index % uint32_t(size.x)), int32_t(row % uint32_t(size.y)),
                         int32_t(row / uint32_t(size.y))};
}

}  // namespace kiln
