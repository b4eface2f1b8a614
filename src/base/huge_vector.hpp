// Memory for what is accessed at random: huge pages, because a simulation otherwise spends its time walking
// page tables. HugeVector is the fixed-size, zeroed array that lattices are made of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "base/parallel.hpp"

namespace kiln {

// Aligned memory that goes back with std::free; on huge pages where it is large and the system grants them.
inline void* allocate_huge(std::size_t bytes) {
  constexpr std::size_t kHugePage = std::size_t(2) << 20;
  const std::size_t alignment = bytes >= kHugePage ? kHugePage : 64;
  bytes = (bytes + alignment - 1) / alignment * alignment;
  void* data = std::aligned_alloc(alignment, bytes);
  if (data == nullptr) throw std::bad_alloc();
#ifdef __linux__
  if (alignment == kHugePage) madvise(data, bytes, MADV_HUGEPAGE);
#endif
  return data;
}

template <class T>
class HugeVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  HugeVector() = default;
  explicit HugeVector(std::size_t size) { allocate(size); }
  // Uninitialised, for callers that write every element from several threads: touching fresh pages on one is
  // slow.
  static HugeVector unset(std::size_t size) { return HugeVector(size, Uninitialised{}); }
  HugeVector(const HugeVector& other) {
    allocate(other.size_);
    if (size_ > 0) std::memcpy(data_, other.data_, size_ * sizeof(T));
  }
  HugeVector(HugeVector&& other) noexcept { swap(other); }
  HugeVector& operator=(HugeVector other) noexcept {
    swap(other);
    return *this;
  }
  ~HugeVector() { std::free(data_); }

  void swap(HugeVector& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  // Keeps the memory where it is large enough already: fresh pages cost more than copying.
  void assign(const HugeVector& other, int threads) {
    if (size_ != other.size_) HugeVector(other.size_, Uninitialised{}).swap(*this);
    in_parallel(int64_t(size_), threads, [&](int, int64_t begin, int64_t end) {
      if (begin < end) std::memcpy(data_ + begin, other.data_ + begin, std::size_t(end - begin) * sizeof(T));
    });
  }
  void fill(T value) { std::fill(begin(), end(), value); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  bool operator==(const HugeVector& o) const {
    return size_ == o.size_ && std::equal(begin(), end(), o.begin());
  }

 private:
  // Loads of four neighbours at once may look a few elements past either end of a row.
  static constexpr std::size_t kSlack = 64;

  struct Uninitialised {};
  HugeVector(std::size_t size, Uninitialised) {
    if (size == 0) return;
    data_ = static_cast<T*>(allocate_huge(size * sizeof(T) + kSlack));
    std::memset(static_cast<void*>(data_ + size), 0, kSlack);
    size_ = size;
  }

  void allocate(std::size_t size) {
    HugeVector(size, Uninitialised{}).swap(*this);
    if (size > 0) std::memset(static_cast<void*>(data_), 0, size * sizeof(T));
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kiln
