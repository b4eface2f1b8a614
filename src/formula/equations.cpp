#include "formula/equations.hpp"

#include <algorithm>

namespace kiln::formula {
namespace {

constexpr int64_t kBatch = 1024;  // cells whose columns stay in the cache from step to step

// The unknowns after a step: y + h/6 (((k1 + 2 k2) + 2 k3) + k4).
std::vector<int32_t> runge_kutta_step(Tree& tree, const System& system, double h) {
  const std::size_t count = system.unknowns.size();
  std::vector<int32_t> y;
  for (const Input& unknown : system.unknowns) y.push_back(tree.input(unknown));
  const int32_t time = tree.input(kTime);
  // Derivatives a part of the step later, where the unknowns are y plus that part of `slopes`.
  const auto slopes_at = [&](double part, const std::vector<int32_t>& slopes) {
    std::map<Input, int32_t> by{{kTime, tree.apply(Op::add, time, tree.number(part * h))}};
    for (std::size_t i = 0; i < count; ++i)
      by[system.unknowns[i]] =
          tree.apply(Op::add, y[i], tree.apply(Op::multiply, tree.number(part * h), slopes[i]));
    std::vector<int32_t> result;
    for (const int32_t derivative : system.derivatives) result.push_back(tree.replaced(derivative, by));
    return result;
  };
  const std::vector<int32_t>& k1 = system.derivatives;
  const std::vector<int32_t> k2 = slopes_at(0.5, k1), k3 = slopes_at(0.5, k2), k4 = slopes_at(1.0, k3);
  const int32_t two = tree.number(2), sixth = tree.number(h / 6.0);
  std::vector<int32_t> next;
  for (std::size_t i = 0; i < count; ++i) {
    int32_t sum = tree.apply(Op::add, k1[i], tree.apply(Op::multiply, two, k2[i]));
    sum = tree.apply(Op::add, tree.apply(Op::add, sum, tree.apply(Op::multiply, two, k3[i])), k4[i]);
    next.push_back(tree.apply(Op::add, y[i], tree.apply(Op::multiply, sixth, sum)));
  }
  return next;
}

}  // namespace

Equations::Equations(Tree& tree, const System& system, double seconds, int steps)
    : step_(tree, runge_kutta_step(tree, system, seconds / steps)),
      seconds_per_step_(seconds / steps),
      steps_(steps) {
  for (const Input& input : step_.inputs()) {
    const auto unknown = std::find(system.unknowns.begin(), system.unknowns.end(), input);
    if (unknown != system.unknowns.end()) {
      sources_.push_back({Source::Kind::unknown, std::size_t(unknown - system.unknowns.begin())});
    } else if (input == kTime) {
      sources_.push_back({Source::Kind::time, 0});
    } else {
      sources_.push_back({Source::Kind::given, given_.size()});
      given_.push_back(input);
    }
  }
}

void Equations::advance(std::span<double* const> unknowns, std::span<const double* const> given, double time,
                        int64_t count) const {
  std::vector<double> times(std::size_t(std::min(kBatch, count)));
  std::vector<const double*> inputs(sources_.size());
  std::vector<double*> results(unknowns.size());
  for (int64_t first = 0; first < count; first += kBatch) {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const auto [kind, number] = sources_[i];
      inputs[i] = kind == Source::Kind::unknown ? unknowns[number] + first
                  : kind == Source::Kind::given ? given[number] + first
                                                : times.data();
    }
    for (std::size_t i = 0; i < results.size(); ++i) results[i] = unknowns[i] + first;
    for (int step = 0; step < steps_; ++step) {
      std::fill(times.begin(), times.end(), time + step * seconds_per_step_);
      step_.run(inputs, results, std::min(kBatch, count - first));
    }
  }
}

}  // namespace kiln::formula
