#include "formula/tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.hpp"
#include "formula/parse.hpp"

namespace kiln::formula {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_of_name(char c) { return begins_name(c) || is_digit(c); }

constexpr std::string_view kSigns[] = {"<=", ">=", "==", "!=", "<", ">", "+",
                                       "-",  "*",  "/",  "^",  "(", ")", ","};

// What people write who come from other languages, longest first.
struct Foreign {
  std::string_view sign, instead;
};
constexpr Foreign kForeign[] = {{"**", "^"},  {"&&", "and"}, {"||", "or"}, {"<>", "!="},
                                {"=>", ">="}, {"=<", "<="},  {"&", "and"}, {"|", "or"},
                                {"!", "not"}, {"=", "=="},   {"~", "not"}};

// Other words for units, and by what a number of them is multiplied.
struct UnitWord {
  std::string_view word, unit, factor = "";
};
constexpr UnitWord kUnitWords[] = {
    {"sec", "s"},          {"secs", "s"},      {"second", "s"},    {"seconds", "s"},    {"mins", "min"},
    {"minute", "min"},     {"minutes", "min"}, {"hr", "h"},        {"hrs", "h"},        {"hour", "h"},
    {"hours", "h"},        {"d", "h", "24"},   {"day", "h", "24"}, {"days", "h", "24"}, {"week", "h", "168"},
    {"weeks", "h", "168"}, {"micron", "um"},   {"microns", "um"},  {"\u00B5m", "um"},  // the micro sign
    {"\u03BCm", "um"}};                                                                // the Greek letter

// The characters that a number may have, one e with its sign among them.
std::size_t end_of_number(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && (is_of_name(text[end]) || text[end] == '.')) {
    const bool exponent = (text[end] == 'e' || text[end] == 'E') && end > at && end + 2 < text.size() + 1;
    end += 1;
    if (exponent && end + 1 < text.size() && (text[end] == '+' || text[end] == '-') &&
        is_digit(text[end + 1]))
      end += 1;
  }
  return end;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool opens_behind(std::string_view text, std::size_t at) {
  const auto next = std::find_if_not(text.begin() + std::ptrdiff_t(at), text.end(), is_space);
  return next != text.end() && *next == '(';
}

Token number_at(std::string_view text, std::size_t at, const Scope& scope) {
  const std::string_view word = text.substr(at, end_of_number(text, at) - at);
  if (const auto value = number_in(word)) return {Token::Kind::number, word, at + 1, *value};
  const auto split = std::find_if(word.begin(), word.end(), begins_name);
  const std::string_view digits(word.begin(), split), rest(split, word.end());
  const std::string better = number_in(digits) ? with_unit(digits, rest, scope) : "";
  if (!better.empty() && !opens_behind(text, at + word.size()))
    throw FormulaError(fmt::format("\"{}\" (character {}) is no number; write {}.", word, at + 1, better));
  const bool exponent = !rest.empty() && (rest[0] == 'e' || rest[0] == 'E') &&
                        std::all_of(rest.begin() + 1, rest.end(), is_digit);
  if (number_in(digits) && digits != "0" && !exponent && rest.find('.') == rest.npos)
    throw FormulaError(fmt::format("\"{}\" (character {}) is no number; for a product write {} * {}.", word,
                                   at + 1, digits, rest));
  throw FormulaError(fmt::format("\"{}\" (character {}) is no number.", word, at + 1));
}

// One character, as it is shown: several bytes where it is not of ASCII.
std::string_view character_at(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return text.substr(at, end - at);
}

// A unit with a letter that names have not.
void refuse_micrometres(std::string_view text, std::size_t at, const std::vector<Token>& before,
                        const Scope& scope) {
  const std::string_view word = text.substr(at, std::min<std::size_t>(3, text.size() - at));
  if (with_unit("1", word, scope).empty()) return;
  if (before.empty() || before.back().kind != Token::Kind::number)
    throw FormulaError(fmt::format("\"{}\" (character {}) is not used; write um.", word, at + 1));
  const Token& number = before.back();
  throw FormulaError(fmt::format("\"{}\" (character {}) is no number; write {}.",
                                 text.substr(number.at - 1, at + word.size() - number.at + 1), number.at,
                                 with_unit(number.text, word, scope)));
}

}  // namespace

std::string with_unit(std::string_view number, std::string_view word, const Scope& scope) {
  const auto is_known = [&](std::string_view unit) { return scope.units.contains(std::string(unit)); };
  if (is_known(word)) return fmt::format("{}({})", word, number);
  const auto found = std::find_if(std::begin(kUnitWords), std::end(kUnitWords),
                                  [&](const UnitWord& unit) { return unit.word == word; });
  if (found == std::end(kUnitWords) || !is_known(found->unit) ||
      scope.constants.contains(std::string(word)) ||
      std::find(scope.values.begin(), scope.values.end(), word) != scope.values.end())
    return "";
  if (found->factor.empty()) return fmt::format("{}({})", found->unit, number);
  if (number == "1") return fmt::format("{}({})", found->unit, found->factor);
  return fmt::format("{}({} * {})", found->unit, found->factor,
                     number_in(number) ? std::string(number) : fmt::format("({})", number));
}

std::vector<Token> tokens_of(std::string_view text, const Scope& scope) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (is_space(c)) {
      ++at;
      continue;
    }
    Token token{Token::Kind::sign, {}, at + 1};
    if (is_digit(c) || c == '.') {
      token = number_at(text, at, scope);
    } else if (begins_name(c)) {
      std::size_t end = at;
      while (end < text.size() && is_of_name(text[end])) ++end;
      token.kind = Token::Kind::name;
      token.text = text.substr(at, end - at);
    } else {
      const auto begins = [&](std::string_view sign) { return text.substr(at).starts_with(sign); };
      const auto found = std::find_if(std::begin(kSigns), std::end(kSigns), begins);
      for (const Foreign& foreign : kForeign)
        if (begins(foreign.sign) && (found == std::end(kSigns) || foreign.sign.size() > found->size()))
          throw FormulaError(fmt::format("\"{}\" (character {}) is not used; write {}.", foreign.sign, at + 1,
                                         foreign.instead));
      if (found == std::end(kSigns)) refuse_micrometres(text, at, tokens, scope);
      if (found == std::end(kSigns))
        throw FormulaError(fmt::format("\"{}\" (character {}) has no meaning in a formula.",
                                       character_at(text, at), at + 1));
      token.text = text.substr(at, found->size());
    }
    at += token.text.size();
    tokens.push_back(token);
  }
  tokens.push_back({Token::Kind::end, {}, text.size() + 1});
  return tokens;
}

}  // namespace kiln::formula
