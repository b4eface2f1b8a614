// CUDA C++ as a compiler for processors reads it: put before every kernel by compiler.cpp. No header of the
// system may be included here: kernels bring their own fixed-width types.
#pragma once

#include "interface.hpp"

#define __host__
#define __device__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline
#define __noinline__
#define __align__(bytes) alignas(bytes)

struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};

inline thread_local kiln::emulated::Places emulated_places;
inline const kiln::emulated::Calls* emulated_calls;
alignas(1024) inline thread_local unsigned char emulated_shared_memory[64 << 10];
extern "C" unsigned char* kiln_emulated_shared() { return emulated_shared_memory; }
extern "C" kiln::emulated::Places* kiln_emulated_places() { return &emulated_places; }
extern "C" void kiln_emulated_begin(const kiln::emulated::Calls* calls) { emulated_calls = calls; }

#define threadIdx (emulated_places.thread)
#define blockIdx (emulated_places.block)
#define blockDim (emulated_places.threads)
#define gridDim (emulated_places.blocks)

// Of a block.
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __syncthreads() { emulated_calls->block_barrier(false); }
inline int __syncthreads_or(int mine) { return emulated_calls->block_barrier(mine != 0); }

// Of a warp. What a lane brings has 8 bytes at most.
template <class T>
unsigned long long emulated_bits(T value) {
  static_assert(sizeof(T) <= 8);
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T>
T emulated_value(unsigned long long bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}
inline unsigned emulated_lane() { return emulated_places.thread.x % 32; }

inline void __syncwarp(unsigned mask = ~0u) { emulated_calls->exchange(mask, 0, 0); }
// Lanes run one after the other, and may be told apart at any point.
inline unsigned __activemask() { return 1u << emulated_lane(); }
inline unsigned __ballot_sync(unsigned mask, int mine) {
  const unsigned long long* all = emulated_calls->exchange(mask, mine != 0, 1);
  unsigned result = 0;
  for (int lane = 0; lane < 32; ++lane)
    if ((mask >> lane & 1) != 0 && all[lane] != 0) result |= 1u << lane;
  return result;
}
inline int __any_sync(unsigned mask, int mine) { return __ballot_sync(mask, mine) != 0; }
inline int __all_sync(unsigned mask, int mine) { return __ballot_sync(mask, mine == 0) == 0; }
template <class T>
T __shfl_sync(unsigned mask, T mine, int from) {
  return emulated_value<T>(emulated_calls->exchange(mask, emulated_bits(mine), 2)[from & 31]);
}
template <class T>
T __shfl_down_sync(unsigned mask, T mine, unsigned by) {
  const unsigned long long* all = emulated_calls->exchange(mask, emulated_bits(mine), 3);
  return emulated_lane() + by < 32 ? emulated_value<T>(all[emulated_lane() + by]) : mine;
}
template <class T>
T __shfl_up_sync(unsigned mask, T mine, unsigned by) {
  const unsigned long long* all = emulated_calls->exchange(mask, emulated_bits(mine), 4);
  return emulated_lane() >= by ? emulated_value<T>(all[emulated_lane() - by]) : mine;
}
template <class T>
T __shfl_xor_sync(unsigned mask, T mine, int by) {
  return emulated_value<T>(emulated_calls->exchange(mask, emulated_bits(mine), 5)[emulated_lane() ^ by]);
}
template <class T>
unsigned __match_any_sync(unsigned mask, T mine) {
  const unsigned long long* all = emulated_calls->exchange(mask, emulated_bits(mine), 6);
  unsigned result = 0;
  for (int lane = 0; lane < 32; ++lane)
    if ((mask >> lane & 1) != 0 && all[lane] == emulated_bits(mine)) result |= 1u << lane;
  return result;
}
inline unsigned __reduce_add_sync(unsigned mask, unsigned mine) {
  const unsigned long long* all = emulated_calls->exchange(mask, mine, 7);
  unsigned sum = 0;
  for (int lane = 0; lane < 32; ++lane)
    if ((mask >> lane & 1) != 0) sum += unsigned(all[lane]);
  return sum;
}

template <class T, class V>
T atomicAdd(T* to, V by) {
  return __atomic_fetch_add(to, T(by), __ATOMIC_RELAXED);
}
template <class T, class V>
T atomicOr(T* to, V bits) {
  return __atomic_fetch_or(to, T(bits), __ATOMIC_RELAXED);
}
template <class T, class V>
T atomicExch(T* to, V value) {
  return __atomic_exchange_n(to, T(value), __ATOMIC_RELAXED);
}
template <class T, class U, class V>
T atomicCAS(T* to, U expected, V value) {
  T seen = T(expected);
  __atomic_compare_exchange_n(to, &seen, T(value), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return seen;
}
template <class T, class V>
T atomicMax(T* to, V value) {
  T seen = __atomic_load_n(to, __ATOMIC_RELAXED);
  while (seen < T(value) &&
         !__atomic_compare_exchange_n(to, &seen, T(value), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return seen;
}

template <class T>
T __ldg(const T* from) {
  return *from;
}
template <class T>
T __ldcg(const T* from) {
  return *from;
}
template <class T>
T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T max(T a, T b) {
  return a < b ? b : a;
}
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __ffsll(long long bits) { return __builtin_ffsll(bits); }
constexpr unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
constexpr unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline unsigned __float_as_uint(float value) { return __builtin_bit_cast(unsigned, value); }
inline float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
inline long long __double_as_longlong(double value) { return __builtin_bit_cast(long long, value); }
inline double __longlong_as_double(long long bits) { return __builtin_bit_cast(double, bits); }
inline double __dsqrt_rn(double value) { return __builtin_sqrt(value); }
inline long long llround(double value) { return __builtin_llround(value); }

template <int...>
struct EmulatedInts {};
template <class... Parameters, int... I>
void emulated_call(void (*kernel)(Parameters...), void** arguments, EmulatedInts<I...>) {
  kernel(*static_cast<Parameters*>(arguments[I])...);
}
template <class... Parameters>
constexpr int emulated_count(void (*)(Parameters...)) {
  return sizeof...(Parameters);
}
template <class... Parameters>
struct EmulatedSizes {
  static constexpr unsigned long bytes[sizeof...(Parameters) + 1] = {sizeof(Parameters)..., 0};
};
template <class... Parameters>
constexpr const unsigned long* emulated_sizes(void (*)(Parameters...)) {
  return EmulatedSizes<Parameters...>::bytes;
}
template <auto Kernel>
constexpr kiln::emulated::Kernel emulated_kernel() {
  constexpr int count = emulated_count(Kernel);
  return {
      [](void** arguments) { emulated_call(Kernel, arguments, EmulatedInts<__integer_pack(count)...>{}); },
      emulated_sizes(Kernel), count};
}
