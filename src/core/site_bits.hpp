// A bit for every site. Rows have words of their own: several threads may set bits of different rows.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "core/types.hpp"

namespace kiln {

class SiteBits {
 public:
  SiteBits() = default;
  explicit SiteBits(const Vec3i& size)
      : size_(size),
        words_per_row_(std::size_t(size.x + 63) / 64),
        words_(words_per_row_ * std::size_t(size.y) * std::size_t(size.z)) {}

  bool empty() const { return words_.empty(); }
  const Vec3i& size() const { return size_; }
  bool operator[](const Vec3i& place) const { return (words_[word(place)] >> (place.x % 64) & 1) != 0; }
  void set(const Vec3i& place, bool value) {
    const uint64_t bit = uint64_t(1) << (place.x % 64);
    uint64_t& bits = words_[word(place)];
    bits = value ? bits | bit : bits & ~bit;
  }
  int64_t count() const {
    int64_t sum = 0;
    for (const uint64_t word : words_) sum += std::popcount(word);
    return sum;
  }

 private:
  std::size_t word(const Vec3i& place) const {
    return (std::size_t(place.z) * std::size_t(size_.y) + std::size_t(place.y)) * words_per_row_ +
           std::size_t(place.x / 64);
  }

  Vec3i size_{0, 0, 0};
  std::size_t words_per_row_ = 0;
  std::vector<uint64_t> words_;
};

}  // namespace kiln
