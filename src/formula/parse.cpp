#include "formula/parse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"
#include "formula/functions.hpp"
#include "formula/tokens.hpp"

namespace kiln::formula {
namespace {

constexpr std::size_t kLongest = 20'000;  // characters
constexpr int kDeepest = 200;             // nested parentheses and signs

// A part of a formula, with its text for messages.
struct Part {
  int32_t node;
  Kind kind;
  std::string_view text;
};

class Parser {
 public:
  Parser(std::string_view text, const Scope& scope, Tree& tree)
      : text_(text), scope_(scope), tree_(tree), tokens_(tokens_of(text, scope)) {}

  Part whole() {
    if (tokens_.size() == 1) throw FormulaError("a formula is missing.");
    const Part result = condition();
    if (now().is(")")) throw FormulaError(fmt::format("\")\" {} closes nothing.", place(now())));
    if (now().is(","))
      throw FormulaError(fmt::format("\",\" {} stands outside of a function's parentheses.", place(now())));
    if (now().kind != Token::Kind::end) throw no_sign_before();
    return result;
  }

  static std::string place(const Token& token) { return fmt::format("(character {})", token.at); }

 private:
  const Token& now() const { return tokens_[at_]; }
  bool take(std::string_view sign) {
    if (!now().is(sign)) return false;
    ++at_;
    return true;
  }
  // From a token to before the present one.
  std::string_view text_from(std::size_t first) const {
    const std::size_t begin = tokens_[first].at - 1,
                      end = tokens_[at_ - 1].at - 1 + tokens_[at_ - 1].text.size();
    return text_.substr(begin, end - begin);
  }
  Part part(int32_t node, Kind kind, std::size_t first) const {
    if (const auto value = tree_.constant(node); value && !is_finite(*value))
      throw FormulaError(fmt::format("\"{}\" is not finite.", text_from(first)));
    return {node, kind, text_from(first)};
  }

  int32_t number_for(std::string_view who, const Part& part) const {
    if (part.kind == Kind::number) return part.node;
    throw FormulaError(fmt::format("{} takes numbers, and \"{}\" is a condition.", who, part.text));
  }
  int32_t condition_for(std::string_view who, const Part& part) const {
    if (part.kind == Kind::condition) return part.node;
    throw FormulaError(
        fmt::format("{} takes conditions, and \"{}\" is a number; compare it with another.", who, part.text));
  }

  struct Depth {
    int& depth;
    explicit Depth(int& counter) : depth(counter) {
      if (++depth > kDeepest) throw FormulaError(fmt::format("it is nested more than {} deep.", kDeepest));
    }
    ~Depth() { --depth; }
  };

  Part condition() {
    const std::size_t first = at_;
    Part left = conjunction();
    while (take("or")) {
      const int32_t a = condition_for("or", left), b = condition_for("or", conjunction());
      left = part(tree_.apply(Op::either, a, b), Kind::condition, first);
    }
    return left;
  }

  Part conjunction() {
    const std::size_t first = at_;
    Part left = inversion();
    while (take("and")) {
      const int32_t a = condition_for("and", left), b = condition_for("and", inversion());
      left = part(tree_.apply(Op::both, a, b), Kind::condition, first);
    }
    return left;
  }

  Part inversion() {
    const std::size_t first = at_;
    if (!take("not")) return comparison();
    const Depth depth(depth_);
    const int32_t inner = condition_for("not", inversion());
    return part(tree_.apply(Op::invert, inner), Kind::condition, first);
  }

  static bool compares(const Token& token) {
    return token.is("<") || token.is(">") || token.is("<=") || token.is(">=") || token.is("==") ||
           token.is("!=");
  }

