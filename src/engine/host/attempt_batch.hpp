// Copy attempts to come. What they try does not depend on the state, so many are drawn at once with vector
// instructions, and the memory they point at is fetched before they are judged.
#pragma once

#include <algorithm>
#include <bit>

#include "core/random.hpp"
#include "engine/host/world.hpp"

namespace kiln {

// Sixty-four random bits make an attempt, so one Philox draw makes two: number i has half i % 2 of draw i
// / 2. What the coordinates and the direction leave over (29 bits for 2^30 sites in 3-D) decides the
// threshold.
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

// kSize attempts in a row, as arrays.
template <int Dim>
class AttemptBatch {
 public:
  static constexpr int kSize = 32;  // one bit each in a word

  // Attempts first, first + 1, ... of an MCS; fewer than kSize, or none, at its end.
  [[gnu::noinline]] void draw(const StateReader<Dim>& reader, uint64_t seed, uint32_t mcs, Site first,
                              float temperature) {
    const Lattice& lattice = reader.lattice();
    count_ = int(std::clamp<Site>(lattice.sites() - first, 0, kSize));
    open_ = to_fetch_ = 0;
    sites_fetched_ = 0;
    if (count_ == 0) return;
    draw_places(seed, first, mcs, lattice);
    for (int i = 0; i < kSize; ++i) threshold[i] = acceptance_threshold(temperature, high_[i]);
    for (int i = 0; i < kSize; ++i) interior[i] = reader.is_interior({x_[i], y_[i], z_[i]});
    for (int i = 0; i < kSize; ++i)
      target[i] = Site(uint64_t(uint32_t(z_[i] * lattice.size.y + y_[i])) * uint32_t(lattice.size.x)) + x_[i];
    for (int i = 0; i < kSize; ++i) {
      source[i] = target[i] + reader.neighbour_offset(direction[i]);
      if (interior[i] == 0) [[unlikely]]
        source[i] = reader.neighbour_anywhere(place(i), direction[i]);
      __builtin_prefetch(reader.ids() + target[i]);
      __builtin_prefetch(reader.ids() + source[i]);
    }
    for (int i = 0; i < kSize; ++i) {
      target_key_[i] = uint16_t(target[i]);
      source_key_[i] = uint16_t(source[i]);
    }
  }

  // Opens the attempts that are between different cells as the lattice is now. The rest are null, until a
  // copy touches their sites.
  void open_between_cells(const StateReader<Dim>& reader) {
    for (int i = 0; i < count_; ++i)
      open_ |= uint32_t(reader.ids()[target[i]] != reader.ids()[source[i]]) << i;
    to_fetch_ = open_;
  }

  // Fetching ahead, a little at a time: a processor has only so many loads under way, and asking for more
  // than that at once makes it wait.
  void fetch_sites(const StateReader<Dim>& reader, int how_many) {
    const int last = std::min(sites_fetched_ + how_many, count_);
    for (int i = sites_fetched_; i < last; ++i) {
      __builtin_prefetch(reader.ids() + target[i]);
      __builtin_prefetch(reader.ids() + source[i]);
    }
    sites_fetched_ = last;
  }
  void fetch_one_neighbourhood(const StateReader<Dim>& reader) {
    if (to_fetch_ == 0) return;
    const int i = std::countr_zero(to_fetch_);
    to_fetch_ &= to_fetch_ - 1;
    if (interior[i] != 0) reader.prefetch_rows(target[i]);
    reader.prefetch_cell(reader.ids()[target[i]]);
    reader.prefetch_cell(reader.ids()[source[i]]);
  }

  bool any_open() const { return open_ != 0; }
  // The first open attempt; it is closed by this.
  int next_open() {
    const int i = std::countr_zero(open_);
    open_ &= open_ - 1;
    return i;
  }

  // A copy changed this site: opens the attempts after number i that look at it, for they may have come to
  // life. Sixteen bits of each site are compared first, eight at a time; that nearly always settles it.
  void touch(Site site, int after) {
    const uint16_t key = uint16_t(site);
    uint16_t any = 0;
    for (int k = 0; k < kSize; ++k)
      any = uint16_t(any | uint16_t(target_key_[k] == key) | uint16_t(source_key_[k] == key));
    if (any == 0) [[likely]]
      return;
    for (int k = after + 1; k < count_; ++k) open_ |= uint32_t(target[k] == site || source[k] == site) << k;
  }
  // The attempt's own target would always be found by the comparison above.
  void touch_later(int i) {
    target_key_[i] = uint16_t(~target[i]);
    source_key_[i] = uint16_t(~target[i]);
    touch(target[i], i);
  }

  Vec3i place(int i) const { return {x_[i], y_[i], z_[i]}; }

  // Per attempt. Where the source lies beyond a closed wall it is the target: a null attempt, as it should
  // be.
  Site target[kSize], source[kSize];
  int32_t direction[kSize];  // from target to source
  uint32_t interior[kSize];  // of the target
  float threshold[kSize];

 private:
  // attempt_draw for all of them, each loop over all: that is what compilers vectorise.
  void draw_places(uint64_t seed, Site first, uint32_t mcs, const Lattice& lattice) {
    alignas(64) uint64_t bits[kSize];
    draw_many(seed, Stream::attempts, uint64_t(first / 2), mcs, kSize / 2, bits);
    for (int i = 0; i < kSize; ++i) {
      high_[i] = uint32_t(bits[i] >> 32);
      low_[i] = uint32_t(bits[i]);
    }
    if (Dim == 3) take(z_, uint32_t(lattice.size.z));
    take(y_, uint32_t(lattice.size.y));
    take(x_, uint32_t(lattice.size.x));
    take(direction, Moore<Dim>::kCount);
  }
  // Digits::take in two halves.
  void take(int32_t* digit, uint32_t base) {
    for (int i = 0; i < kSize; ++i) {
      const uint64_t lower = uint64_t(low_[i]) * base;
      const uint64_t upper = uint64_t(high_[i]) * base + (lower >> 32);
      digit[i] = int32_t(upper >> 32);
      high_[i] = uint32_t(upper);
      low_[i] = uint32_t(lower);
    }
  }

  int count_ = 0;
  uint32_t open_ = 0;      // a bit per attempt
  uint32_t to_fetch_ = 0;  // likewise
  int sites_fetched_ = 0;
  uint16_t target_key_[kSize], source_key_[kSize];  // low bits of the sites
  int32_t x_[kSize], y_[kSize], z_[kSize] = {};     // of the target
  uint32_t high_[kSize], low_[kSize];               // random bits not yet used
};

}  // namespace kiln
