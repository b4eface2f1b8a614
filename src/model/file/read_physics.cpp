// Types, adhesion and temperature: everything that a phase can change, and the tables that engines work from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/file/reading.hpp"
#include "model/file/term_registry.hpp"

namespace kiln {
namespace {

constexpr const char* kMediumName = "medium";
constexpr const char* kDefaultName = "cell";
constexpr const char* kMediumColour = "#faf7f2";
// Told apart also by people who see no red or no green (after Okabe and Ito), softened.
constexpr const char* kColours[] = {"#e07a5f", "#3d85c6", "#f2b84b", "#4fa88a", "#b07aa1",
                                    "#5b6770", "#8ecae6", "#c9544d", "#9aae5b", "#d9a5b3"};

void check_name(const Entry& entry, const std::string& path) {
  if (!is_plain_name(entry.key) || entry.key == kAdhesionSection.keys.front().name)
    fail_at(entry.node,
            fmt::format("{} is no good name; take letters, digits, - and _ (and not \"default\").", path));
}

std::vector<std::string_view> names_of(std::span<const Key> keys) {
  std::vector<std::string_view> names;
  for (const Key& key : keys) names.push_back(key.name);
  return names;
}

Node complete_medium(const Node& given) {
  Node result{Node::Table{}, given.place};
  put(result, "colour", {std::string(kMediumColour), given.place});
  for (const Entry& e : *given.table()) {
    const bool has_to_do_with_substances =
        e.key == kSecretesSection.name || e.key == kTakesUpSection.name || e.key == kHoldsSection.name;
    if (e.key != "colour" && !has_to_do_with_substances)
      fail_at(e.node,
              fmt::format("types.medium.{} cannot be set: the medium has a colour, and may secrete, take "
                          "up or hold substances.",
                          e.key));
    put(result, e.key, e.node);
    if (has_to_do_with_substances)
      require_table(e.node, joined_path("types.medium", e.key));
    else
      check_value(*find(result, e.key), kTypeSection.keys.front(), "types.medium.colour", {});
  }
  return result;
}

// Along a field, or along a substance; what says how a cell senses goes with the latter.
void check_chemotaxis(const Node& given, Node& complete, const std::string& path) {
  const Node *field = find(complete, "field"), *substance = find(complete, "substance");
  if (field == nullptr && substance == nullptr)
    fail_at(given, fmt::format("{} names neither a field nor a substance; it must name one of them.", path));
  if (field != nullptr && substance != nullptr)
    fail_at(*substance,
            fmt::format("{} names both a field and a substance, but must name one of them.", path));
  if (substance != nullptr) return;
  for (const char* key : {"response", "half", "who", "at"}) {
    if (const Node* present = find(given, key))
      fail_at(*present,
              fmt::format("{}.{} goes with a substance, but this is chemotaxis in a field.", path, key));
    erase(complete, key);
  }
}

Node complete_type(const Node& given, const std::string& path, std::size_t number, const Scope& scope) {
  std::vector<std::string_view> known = names_of(kTypeSection.keys);
  Node own = given;
  for (const Term& term : all_terms()) {
    known.push_back(term.name);
    erase(own, term.name);
  }
  for (const Entry& e : *own.table())
    if (std::find(known.begin(), known.end(), e.key) == known.end()) fail_unknown(e.node, path, e.key, known);

  if (find(own, "colour") == nullptr)
    put(own, "colour", {std::string(kColours[number % std::size(kColours)]), given.place});
  Node result = complete_section(own, kTypeSection, path, scope);
  for (const Term& term : all_terms())
    if (const Node* table = find(given, term.name)) {
      const std::string where = joined_path(path, term.name);
      require_table(*table, where);
      Node complete = complete_keys(*table, term_keys(term), where, scope);
      if (term.name == std::string_view(chemotaxis::Term::kName)) check_chemotaxis(*table, complete, where);
      put(result, term.name, std::move(complete));
    }
  return result;
}

Node complete_types(const Node& given, const Scope& scope) {
  const Node types = table_of(given, kTypeSection.name);
  Node result{Node::Table{}, types.place};
  put(result, kMediumName, complete_medium(table_of(types, kMediumName)));
  std::size_t number = 0;
  for (const Entry& e : *types.table())
    if (e.key != kMediumName)
      put(result, e.key, complete_type(e.node, joined_path("types", e.key), number++, scope));
  return result;
}

// The pair in the order in which a resolved model writes it: types as declared, the medium last.
std::pair<std::string, std::string> canonical_pair(std::size_t a, std::size_t b, const Scope& scope) {
  const auto rank = [](std::size_t type) { return type == 0 ? SIZE_MAX : type; };
  if (rank(b) < rank(a)) std::swap(a, b);
  return {scope.types[a], scope.types[b]};
}

void add_pair(Node& table, const Node& value, std::size_t a, std::size_t b, const Scope& scope) {
  const std::string path = fmt::format("adhesion.{}.{}", scope.types[a], scope.types[b]);
  if (a == 0 && b == 0) fail_at(value, path + " has no meaning: the medium has no interface with itself.");
  Node checked = value;
  check_value(checked, kAdhesionSection.keys.front(), path, scope);
  const auto [first, second] = canonical_pair(a, b, scope);
  Node* row = find(table, first);
  if (row == nullptr) row = &put(table, first, {Node::Table{}, value.place});
  if (const Node* other = find(*row, second); other != nullptr && other->real() != checked.real())
    fail_at(value, fmt::format("{} is {}, but {} has given the same pair as {}.", path, inline_toml(value),
                               other->place, inline_toml(*other)));
  put(*row, second, std::move(checked));
}

Node complete_adhesion(const Node& given, const Scope& scope) {
  const Node section = table_of(given, kAdhesionSection.name);
  Node named{Node::Table{}, section.place}, own = named, result = named;
  for (const Entry& e : *section.table()) {
    const std::string path = joined_path("adhesion", e.key);
    if (e.key == kAdhesionSection.keys.front().name) {
      put(own, e.key, e.node);
      continue;
    }
    const std::size_t a = index_of_type(e.node, path, e.key, scope);
    require_table(e.node, path);
    for (const Entry& pair : *e.node.table())
      add_pair(named, pair.node, a, index_of_type(pair.node, joined_path(path, pair.key), pair.key, scope),
               scope);
  }
  own = complete_section(own, kAdhesionSection, "adhesion", scope);
  const Node fallback = own.table()->front().node;
  put(result, own.table()->front().key, fallback);
  const std::size_t types = scope.types.size();
  for (std::size_t a = 1; a < types; ++a) {
    Node& row = put(result, scope.types[a], {Node::Table{}, section.place});
    for (std::size_t k = a; k <= types; ++k) {
      const std::string& other = scope.types[k % types];  // the medium comes last
      const Node* in_row = find(named, scope.types[a]);
      const Node* value = in_row == nullptr ? nullptr : find(*in_row, other);
      put(row, other, value == nullptr ? fallback : *value);
    }
  }
  return result;
}

float number_of(const Node& node, const Parameter& p, const Scope& scope) {
  const auto index_in = [&node](const auto& names) {
    return float(std::find(names.begin(), names.end(), node.text()) - names.begin());
  };
  switch (p.kind) {
    case Kind::real:
      return float(node.real());
    case Kind::whole:
      return float(node.whole());
    case Kind::target:
      return std::holds_alternative<std::string>(node.value) ? kOwnTarget : float(node.real());
    case Kind::flag:
      return node.flag() ? 1.0f : 0.0f;
    case Kind::field:
      return index_in(scope.fields);
    case Kind::substance:
      return index_in(scope.substances);
    case Kind::choice:
      return index_in(choices_of({"", ValueKind::choice, 0, 0, "", p.choices, "", ""}));
  }
  return 0;
}

TypePhysics type_physics(const Node& type, const Scope& scope) {
  TypePhysics result;
  for (const Term& term : all_terms())
    if (const Node* table = find(type, term.name))
      for (std::size_t i = 0; i < term.parameters.size(); ++i) {
        const Parameter& p = term.parameters[i];
        if (const Node* node = find(*table, p.name))
          term.set(result, i, number_of(*node, p, scope));
        else if (p.kind == Kind::field || p.kind == Kind::substance)
          term.set(result, i, -1);
      }
  if (const Node* frozen = find(type, "frozen")) result.frozen = frozen->flag();
  return result;
}

// The smallest power of two in which the largest |J| still has kUnitBits bits: integer values stay exact.
void fill_adhesion_units(PhysicsData& physics) {
  double largest = 0;
  for (const double j : physics.adhesion) largest = std::max(largest, std::abs(j));
  double unit = 1;
  if (largest > 0) {
    const double most = double(int64_t(1) << adhesion::kUnitBits);
    while (largest / unit < 0.5 * most && unit > 0x1p-100) unit *= 0.5;
    while (largest / unit + 0.5 >= most) unit *= 2;
  }
  physics.adhesion_unit = float(unit);
  for (const double j : physics.adhesion) physics.adhesion_units.push_back(int32_t(std::llround(j / unit)));
}

// What is no table is left as it is, for the checks to find.
void put_if_absent(Node& table, std::string_view key, Node value) {
  if (table.table() != nullptr && find(table, key) == nullptr) put(table, key, std::move(value));
}

// Of a term with this name, where it is given.
void set_own_lambda(TypePhysics& type, const std::string& name) {
  Terms::each([&](auto term) {
    if constexpr (decltype(term)::kOwnLambdas != nullptr)
      if (name == decltype(term)::kName) (type.*decltype(term)::kParams).lambda = kOwnLambda;
  });
}

}  // namespace

bool add_default_type(Node& given) {
  const Node* types = find(given, kTypeSection.name);
  if (types != nullptr && types->table() == nullptr) return false;
  const std::size_t named = types == nullptr ? 0 : types->table()->size();
  if (named > (types != nullptr && find(*types, kMediumName) != nullptr ? 1u : 0u)) return false;
  if (types == nullptr) put(given, kTypeSection.name, {Node::Table{}, given.place});
  put(*find(given, kTypeSection.name), kDefaultName, {Node::Table{}, given.place});
  return true;
}

void complete_default_type(Node& given, int dimension) {
  const std::string& origin = given.place;
  // Without any adhesion its cells would fall to dust.
  constexpr double kAdhesion = 20;
  const std::string_view all_pairs = kAdhesionSection.keys.front().name;
  if (find(given, kAdhesionSection.name) == nullptr)
    put(given, kAdhesionSection.name, {Node::Table{}, origin});
  put_if_absent(*find(given, kAdhesionSection.name), all_pairs, {kAdhesion, origin});
  Node& cell = *find(*find(given, kTypeSection.name), kDefaultName);
  put_if_absent(cell, volume::Term::kName, {Node::Table{}, origin});
  if (Node* table = find(cell, volume::Term::kName)) {
    put_if_absent(*table, "target", {dimension == 2 ? 50.0 : 150.0, origin});
    put_if_absent(*table, "lambda", {dimension == 2 ? 1.0 : 25.0, origin});
  }
}

void read_names(Reading& r) {
  r.scope.types = {kMediumName};
  const Node types = table_of(r.given, kTypeSection.name), fields = table_of(r.given, kFieldSection.name),
             substances = table_of(r.given, kSubstanceSection.name);
  for (const Entry& e : *types.table()) {
    check_name(e, joined_path("types", e.key));
    require_table(e.node, joined_path("types", e.key));
    if (e.key != kMediumName) r.scope.types.push_back(e.key);
  }
  if (r.scope.types.size() > kMaxTypes)
    fail_at(types, fmt::format("the model has {} types, but at most {} besides the medium are allowed.",
                               r.scope.types.size() - 1, kMaxTypes - 1));
  for (const Entry& e : *fields.table()) {
    check_name(e, joined_path("fields", e.key));
    r.scope.fields.push_back(e.key);
  }
  for (const Entry& e : *substances.table()) {
    check_name(e, joined_path("substances", e.key));
    r.scope.substances.push_back(e.key);
  }
}

PhysicsNodes complete_physics(const Node& given, const Scope& scope) {
  const auto is_temperature = [](const Key& key) { return key.name == "temperature"; };
  const Key& key = *std::find_if(kTopSection.keys.begin(), kTopSection.keys.end(), is_temperature);
  const Node* present = find(given, key.name);
  Node temperature = present != nullptr ? *present : parse_value(key.fallback, given.place);
  check_value(temperature, key, std::string(key.name), scope);
  return {temperature.real(), complete_types(given, scope), complete_adhesion(given, scope)};
}

std::vector<CellType> cell_types(const Node& types) {
  std::vector<CellType> result;
  for (const Entry& e : *types.table()) {
    CellType type;
    type.name = e.key;
    const unsigned long rgb = std::stoul(find(e.node, "colour")->text().substr(1), nullptr, 16);
    type.colour = {uint8_t(rgb >> 16), uint8_t(rgb >> 8), uint8_t(rgb)};
    if (const Node* frozen = find(e.node, "frozen")) type.frozen = frozen->flag();
    if (const Node* hidden = find(e.node, "hidden")) type.hidden = hidden->flag();
    result.push_back(type);
  }
  return result;
}

PhysicsData make_physics(const PhysicsNodes& nodes, const Scope& scope) {
  PhysicsData result;
  result.temperature = float(nodes.temperature);
  for (const Entry& e : *nodes.types.table()) {
    TypePhysics type = type_physics(e.node, scope);
    const std::size_t number = result.types.size();
    result.declared_types.push_back(type);
    if (number < scope.own_targets.size() && scope.own_targets[number]) type.volume.target = kOwnTarget;
    if (number < scope.own_lambdas.size())
      for (const std::string& term : scope.own_lambdas[number]) set_own_lambda(type, term);
    result.types.push_back(type);
  }
  const std::size_t types = scope.types.size();
  result.adhesion.assign(types * types, 0.0);
  for (std::size_t a = 1; a < types; ++a)
    for (std::size_t k = a; k <= types; ++k) {
      const std::size_t b = k % types;
      const double j = find(*find(nodes.adhesion, scope.types[a]), scope.types[b])->real();
      result.adhesion[a * types + b] = result.adhesion[b * types + a] = j;
    }
  fill_adhesion_units(result);
  double most = 0;
  for (const TypePhysics& type : result.types) {
    most = std::max(most, double(type.act.max));
    result.uses.frozen |= type.frozen;
    result.uses.targets |= !type.frozen && has_own_targets(type);
    result.uses.own_lambdas |= !type.frozen && has_own_lambdas(type);
    result.uses.substances |= !type.frozen && type.chemotaxis.lambda != 0 && type.chemotaxis.substance >= 0;
    // Sites of frozen types never change, so no term ever looks at them.
    for (const Term& term : all_terms()) term.used(result.uses) |= !type.frozen && term.acts(type);
  }
  result.act_logs.assign(std::size_t(most) + 1, 0);
  for (std::size_t value = 1; value < result.act_logs.size(); ++value)
    result.act_logs[value] = act::log_units(ActValue(value));
  return result;
}

}  // namespace kiln