  Part comparison() {
    const std::size_t first = at_;
    const Part left = sum();
    if (!compares(now())) return left;
    const std::string_view sign = tokens_[at_++].text;
    const int32_t a = number_for(sign, left), b = number_for(sign, sum());
    if (compares(now()))
      throw FormulaError(fmt::format("\"{} {} ...\" compares twice; join two comparisons with and.",
                                     text_from(first), now().text));
    int32_t node;
    if (sign == "<" || sign == ">")
      node = sign == "<" ? tree_.apply(Op::less, a, b) : tree_.apply(Op::less, b, a);
    else if (sign == "<=" || sign == ">=")
      node = sign == "<=" ? tree_.apply(Op::less_equal, a, b) : tree_.apply(Op::less_equal, b, a);
    else
      node = tree_.apply(Op::equal, a, b);
    if (sign == "!=") node = tree_.apply(Op::invert, node);
    return part(node, Kind::condition, first);
  }

  Part sum() {
    const std::size_t first = at_;
    Part left = product();
    while (now().is("+") || now().is("-")) {
      const std::string_view sign = tokens_[at_++].text;
      const int32_t a = number_for(sign, left), b = number_for(sign, product());
      left = part(tree_.apply(sign == "+" ? Op::add : Op::subtract, a, b), Kind::number, first);
    }
    return left;
  }

  Part product() {
    const std::size_t first = at_;
    Part left = signed_power();
    while (now().is("*") || now().is("/")) {
      const std::string_view sign = tokens_[at_++].text;
      const int32_t a = number_for(sign, left), b = number_for(sign, signed_power());
      left = part(tree_.apply(sign == "*" ? Op::multiply : Op::divide, a, b), Kind::number, first);
    }
    return left;
  }

  // -x^2 is -(x^2).
  Part signed_power() {
    const Depth depth(depth_);
    const std::size_t first = at_;
    if (take("+")) return part(number_for("+", signed_power()), Kind::number, first);
    if (take("-")) return part(tree_.apply(Op::negate, number_for("-", signed_power())), Kind::number, first);
    const Part base = operand();
    if (!take("^")) return base;
    const int32_t a = number_for("^", base), b = number_for("^", signed_power());
    return part(tree_.apply(Op::power, a, b), Kind::number, first);
  }

  Part operand() {
    const std::size_t first = at_;
    const Token token = now();
    if (token.kind == Token::Kind::end)
      throw FormulaError(
          at_ == 0 ? std::string("a formula is missing.")
                   : fmt::format("there is nothing behind \"{}\" at its end.", tokens_[at_ - 1].text));
    ++at_;
    if (token.kind == Token::Kind::number) return part(tree_.number(token.number), Kind::number, first);
    if (token.is("(")) {
      const Part inner = condition();
      close(token);
      return part(inner.node, inner.kind, first);
    }
    if (token.kind == Token::Kind::sign || token.is("and") || token.is("or"))
      throw FormulaError(first == 0
                             ? fmt::format("there is nothing before \"{}\" {}.", token.text, place(token))
                             : fmt::format("there is nothing between \"{}\" and \"{}\" {}.",
                                           tokens_[first - 1].text, token.text, place(token)));
    if (now().is("(")) return call(token, first);
    return name(token, first);
  }

  void close(const Token& opened) {
    if (take(")")) return;
    if (now().kind == Token::Kind::end)
      throw FormulaError(fmt::format("\"(\" {} is not closed.", place(opened)));
    if (now().is(","))
      throw FormulaError(fmt::format("\",\" {} stands outside of a function's parentheses.", place(now())));
    throw no_sign_before();
  }

  // 8 h, or two operands side by side.
  FormulaError no_sign_before() const {
    const Token& before = tokens_[at_ - 1];
    const std::string better = before.kind == Token::Kind::number && !tokens_[at_ + 1].is("(")
                                   ? with_unit(before.text, now().text, scope_)
                                   : "";
    if (!better.empty())
      return FormulaError(fmt::format("\"{} {}\" {} is no number; write {}.", before.text, now().text,
                                      place(before), better));
    return FormulaError(
        fmt::format("there is no sign between \"{}\" and \"{}\" {}.", before.text, now().text, place(now())));
  }

