#include "model/file/term_registry.hpp"

#include <fmt/format.h>

#include <cstring>
#include <deque>
#include <type_traits>

namespace kiln {
namespace {

static_assert(std::is_standard_layout_v<TypePhysics> && std::is_trivially_copyable_v<TypePhysics>);

template <class Params, std::size_t N>
constexpr std::span<const Parameter> matched(const Parameter (&parameters)[N]) {
  static_assert(sizeof(Params) == N * sizeof(float), "Params must be one float per row of kParameters");
  return parameters;
}

constexpr Term kTerms[] = {
    {volume::kName, volume::kSummary, matched<volume::Params>(volume::kParameters),
     offsetof(TypePhysics, volume), &TermsInUse::volume,
     [](const TypePhysics& t) { return t.volume.lambda != 0; }, false},
    {perimeter::kName, perimeter::kSummary, matched<perimeter::Params>(perimeter::kParameters),
     offsetof(TypePhysics, perimeter), &TermsInUse::perimeter,
     [](const TypePhysics& t) { return t.perimeter.lambda != 0; }, false},
    {act::kName, act::kSummary, matched<act::Params>(act::kParameters), offsetof(TypePhysics, act),
     &TermsInUse::act, [](const TypePhysics& t) { return t.act.max != 0; }, true},
    {persistence::kName, persistence::kSummary, matched<persistence::Params>(persistence::kParameters),
     offsetof(TypePhysics, persistence), &TermsInUse::persistence,
     [](const TypePhysics& t) { return t.persistence.lambda != 0; }, true},
    {chemotaxis::kName, chemotaxis::kSummary, matched<chemotaxis::Params>(chemotaxis::kParameters),
     offsetof(TypePhysics, chemotaxis), &TermsInUse::chemotaxis,
     [](const TypePhysics& t) { return t.chemotaxis.lambda != 0; }, false},
    {connectivity::kName, connectivity::kSummary, matched<connectivity::Params>(connectivity::kParameters),
     offsetof(TypePhysics, connectivity), &TermsInUse::connectivity,
     [](const TypePhysics& t) { return t.connectivity.penalty != 0 || t.connectivity.hard != 0; }, false},
};

struct Fixed {
  std::string_view term, parameter;
};
constexpr Fixed kFixed[] = {
    {persistence::kName, "dt"},
    {act::kName, "max"},
    {act::kName, "start_full"},
};

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
  }
  return ValueKind::real;
}

struct KeyTables {
  std::deque<std::string> fallbacks;  // what the keys' views point to
  std::vector<std::vector<Key>> keys;

  KeyTables() {
    for (const Term& term : kTerms) {
      std::vector<Key>& table = keys.emplace_back();
      for (const Parameter& p : term.parameters) {
        std::string fallback(kRequired);
        if (!p.required)
          fallback =
              p.kind == Kind::flag ? (p.fallback != 0 ? "true" : "false") : fmt::format("{}", p.fallback);
        fallbacks.push_back(fallback);
        table.push_back({p.name, kind_of(p.kind), p.least, p.most, fallbacks.back(), "", p.unit, p.meaning});
      }
    }
  }
};

}  // namespace

float Term::get(const TypePhysics& physics, std::size_t parameter) const {
  float value;
  std::memcpy(&value, reinterpret_cast<const std::byte*>(&physics) + offset + parameter * sizeof(float),
              sizeof(float));
  return value;
}

void Term::set(TypePhysics& physics, std::size_t parameter, float value) const {
  std::memcpy(reinterpret_cast<std::byte*>(&physics) + offset + parameter * sizeof(float), &value,
              sizeof(float));
}

bool Term::given(const TypePhysics& physics) const {
  const TypePhysics without;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (get(physics, i) != get(without, i)) return true;
  return false;
}

std::span<const Term> all_terms() { return kTerms; }

std::span<const Key> term_keys(const Term& term) {
  static const KeyTables tables;
  return tables.keys[std::size_t(&term - kTerms)];
}

bool may_change_between_phases(const Term& term, const Parameter& parameter) {
  for (const Fixed& fixed : kFixed)
    if (fixed.term == term.name && fixed.parameter == parameter.name) return false;
  return true;
}

}  // namespace kiln
