// From the ids that all ranks know to a rank's own. Open addressing; a few nanoseconds where a
// std::unordered_map takes tens.
#pragma once

#include <vector>

#include "core/types.hpp"

namespace kiln {

class IdMap {
 public:
  // kMedium where there is none.
  CellId find(CellId key) const {
    for (std::size_t i = home(key);; i = next(i)) {
      if (slots_[i].key == key) return slots_[i].value;
      if (slots_[i].key == kMedium) return kMedium;
    }
  }
  void insert(CellId key, CellId value) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    put(key, value);
    count_ += 1;
  }
  void erase(CellId key) {
    std::size_t hole = home(key);
    while (slots_[hole].key != key) hole = next(hole);
    count_ -= 1;
    // Those behind it move up, so that nobody's way to its place is broken.
    for (std::size_t i = next(hole); slots_[i].key != kMedium; i = next(i)) {
      const std::size_t wanted = home(slots_[i].key);
      const bool stays = hole < i ? (hole < wanted && wanted <= i) : (hole < wanted || wanted <= i);
      if (stays) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole] = {};
  }

 private:
  struct Slot {
    CellId key = kMedium, value = kMedium;
  };
  std::size_t home(CellId key) const { return (key * 0x9E3779B97F4A7C15ull >> 32) & (slots_.size() - 1); }
  std::size_t next(std::size_t i) const { return (i + 1) & (slots_.size() - 1); }
  void put(CellId key, CellId value) {
    std::size_t i = home(key);
    while (slots_[i].key != kMedium) i = next(i);
    slots_[i] = {key, value};
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.key != kMedium) put(slot.key, slot.value);
  }

  std::vector<Slot> slots_ = std::vector<Slot>(16);  // a power of two
  std::size_t count_ = 0;
};

}  // namespace kiln
