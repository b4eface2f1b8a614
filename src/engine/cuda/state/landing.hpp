// Where things from a device arrive on the host, piece by piece: one is under way while the one before is
// taken in.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/cuda/driver/driver.hpp"

namespace kiln::cuda {

class Landing {
 public:
  explicit Landing(const Device& device) : device_(device) {}

  // Brings `count` items here. send(first, n, to) starts copying n items to `to`, in the stream;
  // take_in(first, n, from) puts them in their place.
  template <class Send, class TakeIn>
  void bring(int64_t count, int64_t bytes_each, const Stream& stream, const Send& send,
             const TakeIn& take_in) {
    const int64_t piece = kBytes / bytes_each;
    Event arrived[2] = {Event(device_), Event(device_)};
    const auto start = [&](int64_t first, int which) {
      if (memory_[which].size() == 0) memory_[which] = Pinned<uint8_t>(device_, kBytes);
      send(first, std::min(piece, count - first), memory_[which].data());
      arrived[which].record(stream);
    };
    if (count > 0) start(0, 0);
    for (int64_t first = 0, which = 0; first < count; first += piece, which = 1 - which) {
      if (first + piece < count) start(first + piece, int(1 - which));
      arrived[which].synchronize();
      take_in(first, std::min(piece, count - first), memory_[which].data());
    }
  }

 private:
  static constexpr int64_t kBytes = int64_t(32) << 20;

  Device device_;
  Pinned<uint8_t> memory_[2];
};

}  // namespace kiln::cuda
