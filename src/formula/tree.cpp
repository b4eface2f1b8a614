#include "formula/tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace kiln::formula {
namespace {

constexpr int32_t kNone = -1;

// Of a power of two: a product with it has the bits of the division, and takes less time.
std::optional<double> exact_reciprocal(double value) {
  int exponent = 0;
  if (std::abs(std::frexp(value, &exponent)) != 0.5 || std::abs(exponent) > 1000) return std::nullopt;
  return 1 / value;
}

using Applied = double (*)(double, double, double);

template <std::size_t... kOps>
constexpr std::array<Applied, sizeof...(kOps)> table_of(std::index_sequence<kOps...>) {
  return {[](double a, double b, double c) -> double {
    if constexpr (arguments_of(Op(kOps)) > 0)
      return apply<Op(kOps)>(a, b, c);
    else
      return 0.0;
  }...};
}

}  // namespace

double applied(Op op, double a, double b, double c) {
  static constexpr auto table = table_of(std::make_index_sequence<std::size_t(Op::kCount)>());
  return table[std::size_t(op)](a, b, c);
}

int32_t Tree::place_of(const Node& node) {
  const Key key{node.op,   std::bit_cast<uint64_t>(node.number), node.input, node.of[0], node.of[1],
                node.of[2]};
  const auto [place, is_new] = places_.try_emplace(key, int32_t(nodes_.size()));
  if (is_new) nodes_.push_back(node);
  return place->second;
}

int32_t Tree::number(double value) {
  Node node;
  node.number = value;
  return place_of(node);
}

int32_t Tree::input(const Input& what) {
  const auto found = std::find(inputs_.begin(), inputs_.end(), what);
  Node node;
  node.op = Op::input;
  node.input = uint32_t(found - inputs_.begin());
  if (found == inputs_.end()) inputs_.push_back(what);
  return place_of(node);
}

std::optional<double> Tree::constant(int32_t node) const {
  const Node& n = nodes_[std::size_t(node)];
  return n.op == Op::number ? std::optional(n.number) : std::nullopt;
}

int32_t Tree::draw() {
  const auto before =
      std::count_if(inputs_.begin(), inputs_.end(), [](const Input& i) { return i.draw >= 0; });
  return input({"", "", int(before)});
}

int32_t Tree::apply(Op op, int32_t a, int32_t b, int32_t c) {
  Node node;
  node.op = op;
  const int32_t given[] = {a, b, c};
  double values[3] = {0, 0, 0};
  bool known = true;
  for (int i = 0; i < arguments_of(op); ++i) {
    node.of[i] = given[i];
    const std::optional<double> value = constant(given[i]);
    known = known && value.has_value();
    values[i] = value.value_or(0);
  }
  if (known) return number(applied(op, values[0], values[1], values[2]));
  if (op == Op::power && constant(b) && is_power_of_products(values[1])) return products(a, values[1]);
  if (op == Op::divide && constant(b))
    if (const std::optional<double> factor = exact_reciprocal(values[1]))
      return apply(Op::multiply, a, number(*factor));
  return place_of(node);
}

// A power as pow_of works it out, product by product.
int32_t Tree::products(int32_t base, double exponent) {
  int32_t result = kNone;
  for (int32_t n = int32_t(abs_of(exponent)); n > 0; n >>= 1) {
    if ((n & 1) != 0) result = result == kNone ? base : apply(Op::multiply, result, base);
    if (n > 1) base = apply(Op::multiply, base, base);
  }
  if (result == kNone) result = number(1);
  return exponent < 0 ? apply(Op::divide, number(1), result) : result;
}

int32_t Tree::replaced(int32_t node, const std::map<Input, int32_t>& by) {
  std::vector<bool> needed(std::size_t(node) + 1, false);
  needed[std::size_t(node)] = true;
  for (int32_t n = node; n >= 0; --n)
    for (int i = 0; needed[std::size_t(n)] && i < arguments_of(nodes_[std::size_t(n)].op); ++i)
      needed[std::size_t(nodes_[std::size_t(n)].of[i])] = true;
  std::vector<int32_t> now(std::size_t(node) + 1, 0);
  for (int32_t n = 0; n <= node; ++n) {
    if (!needed[std::size_t(n)]) continue;
    const Node old = nodes_[std::size_t(n)];
    int32_t& place = now[std::size_t(n)];
    place = n;
    if (old.op == Op::input) {
      if (const auto found = by.find(inputs_[old.input]); found != by.end()) place = found->second;
    } else if (old.op != Op::number) {
      place = apply(old.op, now[std::size_t(old.of[0])], now[std::size_t(old.of[1])],
                    now[std::size_t(old.of[2])]);
    }
  }
  return now[std::size_t(node)];
}

}  // namespace kiln::formula
