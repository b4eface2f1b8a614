#include "engine/cuda/living/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace kiln::cuda {
namespace {

std::string literal(double number) {
  if (std::isfinite(number)) return fmt::format("{:a}", number);
  return fmt::format("detail::double_of({:#x}ull)", std::bit_cast<uint64_t>(number));
}

// Writes functions of (const LivingCell& cell), one branch for every type.
class Writer {
 public:
  Writer(const Living& living, const std::vector<formula::Input>& counted)
      : living_(living), counted_(counted) {}

  std::string advance(std::size_t type, const formula::Equations& equations);
  std::string follow(const LivingPrograms::OfType& of_type, std::size_t type);
  std::string grow(const LivingPrograms::OfType& of_type, std::size_t type);
  std::string secretes(const LivingPrograms::Secretion& secretion, std::size_t number);
  // All programs that these need.
  const std::string& functions() const { return functions_; }

 private:
  std::string value_of(const formula::Input& input) const;
  int property_of(const formula::Input& input) const;
  std::string define(const formula::Program& program, const std::string& name);
  std::string results_of(const formula::Program& program, const std::string& name);

  const Living& living_;
  const std::vector<formula::Input>& counted_;
  std::string functions_;
};

int Writer::property_of(const formula::Input& input) const {
  if (!input.of.empty() || input.draw >= 0) return -1;
  for (std::size_t p = 0; p < living_.properties.size(); ++p)
    if (living_.properties[p].name == input.name) return int(p);
  return -1;
}

std::string Writer::value_of(const formula::Input& input) const {
  if (input.draw >= 0) return fmt::format("cell.drawn({})", input.draw);
  if (!input.of.empty()) {
    const auto known = std::find(counted_.begin(), counted_.end(), input);
    return fmt::format("cell.counted({})", known - counted_.begin());
  }
  if (const int property = property_of(input); property >= 0)
    return fmt::format("cell.property({})", property);
  return fmt::format("cell.{}()", input.name);
}

std::string Writer::define(const formula::Program& program, const std::string& name) {
  functions_ += program.cuda_function(name);
  return name;
}

// Declares `in` and `out`.
std::string Writer::results_of(const formula::Program& program, const std::string& name) {
  std::string inputs;
  for (const formula::Input& input : program.inputs())
    inputs += (inputs.empty() ? "" : ", ") + value_of(input);
  return fmt::format("      const double in[{}] = {{{}}};\n      double out[{}];\n      {}(in, out);\n",
                     std::max<std::size_t>(1, program.inputs().size()), inputs,
                     std::max<std::size_t>(1, program.results()), define(program, name));
}

// Steps of Runge and Kutta's method; what is given stays.
std::string Writer::advance(std::size_t type, const formula::Equations& equations) {
  const std::vector<int>& unknowns = living_.types[type].unknowns;
  const formula::Program& step = equations.step();
  std::string given, inputs, begin, end;
  for (std::size_t g = 0; g < equations.given().size(); ++g)
    given += fmt::format("      const double given_{} = {};\n", g, value_of(equations.given()[g]));
  for (const auto& [kind, number] : equations.sources()) {
    using Kind = formula::Equations::Source::Kind;
    inputs += inputs.empty() ? "" : ", ";
    inputs += kind == Kind::unknown ? fmt::format("y[{}]", number)
              : kind == Kind::given
                  ? fmt::format("given_{}", number)
                  : fmt::format("cell.time() + double(step) * {}", literal(equations.seconds_per_step()));
  }
  for (std::size_t u = 0; u < unknowns.size(); ++u) {
    begin += fmt::format("{}cell.property({})", u > 0 ? ", " : "", unknowns[u]);
    end += fmt::format(
        "      if (!is_finite(y[{0}])) cell.fail(cuda::LivingFailure::equation, {1}, y[{0}], "
        "cell.property({1}), y);\n"
        "      cell.set_property({1}, y[{0}]);\n",
        u, unknowns[u]);
  }
  return fmt::format(
      "    case {0}: {{\n"
      "      double y[{1}] = {{{2}}};\n{3}"
      "#pragma unroll 1\n"
      "      for (int step = 0; step < {4}; ++step) {{\n"
      "        const double in[{5}] = {{{6}}};\n"
      "        {7}(in, y);\n"
      "      }}\n{8}"
      "      return;\n    }}\n",
      type, unknowns.size(), begin, given, equations.steps(), std::max<std::size_t>(1, step.inputs().size()),
      inputs, define(step, fmt::format("step_{}", type)), end);
}

std::string set_text(const Setting& setting, std::size_t result) {
  switch (setting.what) {
    case Setting::What::property:
      return fmt::format("cell.set_property({}, out[{}]);", setting.property, result);
    case Setting::What::target_volume:
      return fmt::format("cell.set_target_volume(out[{}]);", result);
    case Setting::What::target_perimeter:
      return fmt::format("cell.set_target_perimeter(out[{}]);", result);
    case Setting::What::lambda:
      return fmt::format("cell.set_lambda<&OwnLambdas::{}>(out[{}], {:a}, {:a});", setting.term, result,
                         setting.least, setting.most);
  }
  return "";
}

std::string Writer::follow(const LivingPrograms::OfType& of_type, std::size_t type) {
  std::string text = fmt::format("    case {}: {{\n", type) +
                     results_of(of_type.rules, fmt::format("rules_{}", type)) + "      ChosenEvent chosen;\n";
  const auto check = [&](const RuleAt& at, std::size_t result, const char* kind) {
    return fmt::format(
        "if (!is_finite(out[{0}])) return cell.fail(cuda::LivingFailure::{1}, {2}, out[{0}], 0, in);\n",
        result, kind, at.number);
  };
  for (const RuleAt& at : of_type.at) {
    if (at.has_rate()) text += "      " + check(at, at.rate, "rate");
    text += fmt::format("      if (out[{}] != 0) {{\n", at.holds);
    for (std::size_t k = 0; k < at.count; ++k) text += "        " + check(at, at.sets + k, "set");
    if (at.rule->deed == Rule::Deed::set) {
      for (std::size_t k = 0; k < at.count; ++k)
        text += "        " + set_text(at.rule->sets[k], at.sets + k) + "\n";
    } else {
      text += fmt::format("        chosen.take<{}, {}>({}, {}, out);\n", at.sets, at.count, at.number,
                          rank_of(at.rule->deed));
    }
    text += "      }\n";
  }
  return text + "      chosen.list(cell);\n      return;\n    }\n";
}

std::string Writer::grow(const LivingPrograms::OfType& of_type, std::size_t type) {
  return fmt::format("    case {}: {{\n", type) + results_of(of_type.growth, fmt::format("growth_{}", type)) +
         fmt::format(
             "      if (!is_finite(out[0])) return cell.fail(cuda::LivingFailure::growth, 0, out[0], 0, "
             "in);\n"
             "      return cell.grow(out[0], {});\n    }}\n",
             literal(living_.types[type].up_to));
}

std::string Writer::secretes(const LivingPrograms::Secretion& secretion, std::size_t number) {
  return fmt::format("    case {}: {{\n", int(secretion.type)) +
         results_of(secretion.rate, fmt::format("secretion_{}", number)) +
         fmt::format(
             "      if (!is_finite(out[0])) {{\n"
             "        cell.fail(cuda::LivingFailure::secretion, {}, out[0], 0, in);\n        return 0;\n     "
             " }}\n"
             "      return (out[0] < 0.0 ? 0.0 : out[0]) / {};\n    }}\n",
             number, secretion.per == SubstanceUse::Per::cell ? "cell.volume()" : "1.0");
}

std::string function(const std::string& declaration, const std::string& cases) {
  return fmt::format(
      "__device__ __forceinline__ {} {{\n  switch (cell.type) {{\n{}    default:\n      break;\n  }}\n",
      declaration, cases);
}

}  // namespace

