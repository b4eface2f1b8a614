#include "model/file/term_registry.hpp"

#include <fmt/format.h>

#include <cstring>
#include <deque>
#include <iterator>
#include <type_traits>

namespace kiln {
namespace {

template <class T>
Term row_of() {
  using Params = typename T::Params;
  static_assert(
      std::is_trivially_copyable_v<Params> && sizeof(Params) == std::size(T::kParameters) * sizeof(float),
      "Params must be one float per row of kParameters");
  Term row;
  row.name = T::kName;
  row.summary = T::kSummary;
  row.parameters = T::kParameters;
  row.params = [](TypePhysics& type) { return reinterpret_cast<std::byte*>(&(type.*T::kParams)); };
  row.used = [](TermsInUse& uses) -> bool& { return uses.*T::kUse; };
  row.acts = [](const TypePhysics& type) { return T::acts(type.*T::kParams); };
  row.own_lambda = T::kOwnLambdas;
  row.keeps_state = T::kKeepsState;
  return row;
}

const std::vector<Term>& rows() {
  static const std::vector<Term> all = [] {
    std::vector<Term> result;
    Terms::each([&](auto term) { result.push_back(row_of<decltype(term)>()); });
    return result;
  }();
  return all;
}

ValueKind kind_of(Kind kind) {
  switch (kind) {
    case Kind::real:
      return ValueKind::real;
    case Kind::whole:
      return ValueKind::whole;
    case Kind::flag:
      return ValueKind::flag;
    case Kind::field:
      return ValueKind::field_name;
    case Kind::substance:
      return ValueKind::substance_name;
    case Kind::choice:
      return ValueKind::choice;
    case Kind::target:
      return ValueKind::choice_or_real;
  }
  return ValueKind::real;
}

std::string fallback_of(const Parameter& p) {
  switch (p.kind) {
    case Kind::flag:
      return p.fallback != 0 ? "true" : "false";
    case Kind::field:
    case Kind::substance:
      return "(none)";
    case Kind::choice:
      return fmt::format("\"{}\"",
                         std::string_view(p.choices).substr(0, std::string_view(p.choices).find('|')));
    default:
      return fmt::format("{}", p.fallback);
  }
}

struct KeyTables {
  std::deque<std::string> fallbacks;  // what the keys' views point to
  std::vector<std::vector<Key>> keys;

  KeyTables() {
    for (const Term& term : rows()) {
      std::vector<Key>& table = keys.emplace_back();
      for (const Parameter& p : term.parameters) {
        fallbacks.push_back(p.required ? std::string(kRequired) : fallback_of(p));
        table.push_back({p.name, kind_of(p.kind), p.least, p.most, fallbacks.back(),
                         p.kind == Kind::target ? "start" : p.choices, p.unit, p.meaning});
      }
    }
  }
};

}  // namespace

float Term::get(const TypePhysics& physics, std::size_t parameter) const {
  TypePhysics copy = physics;
  float value;
  std::memcpy(&value, params(copy) + parameter * sizeof(float), sizeof(float));
  return value;
}

void Term::set(TypePhysics& physics, std::size_t parameter, float value) const {
  std::memcpy(params(physics) + parameter * sizeof(float), &value, sizeof(float));
}

bool Term::given(const TypePhysics& physics) const {
  const TypePhysics without;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (get(physics, i) != get(without, i)) return true;
  return false;
}

std::span<const Term> all_terms() { return rows(); }

std::span<const Key> term_keys(const Term& term) {
  static const KeyTables tables;
  return tables.keys[std::size_t(&term - rows().data())];
}

}  // namespace kiln
