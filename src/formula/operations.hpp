// What formulas are made of: operations on doubles. A condition is 1 where it holds, else 0. Compiled for
// host and device, so both give the same bits.
#pragma once

#include "core/functions.hpp"

namespace kiln::formula {

enum class Op : uint8_t {
  number,  // a constant
  input,   // a value that is given for every cell
  add,
  subtract,
  multiply,
  divide,
  negate,
  power,
  less,
  less_equal,
  equal,
  both,
  either,
  invert,
  choose,  // the second where the first holds, else the third
  min,
  max,
  abs,
  floor,
  sqrt,
  exp,
  log,
  tanh,
  sin,
  cos,
  kCount
};

// How many values an operation takes.
KILN_HD constexpr int arguments_of(Op op) {
  switch (op) {
    case Op::number:
    case Op::input:
    case Op::kCount:
      return 0;
    case Op::negate:
    case Op::invert:
    case Op::abs:
    case Op::floor:
    case Op::sqrt:
    case Op::exp:
    case Op::log:
    case Op::tanh:
    case Op::sin:
    case Op::cos:
      return 1;
    case Op::choose:
      return 3;
    default:
      return 2;
  }
}

// Both sides of a choice are worked out.
template <Op kOp>
KILN_HD inline double apply(double a, [[maybe_unused]] double b = 0, [[maybe_unused]] double c = 0) {
  if constexpr (kOp == Op::add) return a + b;
  if constexpr (kOp == Op::subtract) return a - b;
  if constexpr (kOp == Op::multiply) return a * b;
  if constexpr (kOp == Op::divide) return a / b;
  if constexpr (kOp == Op::negate) return -a;
  if constexpr (kOp == Op::power) return pow_of(a, b);
  if constexpr (kOp == Op::less) return a < b ? 1.0 : 0.0;
  if constexpr (kOp == Op::less_equal) return a <= b ? 1.0 : 0.0;
  if constexpr (kOp == Op::equal) return a == b ? 1.0 : 0.0;
  if constexpr (kOp == Op::both) return a * b;
  if constexpr (kOp == Op::either) return a > b ? a : b;
  if constexpr (kOp == Op::invert) return 1.0 - a;
  if constexpr (kOp == Op::choose) return a != 0 ? b : c;
  if constexpr (kOp == Op::min) return a < b ? a : b;
  if constexpr (kOp == Op::max) return a > b ? a : b;
  if constexpr (kOp == Op::abs) return abs_of(a);
  if constexpr (kOp == Op::floor) return floor_of(a);
  if constexpr (kOp == Op::sqrt) return sqrt_of(a);
  if constexpr (kOp == Op::exp) return exp_of(a);
  if constexpr (kOp == Op::log) return log_of(a);
  if constexpr (kOp == Op::tanh) return tanh_of(a);
  if constexpr (kOp == Op::sin) return sin_of(a);
  if constexpr (kOp == Op::cos) return cos_of(a);
}

}  // namespace kiln::formula
