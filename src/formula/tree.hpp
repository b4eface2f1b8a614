// A formula as a tree whose equal branches are one, with constants folded. Folding uses the operations of
// operations.hpp, so it changes no bit of a result.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "formula/operations.hpp"

namespace kiln::formula {

// A value that is given for every cell: a name, and what it is asked of, as in contact(tumour).
struct Input {
  std::string name, of;
  int draw = -1;  // a random number between 0 and 1: which one of its formula

  auto operator<=>(const Input&) const = default;
};

struct Node {
  Op op = Op::number;
  double number = 0;          // of a number
  uint32_t input = 0;         // of an input: its place in Tree::inputs
  int32_t of[3] = {0, 0, 0};  // what it is applied to: earlier nodes
};

class Tree {
 public:
  int32_t number(double value);
  int32_t input(const Input& what);
  int32_t draw();  // a random number of its own
  int32_t apply(Op op, int32_t a, int32_t b = 0, int32_t c = 0);
  // The formula of a node with other nodes in place of some inputs.
  int32_t replaced(int32_t node, const std::map<Input, int32_t>& by);

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Input>& inputs() const { return inputs_; }
  std::optional<double> constant(int32_t node) const;

 private:
  int32_t products(int32_t base, double exponent);
  int32_t place_of(const Node& node);

  using Key = std::tuple<Op, uint64_t, uint32_t, int32_t, int32_t, int32_t>;
  std::vector<Node> nodes_;
  std::map<Key, int32_t> places_;
  std::vector<Input> inputs_;
};

// One operation on numbers.
double applied(Op op, double a, double b, double c);

}  // namespace kiln::formula
