// Pairs of cells that touch.
#pragma once

#include <algorithm>
#include <vector>

#include "core/types.hpp"

namespace kiln {

inline uint64_t pair_of(CellId a, CellId b) { return uint64_t(std::min(a, b)) << 32 | std::max(a, b); }

// Each kept once. Open addressing; 0 is an empty slot, which no pair of cells can be.
class PairSet {
 public:
  void insert(uint64_t pair) {
    uint64_t& seen = recent_[mixed(pair) >> (64 - kRecentBits)];
    if (seen == pair) return;
    seen = pair;
    if (2 * size_ >= slots_.size()) grow();
    place(pair);
  }

  // Makes room first: walking through one table in the order of its hashes would heap up in a smaller one.
  void insert(const PairSet& other) {
    while (2 * (size_ + other.size_) >= slots_.size()) grow();
    other.for_each([&](uint64_t pair) { place(pair); });
  }

  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const uint64_t pair : slots_)
      if (pair != 0) visit(pair);
  }

 private:
  static constexpr int kRecentBits = 14;

  // Ids of neighbours differ in few bits; both multiplications are needed to keep their pairs apart. The
  // leading bits are the best mixed. (The multiplier is 2^64 over the golden ratio.)
  static uint64_t mixed(uint64_t pair) {
    constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15ull;
    pair *= kMultiplier;
    return (pair ^ pair >> 32) * kMultiplier;
  }

  void place(uint64_t pair) {
    std::size_t i = mixed(pair) >> shift_;
    while (slots_[i] != 0 && slots_[i] != pair) i = (i + 1) & (slots_.size() - 1);
    if (slots_[i] == 0) ++size_;
    slots_[i] = pair;
  }

  void grow() {
    std::vector<uint64_t> old(slots_.size() * 2);
    old.swap(slots_);
    --shift_;
    size_ = 0;
    for (const uint64_t pair : old)
      if (pair != 0) place(pair);
  }

  std::vector<uint64_t> slots_ = std::vector<uint64_t>(1024);
  int shift_ = 54;  // 64 - log2 of the number of slots
  std::size_t size_ = 0;
  // The same pair comes again and again; this answers most of them from a small, close memory.
  std::vector<uint64_t> recent_ = std::vector<uint64_t>(1 << kRecentBits);
};

}  // namespace kiln