  Part name(const Token& token, std::size_t first) {
    const std::string word(token.text);
    if (const auto constant = scope_.constants.find(word); constant != scope_.constants.end())
      return part(tree_.number(constant->second), Kind::number, first);
    if (std::find(scope_.values.begin(), scope_.values.end(), word) != scope_.values.end())
      return part(tree_.input({word, ""}), Kind::number, first);
    refuse_unit(token, first);
    if (is_function(word))
      throw FormulaError(fmt::format("{} {} is a function: write {}(...).", word, place(token), word));
    std::vector<std::string> known = scope_.values;
    for (const auto& [constant, value] : scope_.constants) known.push_back(constant);
    throw unknown(token, known, "");
  }

  // A unit as a name: 8 * h, or 1 / hour. min is a function, too, and d is rarely meant as days.
  void refuse_unit(const Token& token, std::size_t first) const {
    const bool of_number =
        first >= 2 && tokens_[first - 1].is("*") && tokens_[first - 2].kind == Token::Kind::number;
    const std::string better = with_unit(of_number ? tokens_[first - 2].text : "1", token.text, scope_);
    if (better.empty() || (!of_number && (token.is("min") || token.is("d")))) return;
    throw FormulaError(
        scope_.units.contains(std::string(token.text))
            ? fmt::format("{} {} is a unit: write {}.", token.text, place(token), better)
            : fmt::format("\"{}\" {} is not known; write {}.", token.text, place(token), better));
  }

  std::vector<std::string> called() const {
    std::vector<std::string> names = function_names();
    for (const auto& [unit, factor] : scope_.units) names.push_back(unit);
    for (const Scope::Query& query : scope_.queries) names.push_back(query.name);
    if (!scope_.draws) std::erase_if(names, [](const auto& n) { return n == "uniform" || n == "normal"; });
    return names;
  }
  bool is_function(const std::string& word) const {
    const std::vector<std::string> names = called();
    return std::find(names.begin(), names.end(), word) != names.end();
  }

  static FormulaError unknown(const Token& token, const std::vector<std::string>& known,
                              const std::string& as) {
    const std::vector<std::string_view> names(known.begin(), known.end());
    const std::string_view near = nearest_name(token.text, names);
    if (!near.empty())
      return FormulaError(
          fmt::format("{}\"{}\" {} is not known; did you mean {}?", as, token.text, place(token), near));
    if (known.empty())
      return FormulaError(
          fmt::format("{}\"{}\" {} is not known; there are none here.", as, token.text, place(token)));
    return FormulaError(fmt::format("{}\"{}\" {} is not known; there are {}.", as, token.text, place(token),
                                    fmt::join(known, ", ")));
  }