std::string living_source(const Model& model, const LivingPrograms& programs, const Physics& physics,
                          const SiteLayout& layout, int history, const std::vector<formula::Input>& counted) {
  const Living& living = *model.living;
  Writer writer(living, counted);
  std::string advance, follow, grow, secretes;
  for (std::size_t type = 1; type < programs.types.size(); ++type) {
    const LivingPrograms::OfType& of_type = programs.types[type];
    if (living.types[type].equations != nullptr)
      advance += writer.advance(type, *living.types[type].equations);
    if (!of_type.at.empty()) follow += writer.follow(of_type, type);
    if (living.types[type].growth != kNoFormula) grow += writer.grow(of_type, type);
  }
  std::string by_substance;
  for (std::size_t s = 0; s < model.substances.size(); ++s) {
    std::string cases;
    for (std::size_t i = 0; i < programs.secretions.size(); ++i)
      if (programs.secretions[i].substance == s) cases += writer.secretes(programs.secretions[i], i);
    if (cases.empty()) continue;
    by_substance +=
        function(fmt::format("double secretes_{}(const LivingCell& cell)", s), cases) + "  return 0;\n}\n";
    secretes += fmt::format("  if (substance == {0}) return secretes_{0}(cell);\n", s);
  }
  return model_prologue(physics, layout, history, Numbers::folded, all_sites(physics.lattice)) +
         fmt::format(
             "namespace kiln::living {{\n"
             "constexpr int kProperties = {}, kMostSet = {};\n"
             "constexpr bool kHasEquations = {}, kGrows = {};\n"
             "constexpr double kSecondsPerMcs = {};\n"
             "}}  // namespace kiln::living\n"
             "#include \"engine/cuda/living/living_cell.cuh\"\n"
             "namespace kiln::living {{\n"
             "using namespace kiln::device;\n",
             living.properties.size(), std::max<std::size_t>(1, programs.most_set), !advance.empty(),
             !grow.empty(), literal(living.seconds_per_mcs)) +
         writer.functions() + function("void advance(const LivingCell& cell)", advance) + "}\n" +
         function("void follow(const LivingCell& cell)", follow) + "}\n" +
         function("void grow(const LivingCell& cell)", grow) + "}\n" + by_substance +
         "__device__ __forceinline__ double secretes(const LivingCell& cell, int substance) {\n" + secretes +
         "  return 0;\n}\n"
         "}  // namespace kiln::living\n"
         "#include \"engine/cuda/living/living.cuh\"\n"
         "#include \"engine/cuda/living/counted.cuh\"\n";
}

}  // namespace kiln::cuda
