#include <fmt/format.h>

#include <algorithm>

#include "model/file/overrides.hpp"
#include "model/file/reading.hpp"
#include "model/file/term_registry.hpp"

namespace kiln {
namespace {

// types.NAME.TERM.PARAMETER, of a term that the type has anyway: then nothing that the state remembers can
// change.
void check_type_change(const Override& change, const std::string& path, const Node& given,
                       const Scope& scope) {
  const std::string name = change.dotted();
  const auto term = std::find_if(all_terms().begin(), all_terms().end(),
                                 [&change](const Term& t) { return t.name == change.path[2]; });
  if (term == all_terms().end()) {
    std::vector<std::string_view> known;
    for (const Term& t : all_terms()) known.push_back(t.name);
    fail_unknown(change.value, joined_path("types", change.path[1]), change.path[2], known);
  }
  const Node* type = find(*find(given, kTypeSection.name), change.path[1]);
  if (type != nullptr && find(*type, term->name) == nullptr)
    fail_at(change.value,
            fmt::format("{} has {}, but types.{} has no {}; give it there, with a strength of 0 if it "
                        "is to act in this phase only.",
                        path, name, change.path[1], term->name));
  const auto type_number =
      std::size_t(std::find(scope.types.begin(), scope.types.end(), change.path[1]) - scope.types.begin());
  if (change.path[2] == volume::Term::kName && change.path[3] == "target" &&
      type_number < scope.own_targets.size() && scope.own_targets[type_number])
    fail_at(change.value, fmt::format("{} has {}, but cells of this type have target volumes of their own, "
                                      "which growth and rules change.",
                                      path, name));
  if (change.path[3] == "lambda" && type_number < scope.own_lambdas.size() &&
      scope.own_lambdas[type_number].count(term->name) > 0)
    fail_at(change.value,
            fmt::format("{} has {}, but rules set it for every cell of this type.", path, name));
  for (const Parameter& p : term->parameters)
    if (change.path[3] == p.name && p.fixed)
      fail_at(change.value,
              fmt::format("{} has {}, but {} cannot change between phases: the state depends on it.", path,
                          name, p.name));
}

void check_change(const Override& change, const std::string& path, const Node& given, const Scope& scope) {
  const std::vector<std::string>& p = change.path;
  if (p[0] == kTypeSection.name && p.size() == 4) return check_type_change(change, path, given, scope);
  const bool is_pair = p[0] == kAdhesionSection.name && (p.size() == 2 || p.size() == 3);
  if (is_pair || change.dotted() == "temperature") return;
  fail_at(change.value, fmt::format("{} has {}, but a phase can set only temperature, adhesion.A.B and "
                                    "types.NAME.TERM.PARAMETER.",
                                    path, change.dotted()));
}

PhysicsData phase_physics(const Reading& r, Node& set, const std::string& path) {
  Node given = r.given;
  Node flat{Node::Table{}, set.place};
  for (const Override& change : flattened_overrides(set)) {
    check_change(change, path, r.given, r.scope);
    apply_override(given, change);
    put(flat, change.dotted(), change.value);
  }
  set = flat;
  return make_physics(complete_physics(given, r.scope), r.scope);
}

Phase read_phase(const Reading& r, Node& node, std::size_t number) {
  const std::string path = fmt::format("{}.{}", kPhaseSection.name, number);
  node = complete_section(node, kPhaseSection, path, r.scope);
  if (find(node, "name") == nullptr) put(node, "name", {fmt::format("phase-{}", number + 1), node.place});
  sort_keys(node, kPhaseSection);
  return {find(node, "name")->text(), find(node, "mcs")->whole(), find(node, "measure")->flag(),
          phase_physics(r, *find(node, "set"), path + ".set")};
}

// A term that keeps a state is kept up in every phase, also where its strength is 0.
void share_terms_with_state(std::vector<Phase>& phases) {
  for (const Term& term : all_terms()) {
    if (!term.keeps_state) continue;
    const bool used =
        std::any_of(phases.begin(), phases.end(), [&term](Phase& p) { return term.used(p.physics.uses); });
    for (Phase& phase : phases) term.used(phase.physics.uses) = used;
  }
}

std::shared_ptr<const Surroundings> surroundings_of(const Model& model) {
  auto result = std::make_shared<Surroundings>();
  result->lattice = model.lattice;
  result->adhesion_neighbours = model.adhesion_neighbours;
  result->perimeter_neighbours = model.perimeter_neighbours;
  for (const FieldData& field : model.fields) {
    result->fields.push_back(field.field);
    result->field_values.push_back(field.values);
  }
  return result;
}

}  // namespace

void read_phases(Reading& r, const PhysicsData& physics) {
  Node::Array given = tables_of(r.given, kPhaseSection.name);
  r.model.has_phases = !given.empty();
  if (given.empty()) {
    r.model.phases.push_back({"run", find(r.complete, "mcs")->whole(), true, physics});
  } else {
    if (const Node* mcs = find(r.given, "mcs"))
      fail_at(*mcs, "mcs cannot be given together with [[phases]]: every phase has an mcs of its own.");
    erase(r.complete, "mcs");
    for (std::size_t i = 0; i < given.size(); ++i) r.model.phases.push_back(read_phase(r, given[i], i));
    put(r.complete, kPhaseSection.name, {std::move(given), r.given.place});
  }
  share_terms_with_state(r.model.phases);
  const std::shared_ptr<const Surroundings> shared = surroundings_of(r.model);
  for (Phase& phase : r.model.phases) phase.physics.surroundings = shared;
}

}  // namespace kiln