  Part call(const Token& token, std::size_t first) {
    const std::string word(token.text);
    const Token opened = now();
    ++at_;
    for (const Scope::Query& query : scope_.queries)
      if (query.name == word) return ask(query, opened, first);
    const std::vector<Part> given = arguments(opened);
    const auto require = [&](std::size_t count, bool any_more = false) {
      if (given.size() == count || (any_more && given.size() > count)) return;
      throw FormulaError(fmt::format("{} {} takes {} {}, and here are {}.", word, place(token),
                                     any_more ? fmt::format("{} or more", count) : fmt::format("{}", count),
                                     count == 1 && !any_more ? "value" : "values", given.size()));
    };
    std::vector<int32_t> nodes;
    const auto numbers = [&] {
      for (const Part& one : given) nodes.push_back(number_for(word, one));
    };
    if (const auto unit = scope_.units.find(word); unit != scope_.units.end()) {
      require(1);
      numbers();
      return part(tree_.apply(Op::multiply, nodes[0], tree_.number(unit->second)), Kind::number, first);
    }
    if (word == "if") {
      require(3);
      const int32_t when = condition_for(word, given[0]), a = number_for(word, given[1]),
                    b = number_for(word, given[2]);
      return part(tree_.apply(Op::choose, when, a, b), Kind::number, first);
    }
    if (word == "uniform" || word == "normal") {
      if (!scope_.draws)
        throw FormulaError(
            fmt::format("{} {} draws a random number, which is of no use here.", word, place(token)));
      require(2);
      numbers();
      return part(word == "uniform" ? uniform(nodes[0], nodes[1]) : normal(nodes[0], nodes[1]), Kind::number,
                  first);
    }
    for (const Function& function : functions())
      if (function.name == word) {
        require(std::size_t(function.arguments), function.any_more);
        numbers();
        return part(function.build(tree_, nodes), Kind::number, first);
      }
    if (std::find(scope_.values.begin(), scope_.values.end(), word) != scope_.values.end() ||
        scope_.constants.contains(word))
      throw FormulaError(
          fmt::format("{} {} is no function; for a product write {} * (...).", word, place(token), word));
    const std::string better = given.size() == 1 ? with_unit(given[0].text, word, scope_) : "";
    if (!better.empty())
      throw FormulaError(
          fmt::format("the function \"{}\" {} is not known; write {}.", word, place(token), better));
    throw unknown(token, called(), "the function ");
  }

  std::vector<Part> arguments(const Token& opened) {
    std::vector<Part> given;
    if (take(")")) return given;
    do given.push_back(condition());
    while (take(","));
    close(opened);
    return given;
  }

  Part ask(const Scope::Query& query, const Token& opened, std::size_t first) {
    const Token of = now();
    if (of.kind != Token::Kind::name)
      throw FormulaError(
          fmt::format("{} {} takes the name of {}.", query.name, place(tokens_[first]), query.of));
    if (std::find(query.known.begin(), query.known.end(), of.text) == query.known.end())
      throw unknown(of, query.known, fmt::format("{} takes the name of {}, and ", query.name, query.of));
    ++at_;
    if (!now().is(")") && now().kind != Token::Kind::end)
      throw FormulaError(fmt::format("{} {} takes the name of {} and nothing else.", query.name,
                                     place(tokens_[first]), query.of));
    close(opened);
    return part(tree_.input({query.name, std::string(of.text)}), Kind::number, first);
  }

  int32_t uniform(int32_t low, int32_t high) {
    return tree_.apply(Op::add, low,
                       tree_.apply(Op::multiply, tree_.apply(Op::subtract, high, low), tree_.draw()));
  }
  // Box and Muller's way. A draw may be 0, never 1.
  int32_t normal(int32_t mean, int32_t deviation) {
    constexpr double kTwoPi = 0x1.921fb54442d18p+2;
    const int32_t a = tree_.apply(Op::subtract, tree_.number(1), tree_.draw());
    const int32_t b = tree_.apply(Op::multiply, tree_.number(kTwoPi), tree_.draw());
    const int32_t length =
        tree_.apply(Op::sqrt, tree_.apply(Op::multiply, tree_.number(-2), tree_.apply(Op::log, a)));
    const int32_t standard = tree_.apply(Op::multiply, length, tree_.apply(Op::cos, b));
    return tree_.apply(Op::add, mean, tree_.apply(Op::multiply, deviation, standard));
  }

  std::string_view text_;
  const Scope& scope_;
  Tree& tree_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

int32_t parse(std::string_view text, const Scope& scope, Kind wanted, Tree& tree) {
  if (text.size() > kLongest)
    throw FormulaError(fmt::format("it has {} characters, and {} are the most.", text.size(), kLongest));
  const Part result = Parser(text, scope, tree).whole();
  if (result.kind != wanted)
    throw FormulaError(wanted == Kind::number
                           ? "it is a condition, and a number is wanted."
                           : "it is a number, and a condition is wanted; compare it with another.");
  return result.node;
}

}  // namespace kiln::formula
