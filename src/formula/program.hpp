// Formulas as a list of steps: run over many cells at a time on a processor, or written out for a GPU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formula/tree.hpp"

namespace kiln::formula {

class Program {
 public:
  Program() = default;
  // Of some nodes of a tree: as many results.
  Program(const Tree& tree, const std::vector<int32_t>& results);

  // What has to be given, in this order; inputs of the tree that no result needs are left out.
  const std::vector<Input>& inputs() const { return inputs_; }
  std::size_t results() const { return results_.size(); }

  // `inputs` and `results` are arrays of `count` values each. Results may be arrays of inputs.
  void run(std::span<const double* const> inputs, std::span<double* const> results, int64_t count) const;

  // A device function `name(const double (&in)[], double (&out)[])` in CUDA C++, which does the same to one
  // value each. It needs formula/operations.hpp.
  std::string cuda_function(const std::string& name) const;

 private:
  // Places of values: inputs first, then numbers, then registers.
  struct Step {
    Op op;
    uint32_t to, of[3];
  };
  std::vector<Input> inputs_;
  std::vector<double> numbers_;
  std::vector<Step> steps_;
  std::vector<uint32_t> results_;  // places
  uint32_t places_ = 0;
};

// Values of a program's inputs, for messages: "x 3, a random number 0.5".
std::string text_of_inputs(const Program& program, const std::vector<double>& values);

}  // namespace kiln::formula
