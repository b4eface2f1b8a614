// Equations in time, one system for every cell: Runge and Kutta's fourth-order method. A step of it is a
// formula itself, so there is one way to work it out on processors and GPUs.
#pragma once

#include "formula/program.hpp"

namespace kiln::formula {

struct System {
  std::vector<Input> unknowns;
  std::vector<int32_t>
      derivatives;  // per second: nodes of a tree, which may read unknowns, other inputs and the time
};

inline const Input kTime{"time", ""};  // in seconds

class Equations {
 public:
  // Advance by `seconds` in `steps` steps. The tree grows by the formulas of a step.
  Equations(Tree& tree, const System& system, double seconds, int steps);

  // Inputs that stay as they are: neither unknowns nor the time.
  const std::vector<Input>& given() const { return given_; }
  // Columns of `count` values: the unknowns, in place, and what is given. `time` is that of the beginning.
  void advance(std::span<double* const> unknowns, std::span<const double* const> given, double time,
               int64_t count) const;
  // A step, for a GPU; its inputs are those of the program, and its results the unknowns.
  const Program& step() const { return step_; }
  // What each input of a step is: an unknown or a given value, by its number, or the time.
  struct Source {
    enum class Kind { unknown, given, time } kind;
    std::size_t number;
  };
  const std::vector<Source>& sources() const { return sources_; }
  double seconds_per_step() const { return seconds_per_step_; }
  int steps() const { return steps_; }

 private:
  Program step_;
  double seconds_per_step_;
  int steps_;
  std::vector<Input> given_;
  std::vector<Source> sources_;
};

}  // namespace kiln::formula
