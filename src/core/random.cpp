#include "core/random.hpp"

#include "base/processor.hpp"

namespace kiln {

// Eight draws side by side, so that a vectorising compiler keeps them in vector registers.
KILN_ALL_LEVELS
void draw_many(uint64_t seed, Stream stream, uint64_t first, uint32_t step, int count, uint64_t* out) {
  constexpr int kLanes = 8;
  uint32_t m0 = 0xD2511F53u, m1 = 0xCD9E8D57u;
  // Hides the constants: GCC would turn the products into chains of shifts, slower than multiplying.
  asm("" : "+r"(m0), "+r"(m1));
  for (int begin = 0; begin < count; begin += kLanes) {
    uint32_t a[kLanes], b[kLanes], c[kLanes], d[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint64_t index = first + uint64_t(begin + lane);
      a[lane] = uint32_t(index);
      b[lane] = uint32_t(index >> 32);
      c[lane] = step;
      d[lane] = uint32_t(stream);
    }
    uint32_t key_low = uint32_t(seed), key_high = uint32_t(seed >> 32);
    for (int round = 0; round < 10; ++round) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const uint64_t p = uint64_t(m0) * a[lane], q = uint64_t(m1) * c[lane];
        const uint32_t next_a = uint32_t(q >> 32) ^ b[lane] ^ key_low, next_b = uint32_t(q);
        const uint32_t next_c = uint32_t(p >> 32) ^ d[lane] ^ key_high, next_d = uint32_t(p);
        a[lane] = next_a;
        b[lane] = next_b;
        c[lane] = next_c;
        d[lane] = next_d;
      }
      key_low += 0x9E3779B9u;
      key_high += 0xBB67AE85u;
    }
    const int lanes = count - begin < kLanes ? count - begin : kLanes;
    for (int lane = 0; lane < lanes; ++lane) {
      out[2 * (begin + lane)] = uint64_t(a[lane]) | uint64_t(b[lane]) << 32;
      out[2 * (begin + lane) + 1] = uint64_t(c[lane]) | uint64_t(d[lane]) << 32;
    }
  }
}

}  // namespace kiln
