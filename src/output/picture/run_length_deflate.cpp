#include "output/picture/run_length_deflate.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <queue>
#include <utility>

namespace kiln {
namespace {

constexpr int kShortestRun = 3, kLongestRun = 258, kEndOfBlock = 256;
constexpr std::size_t kBlockTokens = 1 << 16;
constexpr int kLongestCode = 15;  // bits

struct LengthCode {
  uint16_t symbol, base;
  uint8_t extra_bits;
};

// The table of RFC 1951, 3.2.5, by length.
const std::array<LengthCode, kLongestRun + 1>& length_codes() {
  static const auto codes = [] {
    std::array<LengthCode, kLongestRun + 1> result{};
    int length = kShortestRun;
    for (int symbol = 257; symbol < 285; ++symbol) {
      const int extra = symbol < 265 ? 0 : (symbol - 261) / 4, base = length;
      for (; length < base + (1 << extra); ++length)
        if (length <= kLongestRun) result[length] = {uint16_t(symbol), uint16_t(base), uint8_t(extra)};
    }
    result[kLongestRun] = {285, kLongestRun, 0};
    return result;
  }();
  return codes;
}

// Bits of each symbol in Huffman's code; 0 where it does not occur. Where the longest is too long, the counts
// are made more alike.
std::vector<int> code_lengths(std::vector<uint32_t> counts) {
  using Node = std::pair<uint64_t, int>;
  for (;;) {
    std::vector<int> parent(counts.size(), -1), lengths(counts.size());
    std::priority_queue<Node, std::vector<Node>, std::greater<>> open;
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (counts[i] > 0) open.push({counts[i], int(i)});
    while (open.size() > 1) {
      const Node a = open.top();
      open.pop();
      const Node b = open.top();
      open.pop();
      parent[a.second] = parent[b.second] = int(parent.size());
      open.push({a.first + b.first, int(parent.size())});
      parent.push_back(-1);
    }
    std::vector<int> depth(parent.size());
    for (std::size_t i = parent.size(); i-- > 0;)  // parents come after children
      if (parent[i] >= 0) depth[i] = depth[parent[i]] + 1;
    std::copy_n(depth.begin(), lengths.size(), lengths.begin());
    if (*std::max_element(lengths.begin(), lengths.end()) <= kLongestCode) return lengths;
    for (uint32_t& count : counts) count = count > 0 ? count / 4 + 1 : 0;
  }
}

// Canonical codes, bits reversed: deflate has a code's first bit first.
std::vector<uint32_t> codes_of(const std::vector<int>& lengths) {
  std::vector<uint32_t> codes(lengths.size());
  uint32_t code = 0;
  for (int bits = 1; bits <= kLongestCode; ++bits, code <<= 1)
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      if (lengths[i] != bits) continue;
      for (int b = 0; b < bits; ++b) codes[i] |= (code >> b & 1) << (bits - 1 - b);
      ++code;
    }
  return codes;
}

// How many bytes from `at` on are the same; eight at a time.
std::size_t run_at(const uint8_t* bytes, std::size_t at, std::size_t count) {
  std::size_t end = at + 1;
  const uint64_t eight = bytes[at] * 0x0101010101010101u;
  for (uint64_t next; end + 8 <= count; end += 8) {
    std::memcpy(&next, bytes + end, 8);
    if (next != eight) break;
  }
  while (end < count && bytes[end] == bytes[at]) ++end;
  return end - at;
}

}  // namespace

RunLengthDeflate::RunLengthDeflate() { tokens_.reserve(kBlockTokens); }

void RunLengthDeflate::add(const uint8_t* bytes, std::size_t count) {
  for (std::size_t at = 0; at < count;) {
    const std::size_t run = run_at(bytes, at, count);
    put_token(bytes[at]);
    std::size_t left = run - 1;
    for (; left >= kShortestRun; left -= std::min<std::size_t>(left, kLongestRun))
      put_token(kLengths + int(std::min<std::size_t>(left, kLongestRun)));
    for (; left > 0; --left) put_token(bytes[at]);
    at += run;
  }
}

void RunLengthDeflate::put_token(int token) {
  if (tokens_.size() == kBlockTokens) put_block(false);
  tokens_.push_back(uint16_t(token));
  ++counts_[token < kLengths ? token : length_codes()[token - kLengths].symbol];
}

// At most 32 bits at a time.
void RunLengthDeflate::put_bits(uint64_t bits, int count) {
  bits_ |= bits << bit_count_;
  bit_count_ += count;
  if (bit_count_ < 32) return;
  const char four[] = {char(uint8_t(bits_)), char(uint8_t(bits_ >> 8)), char(uint8_t(bits_ >> 16)),
                       char(uint8_t(bits_ >> 24))};
  out_.append(four, 4);
  bit_count_ -= 32;
  bits_ >>= 32;
}

void RunLengthDeflate::put_block(bool last) {
  counts_[kEndOfBlock] = 1;
  // A block of one symbol alone would have a code of no bits.
  if (std::count(counts_.begin(), counts_.end(), 0u) == kSymbols - 1) counts_[0] = 1;
  const std::vector<int> lengths = code_lengths({counts_.begin(), counts_.end()});
  const std::vector<uint32_t> codes = codes_of(lengths);
  put_bits(last ? 1 : 0, 1);
  put_bits(2, 2);               // codes of its own:
  put_bits(kSymbols - 257, 5);  // for all literals and lengths,
  put_bits(0, 5);               // for one distance, which is 1,
  put_bits(15, 4);              // told as lengths of four bits each, in the order 16, 17, 18, 0, 8, ...
  for (int i = 0; i < 19; ++i) put_bits(i < 3 ? 0 : 4, 3);
  const auto put_length = [&](int length) {
    int reversed = 0;
    for (int b = 0; b < 4; ++b) reversed |= (length >> b & 1) << (3 - b);
    put_bits(uint64_t(reversed), 4);
  };
  for (const int length : lengths) put_length(length);
  put_length(1);
  // Of every token: its code, and with a length what is beyond its base, and 0 for the distance.
  std::array<std::pair<uint32_t, int>, kLengths + kLongestRun + 1> bits_of{};
  for (int token = 0; token < kLengths; ++token) bits_of[token] = {codes[token], lengths[token]};
  for (int run = kShortestRun; run <= kLongestRun; ++run) {
    const LengthCode& length = length_codes()[run];
    const int bits = lengths[length.symbol];
    bits_of[kLengths + run] = {codes[length.symbol] | uint32_t(run - length.base) << bits,
                               bits + length.extra_bits + 1};
  }
  for (const uint16_t token : tokens_) put_bits(bits_of[token].first, bits_of[token].second);
  put_bits(codes[kEndOfBlock], lengths[kEndOfBlock]);
  tokens_.clear();
  counts_ = {};
}

std::string RunLengthDeflate::finish() {
  put_block(true);
  for (; bit_count_ > 0; bit_count_ -= 8, bits_ >>= 8) out_ += char(uint8_t(bits_));
  return std::move(out_);
}

}  // namespace kiln
