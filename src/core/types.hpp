// The few types that everything shares. Compiled by host compilers and by NVRTC alike.
#pragma once

#ifdef __CUDACC_RTC__
using int8_t = signed char;
using uint8_t = unsigned char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned int;
using int64_t = long long;
using uint64_t = unsigned long long;
#else
#include <cstdint>
#endif

// KILN_HD marks what runs on the host and on a device.
#ifdef __CUDACC__
#define KILN_HD __host__ __device__
#else
#define KILN_HD
#endif

// For the few functions on the hot path that a compiler would otherwise call with everything passed through
// memory.
#ifdef __CUDACC__
#define KILN_HOT KILN_HD __forceinline__
#else
#define KILN_HOT inline __attribute__((always_inline))
#endif
// For long ones that few models use, inside such a function: on a processor they cost the others registers.
#ifdef __CUDACC__
#define KILN_APART KILN_HD
#else
#define KILN_APART __attribute__((noinline))
#endif

namespace kiln {

using Site = int64_t;     // index into the lattice, x fastest
using CellId = uint32_t;  // 0 is the medium
using TypeId = uint8_t;   // 0 is the medium's type
using ActValue = uint16_t;

inline constexpr CellId kMedium = 0;
// What lies beyond a closed wall: no neighbour for any term. Never stored in a lattice.
inline constexpr CellId kNowhere = 0xFFFFFFFFu;
inline constexpr int kMaxTypes = 256;

// A value per axis. 2-D lattices have z = 0 and a depth of 1.
template <class T>
struct Vec3 {
  T x{}, y{}, z{};

  KILN_HD constexpr T& operator[](int axis) { return axis == 0 ? x : axis == 1 ? y : z; }
  KILN_HD constexpr const T& operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
  KILN_HD constexpr bool operator==(const Vec3& o) const { return x == o.x && y == o.y && z == o.z; }
  KILN_HD constexpr Vec3 operator+(const Vec3& o) const { return {T(x + o.x), T(y + o.y), T(z + o.z)}; }
  KILN_HD constexpr Vec3 operator-(const Vec3& o) const { return {T(x - o.x), T(y - o.y), T(z - o.z)}; }
  KILN_HD constexpr Vec3 operator*(T s) const { return {T(x * s), T(y * s), T(z * s)}; }
};

template <class T>
KILN_HD constexpr T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

using Vec3i = Vec3<int32_t>;
using Vec3f = Vec3<float>;
using Vec3d = Vec3<double>;

}  // namespace kiln
