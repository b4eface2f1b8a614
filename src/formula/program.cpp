#include "formula/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace kiln::formula {
namespace {

constexpr int64_t kLanes = 128;  // values at a time: a few dozen registers of them fit the first cache

using Loop = void (*)(double* to, const double* a, const double* b, const double* c, int64_t count);

template <Op kOp>
void over_lanes(double* to, const double* a, [[maybe_unused]] const double* b,
                [[maybe_unused]] const double* c, int64_t count) {
  if constexpr (arguments_of(kOp) == 1)
    for (int64_t i = 0; i < count; ++i) to[i] = apply<kOp>(a[i]);
  if constexpr (arguments_of(kOp) == 2)
    for (int64_t i = 0; i < count; ++i) to[i] = apply<kOp>(a[i], b[i]);
  if constexpr (arguments_of(kOp) == 3)
    for (int64_t i = 0; i < count; ++i) to[i] = apply<kOp>(a[i], b[i], c[i]);
}

template <std::size_t... kOps>
constexpr std::array<Loop, sizeof...(kOps)> loops_of(std::index_sequence<kOps...>) {
  return {over_lanes<Op(kOps)>...};
}
constexpr auto kLoops = loops_of(std::make_index_sequence<std::size_t(Op::kCount)>());

std::string literal(double number) {
  return is_finite(number) ? fmt::format("{:a}", number)
                           : fmt::format("kiln::detail::double_of({:#x}ull)", detail::bits_of(number));
}

// Which nodes the results need.
std::vector<bool> needed_by(const std::vector<Node>& nodes, const std::vector<int32_t>& results) {
  std::vector<bool> needed(nodes.size(), false);
  for (const int32_t result : results) needed[std::size_t(result)] = true;
  for (std::size_t n = nodes.size(); n-- > 0;)
    if (needed[n])
      for (int i = 0; i < arguments_of(nodes[n].op); ++i) needed[std::size_t(nodes[n].of[i])] = true;
  return needed;
}

}  // namespace

Program::Program(const Tree& tree, const std::vector<int32_t>& results) {
  const std::vector<Node>& nodes = tree.nodes();
  const std::vector<bool> needed = needed_by(nodes, results);
  // A register is free again behind the last step that reads it; those of results never are.
  std::vector<std::size_t> last(nodes.size(), 0);
  for (std::size_t n = 0; n < nodes.size(); ++n)
    for (int i = 0; needed[n] && i < arguments_of(nodes[n].op); ++i) last[std::size_t(nodes[n].of[i])] = n;
  for (const int32_t result : results) last[std::size_t(result)] = nodes.size();

  std::vector<uint32_t> place(nodes.size(), 0);
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (needed[n] && nodes[n].op == Op::input) {
      place[n] = uint32_t(inputs_.size());
      inputs_.push_back(tree.inputs()[nodes[n].input]);
    }
  for (std::size_t n = 0; n < nodes.size(); ++n)
    if (needed[n] && nodes[n].op == Op::number) {
      place[n] = uint32_t(inputs_.size() + numbers_.size());
      numbers_.push_back(nodes[n].number);
    }
  places_ = uint32_t(inputs_.size() + numbers_.size());
  std::vector<uint32_t> free;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const int arguments = arguments_of(nodes[n].op);
    if (!needed[n] || arguments == 0) continue;
    Step step{nodes[n].op, 0, {0, 0, 0}};
    for (int i = 0; i < arguments; ++i) step.of[i] = place[std::size_t(nodes[n].of[i])];
    if (free.empty()) free.push_back(places_++);
    step.to = place[n] = free.back();
    free.pop_back();
    for (int i = 0; i < arguments; ++i) {
      const auto of = std::size_t(nodes[n].of[i]);
      const bool is_register = arguments_of(nodes[of].op) > 0;
      const bool again = std::find(free.begin(), free.end(), place[of]) != free.end();
      if (is_register && last[of] == n && !again) free.push_back(place[of]);
    }
    steps_.push_back(step);
  }
  for (const int32_t result : results) {
    uint32_t from = place[std::size_t(result)];
    if (from < inputs_.size()) {  // a copy, for its array may be that of another result
      steps_.push_back({Op::max, places_, {from, from, 0}});
      from = places_++;
    }
    results_.push_back(from);
  }
}

void Program::run(std::span<const double* const> inputs, std::span<double* const> results,
                  int64_t count) const {
  const std::size_t first_number = inputs_.size(), first_register = first_number + numbers_.size();
  std::vector<double> memory((places_ - first_number) * std::size_t(kLanes));
  std::vector<double*> registers(places_, nullptr);
  for (std::size_t place = first_number; place < places_; ++place) {
    registers[place] = memory.data() + (place - first_number) * std::size_t(kLanes);
    if (place < first_register) std::fill_n(registers[place], kLanes, numbers_[place - first_number]);
  }
  for (int64_t first = 0; first < count; first += kLanes) {
    const int64_t lanes = std::min(kLanes, count - first);
    const auto at = [&](uint32_t place) {
      return place < first_number ? inputs[place] + first : static_cast<const double*>(registers[place]);
    };
    for (const Step& step : steps_)
      kLoops[std::size_t(step.op)](registers[step.to], at(step.of[0]), at(step.of[1]), at(step.of[2]), lanes);
    for (std::size_t r = 0; r < results_.size(); ++r) std::copy_n(at(results_[r]), lanes, results[r] + first);
  }
}

std::string Program::cuda_function(const std::string& name) const {
  const auto value = [&](uint32_t place) {
    if (place < inputs_.size()) return fmt::format("in[{}]", place);
    if (place < inputs_.size() + numbers_.size()) return literal(numbers_[place - inputs_.size()]);
    return fmt::format("r{}", place);
  };
  std::string text =
      fmt::format("__device__ __forceinline__ void {}(const double (&in)[{}], double (&out)[{}]) {{\n", name,
                  std::max<std::size_t>(1, inputs_.size()), std::max<std::size_t>(1, results()));
  std::vector<bool> declared(places_, false);
  for (const Step& step : steps_) {
    text += fmt::format("  {}r{} = kiln::formula::apply<kiln::formula::Op({})>(",
                        declared[step.to] ? "" : "double ", step.to, int(step.op));
    declared[step.to] = true;
    for (int i = 0; i < arguments_of(step.op); ++i) text += (i > 0 ? ", " : "") + value(step.of[i]);
    text += ");\n";
  }
  for (std::size_t r = 0; r < results_.size(); ++r)
    text += fmt::format("  out[{}] = {};\n", r, value(results_[r]));
  return text + "}\n";
}

std::string text_of_inputs(const Program& program, const std::vector<double>& values) {
  std::string text;
  for (std::size_t i = 0; i < program.inputs().size(); ++i) {
    const Input& input = program.inputs()[i];
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", input.draw >= 0 ? "a random number" : input.name,
                        std::isnan(values[i]) ? "nan" : fmt::format("{:g}", values[i]));
  }
  return text.empty() ? "nothing is read" : text;
}

}  // namespace kiln::formula
