// A formula's text, cut into numbers, names and signs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kiln::formula {

struct Scope;

struct Token {
  enum class Kind { number, name, sign, end };

  Kind kind;
  std::string_view text;
  std::size_t at;  // its first character, counted from 1
  double number = 0;

  bool is(std::string_view sign) const { return kind != Kind::number && text == sign; }
};

// The last one is the end. Throws FormulaError.
std::vector<Token> tokens_of(std::string_view text, const Scope& scope);

// What formulas write for a number, or another operand, with a unit behind it: "h(8)" for 8 and "hours"; ""
// where the word is no unit, or the scope lacks it.
std::string with_unit(std::string_view number, std::string_view word, const Scope& scope);

}  // namespace kiln::formula
