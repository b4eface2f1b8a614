// Hashes whose values are kept: seeds of sweeps and of fidelity, names in the kernel cache, the state hash.
#pragma once

#include <cstdint>
#include <string_view>

namespace kiln {

// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv), with 64 or 128 bits.
template <class Word>
struct Fnv1a;
template <>
struct Fnv1a<uint64_t> {
  static constexpr uint64_t kBasis = 0xcbf29ce484222325u, kPrime = 0x100000001b3u;
};
template <>
struct Fnv1a<unsigned __int128> {
  using Word = unsigned __int128;
  static constexpr Word kBasis = Word(0x6c62272e07bb0142u) << 64 | 0x62b821756295c58du;
  static constexpr Word kPrime = Word(1) << 88 | 0x13bu;
};

// Of a text, or of several one after the other, where `hash` is that of those before.
template <class Word = uint64_t>
constexpr Word fnv1a(std::string_view text, Word hash = Fnv1a<Word>::kBasis) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * Fnv1a<Word>::kPrime;
  return hash;
}

// The finaliser of MurmurHash3: every bit of the input reaches every bit of the output.
constexpr uint64_t mixed_bits(uint64_t h) {
  h ^= h >> 33;
  h *= 0xFF51AFD7ED558CCDull;
  h ^= h >> 33;
  h *= 0xC4CEB9FE1A85EC53ull;
  return h ^ (h >> 33);
}

}  // namespace kiln
