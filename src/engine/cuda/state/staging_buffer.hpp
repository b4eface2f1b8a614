// Pinned, double-buffered staging memory for downloads: one piece is being copied while the one before is
// unpacked.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/cuda/driver/driver.hpp"

namespace kiln::cuda {

class StagingBuffer {
 public:
  static constexpr int64_t kBytes = int64_t(32) << 20;  // of a piece

  explicit StagingBuffer(const Device& device) : device_(device) {}

  // Downloads `count` items. start_copy(first, n, to) starts copying n items to `to`, in the stream;
  // unpack_piece(first, n, from) puts them in their place.
  template <class StartCopy, class UnpackPiece>
  void download(int64_t count, int64_t bytes_each, const Stream& stream, const StartCopy& start_copy,
                const UnpackPiece& unpack_piece) {
    const int64_t piece = kBytes / bytes_each;
    Event arrived[2] = {Event(device_), Event(device_)};
    const auto start = [&](int64_t first, int which) {
      if (memory_[which].size() == 0) memory_[which] = Pinned<uint8_t>(device_, kBytes);
      start_copy(first, std::min(piece, count - first), memory_[which].data());
      arrived[which].record(stream);
    };
    if (count > 0) start(0, 0);
    for (int64_t first = 0, which = 0; first < count; first += piece, which = 1 - which) {
      if (first + piece < count) start(first + piece, int(1 - which));
      arrived[which].synchronize();
      unpack_piece(first, std::min(piece, count - first), memory_[which].data());
    }
  }

 private:
  Device device_;
  Pinned<uint8_t> memory_[2];
};

}  // namespace kiln::cuda
