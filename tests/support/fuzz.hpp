// Files that something has happened to. A round's number says what, so that any of them can be made again.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.hpp"

namespace kiln::fuzz {

// KILN_FUZZ=N makes N rounds of the largest kind, KILN_FUZZ_FROM=K begins with round K.
inline uint32_t setting(const char* name, uint32_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : uint32_t(std::strtoul(text, nullptr, 10));
}
inline uint32_t rounds() { return setting("KILN_FUZZ", 4000); }
inline uint32_t first_round() { return setting("KILN_FUZZ_FROM", 0); }

// Small numbers in a row, all from one round.
class Dice {
 public:
  explicit Dice(uint32_t round) : round_(round) {}

  uint32_t below(uint32_t count) {
    const Draw d = draw(2025, Stream::pictures, round_, used_++);
    return uint32_t(uint64_t(d.a) * count >> 32);
  }
  template <class List>
  const auto& one_of(const List& list) {
    return list[below(uint32_t(std::size(list)))];
  }

 private:
  uint32_t round_, used_ = 0;
};

// A bit, a byte or a few, mostly near the start, where headers are.
inline void change_byte(std::string& bytes, Dice& dice) {
  if (bytes.empty()) return;
  static constexpr uint8_t kSpecial[] = {0, 1, 2, 3, 4, 8, 16, 0x7F, 0x80, 0xFE, 0xFF};
  const auto size = uint32_t(bytes.size());
  const uint32_t at = dice.below(dice.below(4) != 0 ? std::min(size, 600u) : size);
  const uint32_t kind = dice.below(4);
  if (kind == 0) {
    bytes[at] = char(uint8_t(bytes[at]) ^ 1u << dice.below(8));
  } else if (kind == 1) {
    bytes[at] = char(dice.below(256));
  } else {
    const auto value = char(dice.one_of(kSpecial));
    for (uint32_t k = 0; k < (kind == 2 ? 1u : 4u) && at + k < size; ++k) bytes[at + k] = value;
  }
}

// Some bytes changed; a third is also cut off.
inline std::string damaged(std::string bytes, uint32_t round) {
  Dice dice(round);
  if (dice.below(3) == 0) bytes.resize(dice.below(uint32_t(bytes.size())));
  for (uint32_t changes = 1 + dice.below(6); changes > 0; --changes) change_byte(bytes, dice);
  return bytes;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

// A value, a word or a sign of a line becomes another.
inline void change_token(std::string& line, Dice& dice) {
  static constexpr std::string_view kValues[] = {"0",
                                                 "-1",
                                                 "1",
                                                 "2",
                                                 "3",
                                                 "0.5",
                                                 "-0.0",
                                                 "1e-300",
                                                 "1e300",
                                                 "-1e300",
                                                 "nan",
                                                 "inf",
                                                 "-inf",
                                                 "1e9",
                                                 "2147483648",
                                                 "4294967295",
                                                 "4294967296",
                                                 "9223372036854775807",
                                                 "-9223372036854775808",
                                                 "99999999999999999999",
                                                 "true",
                                                 "\"\"",
                                                 "\"medium\"",
                                                 "\"x\"",
                                                 "[]",
                                                 "{}",
                                                 "[0, 0]",
                                                 "[1, 1, 1]",
                                                 "[[]]",
                                                 "{ a = 1 }",
                                                 "1979-05-27",
                                                 "\"\\u0000\"",
                                                 "[1e9, -1e9, 7]"};
  const auto is_part = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.' || c == '"';
  };
  std::vector<std::pair<std::size_t, std::size_t>> tokens;  // begin, length
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at + 1;
    if (is_part(line[at]))
      while (end < line.size() && is_part(line[end])) ++end;
    if (line[at] != ' ' && line[at] != '\n') tokens.emplace_back(at, end - at);
    at = end;
  }
  if (tokens.empty()) return;
  const auto [begin, length] = dice.one_of(tokens);
  line.replace(begin, length, dice.below(8) == 0 ? std::string_view() : dice.one_of(kValues));
}

// A text of lines `key = value`: words changed, lines lost, doubled, moved or taken from another.
inline std::string garbled(const std::string& text, const std::string& other, uint32_t round) {
  Dice dice(round);
  std::vector<std::string> lines = lines_of(text);
  const std::vector<std::string> others = lines_of(other);
  for (uint32_t changes = 1 + dice.below(3); changes > 0 && !lines.empty(); --changes) {
    const std::size_t at = dice.below(uint32_t(lines.size()));
    const auto place = lines.begin() + std::ptrdiff_t(at);
    switch (dice.below(12)) {
      case 0:
        lines.erase(place);
        break;
      case 1:
        lines.insert(place, std::string(lines[at]));
        break;
      case 2:
        std::swap(lines[at], lines[dice.below(uint32_t(lines.size()))]);
        break;
      case 3:
        lines.insert(place, dice.one_of(others));
        break;
      case 4:
        change_byte(lines[at], dice);
        break;
      default:
        change_token(lines[at], dice);
    }
  }
  std::string result;
  for (const std::string& line : lines) result += line;
  return result;
}

}  // namespace kiln::fuzz
