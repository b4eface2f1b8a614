// What cells do by themselves: constants, properties, equations, growth, rules.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/wording.hpp"
#include "model/file/formula_reader.hpp"
#include "model/file/own_numbers.hpp"

namespace kiln {
namespace {

// Those of cells.csv and lineage.csv that formulas do not know.
constexpr std::string_view kColumnsOfCells[] = {"id",   "t",        "mcs",       "type", "parent",
                                                "root", "born_mcs", "ended_mcs", "end"};

class LivingReader {
 public:
  explicit LivingReader(Reading& reading)
      : r_(reading), living_(std::make_shared<Living>()), formulas_(reading, *living_) {}

  void read() {
    types_ = find(r_.complete, kTypeSection.name);
    living_->types.resize(r_.model.types.size());
    living_->seconds_per_mcs = r_.model.units.seconds_per_mcs;
    read_tick();
    for_each_type([&](Node& type, std::size_t number) { name_properties(type, number); });
    for (LivingType& type : living_->types) type.starts.resize(living_->properties.size(), kNoFormula);
    for_each_type([&](Node& type, std::size_t number) {
      read_properties(type, number);
      read_equations(type, number);
      read_growth(type, number);
    });
    read_rules();
    if (read_substances(r_, formulas_)) is_used_ = true;
    tell_physics_of_substances();
    if (is_used_) r_.model.living = living_;
    for (const Property& property : living_->properties) r_.scope.properties.push_back(property.name);
  }

 private:
  template <class Read>
  void for_each_type(const Read& read) {
    for (std::size_t number = 1; number < types_->table()->size(); ++number)
      read((*types_->table())[number].node, number);
  }
  std::string path_of(std::size_t type) const { return joined_path("types", r_.scope.types[type]); }

  void read_tick() {
    if (find(r_.given, kTickSection.name) == nullptr) return;
    Node section = complete_section(table_of(r_.given, kTickSection.name), kTickSection, "tick", r_.scope);
    living_->every = find(section, "every")->whole();
    is_used_ = true;
    put(r_.complete, kTickSection.name, std::move(section));
  }

  // Completes the tables. Types that have a property of the same name share its column.
  void name_properties(Node& type, std::size_t number) {
    Node* table = find(type, kPropertySection.name);
    if (table == nullptr) return;
    is_used_ = true;
    for (Entry& e : *table->table()) {
      const std::string path = fmt::format("{}.properties.{}", path_of(number), e.key);
      formulas_.check_free(e.node, path, e.key);
      if (std::find(std::begin(kColumnsOfCells), std::end(kColumnsOfCells), e.key) !=
          std::end(kColumnsOfCells))
        fail_at(e.node,
                fmt::format("{} is no good name: tables of cells have another column {}.", path, e.key));
      if (e.node.table() == nullptr) {
        Node start = std::move(e.node);
        e.node = {Node::Table{}, start.place};
        put(e.node, "start", std::move(start));
      }
      e.node = complete_section(e.node, kPropertySection, path, r_.scope);
      const Property property{e.key, find(e.node, "unit")->text(), find(e.node, "extensive")->flag()};
      const int known = formulas_.number_of_property(e.key);
      if (known < 0)
        living_->properties.push_back(property);
      else if (living_->properties[std::size_t(known)].extensive != property.extensive)
        fail_at(e.node,
                fmt::format("{}.extensive is {}, but another type has this property, too, where it is "
                            "{}.",
                            path, property.extensive, !property.extensive));
    }
  }

  void read_properties(const Node& type, std::size_t number) {
    const Node* table = find(type, kPropertySection.name);
    if (table == nullptr) return;
    formula::Scope scope = formulas_.scope_of(number, true);
    scope.values = values_of_cells();  // they all begin at once
    scope.queries.clear();
    for (const Entry& e : *table->table()) {
      const std::string& unit = find(e.node, "unit")->text();
      living_->types[number].said.push_back(fmt::format(
          "{:<13}starts with {}{}{}", e.key, text_of(*find(e.node, "start")), unit.empty() ? "" : " " + unit,
          find(e.node, "extensive")->flag() ? ", shared by daughters" : ""));
      living_->types[number].starts[std::size_t(formulas_.number_of_property(e.key))] = formulas_.parse(
          *find(e.node, "start"), fmt::format("{}.properties.{}.start", path_of(number), e.key), scope);
    }
  }

  void read_equations(Node& type, std::size_t number) {
    Node* table = find(type, kEquationSection.name);
    if (table == nullptr) return;
    const std::string path = joined_path(path_of(number), kEquationSection.name);
    const formula::Scope scope = formulas_.scope_of(number, false);
    LivingType& living = living_->types[number];
    Node own{Node::Table{}, table->place};
    formula::System system;
    for (const Entry& e : *table->table()) {
      const std::string where = joined_path(path, e.key);
      if (e.key == kEquationSection.keys.front().name) {
        put(own, e.key, e.node);
        continue;
      }
      const int property = formulas_.number_of_property(e.key);
      if (property < 0 || !formulas_.has_property(number, std::size_t(property)))
        fail_at(e.node, fmt::format("{} is the equation of {}, but {} has no such property; add it to "
                                    "{}.properties.",
                                    where, e.key, path_of(number), path_of(number)));
      constexpr Key kOne{"", ValueKind::formula, 0, 0, "", "", "", ""};
      Node checked = e.node;
      check_value(checked, kOne, where, r_.scope);
      living.unknowns.push_back(property);
      system.unknowns.push_back({e.key, ""});
      system.derivatives.push_back(formulas_.parse(e.node, where, scope));
      living.said.push_back(fmt::format("{:<13}{} per second", "d " + e.key + "/dt", text_of(e.node)));
    }
    own = complete_section(own, kEquationSection, path, r_.scope);
    const Node steps = *find(own, "steps");
    put(*table, "steps", steps);
    if (system.unknowns.empty()) return;
    living.said.push_back(
        fmt::format("{:<13}solved in {} per MCS", "equations", counted(double(steps.whole()), "step")));
    living.equations = std::make_shared<formula::Equations>(living_->tree, system, living_->seconds_per_mcs,
                                                            int(steps.whole()));
  }

  void read_growth(Node& type, std::size_t number) {
    Node* table = find(type, kGrowthSection.name);
    if (table == nullptr) return;
    is_used_ = true;
    const std::string path = joined_path(path_of(number), kGrowthSection.name);
    if (r_.model.types[number].frozen)
      fail_at(*table, fmt::format("{} cannot be: cells of a frozen type never change.", path));
    require_volume(*table, path, number);
    *table = complete_section(*table, kGrowthSection, path, r_.scope);
    LivingType& living = living_->types[number];
    const int32_t per_hour =
        formulas_.parse(*find(*table, "rate"), joined_path(path, "rate"), formulas_.scope_of(number, true));
    living.growth = living_->tree.apply(formula::Op::divide, per_hour, living_->tree.number(kSecondsPerHour));
    std::string said = fmt::format("{:<13}{} sites/h", "growth", text_of(*find(*table, "rate")));
    if (const Node* up_to = find(*table, "up_to")) {
      living.up_to = up_to->real();
      said += fmt::format(", up to {:g} sites", living.up_to);
    }
    living.said.push_back(said);
  }

  void require_volume(const Node& at, const std::string& path, std::size_t type) const {
    if (find((*types_->table())[type].node, volume::Term::kName) == nullptr)
      fail_at(at, fmt::format("{} cannot be: {} has no volume = {{ target = ..., lambda = ... }}.", path,
                              path_of(type)));
  }

  void read_rules() {
    Node::Array given = tables_of(r_.given, kRuleSection.name);
    if (given.empty()) return;
    is_used_ = true;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::string path = fmt::format("rules.{}", i);
      given[i] = complete_section(given[i], kRuleSection, path, r_.scope);
      living_->rules.push_back(read_rule(given[i], path));
    }
    put(r_.complete, kRuleSection.name, {std::move(given), r_.given.place});
  }

  Rule read_rule(const Node& node, const std::string& path) {
    Rule rule;
    rule.name = path;
    rule.types.assign(living_->types.size(), false);
    for (const Node& name : *find(node, "types")->array()) {
      const std::size_t type = index_of_type(name, path + ".types", name.text(), r_.scope);
      if (r_.model.types[type].frozen)
        fail_at(name, fmt::format("{}.types has {}, but cells of a frozen type follow no rules.", path,
                                  name.text()));
      rule.types[type] = true;
    }
    const formula::Scope scope = formulas_.scope_of(rule.types, true);
    read_condition(node, path, scope, rule);
    const std::string& deed = find(node, "do")->text();
    if (deed == "divide") read_division(node, path, scope, rule);
    if (deed == "die") read_death(node, path, rule);
    if (deed == "become") {
      rule.deed = Rule::Deed::become;
      rule.new_type = type_at(*find(node, "type"), path + ".type");
    }
    rule.sets = read_sets(*find(node, "set"), path + ".set", scope, rule.types, rule.new_type);
    if (deed == "set" && rule.sets.empty())
      fail_at(node, fmt::format("{} does nothing: it has neither `do` nor `set`.", path));
    rule.said = said_of(node, rule);
    return rule;
  }

  std::string said_of(const Node& node, const Rule& rule) const {
    std::vector<std::string> types;
    for (const Node& name : *find(node, "types")->array()) types.push_back(name.text());
    std::string said = fmt::format("{}", fmt::join(types, ", "));
    if (const Node* when = find(node, "when")) said += " where " + text_of(*when);
    if (const Node* rate = find(node, "rate")) {
      said += fmt::format(", at a rate of {} per second", text_of(*rate));
      const double per_second = living_->tree.constant(rule.rate).value_or(0);
      if (per_second > 0) said += fmt::format(", once in {} on average", duration_text(1 / per_second));
    }
    const std::string& deed = find(node, "do")->text();
    std::vector<std::string> does;
    if (deed == "divide") does = said_of_division(node);
    if (deed == "die") does.push_back("die, and " + said_of_death(node, rule));
    if (deed == "become") does.push_back("become " + find(node, "type")->text());
    for (std::string& set : said_of_sets(*find(node, "set"))) does.push_back(std::move(set));
    return fmt::format("{}: {}", said, fmt::join(does, "; "));
  }
  static std::vector<std::string> said_of_sets(const Node& table) {
    std::vector<std::string> sets;
    for (const auto& [name, node] : flat_entries(table))
      sets.push_back(fmt::format("{} = {}", name, text_of(*node)));
    return sets;
  }
  static std::vector<std::string> said_of_division(const Node& rule) {
    const Node& plane = *find(rule, "plane");
    std::vector<std::string> does;
    if (plane.array() != nullptr)
      does.push_back("divide by a plane with the normal " + inline_toml(plane));
    else
      does.push_back(plane.text() == "random" ? "divide by a plane of random direction"
                                              : fmt::format("divide {} the longest axis", plane.text()));
    for (const Entry& e : *find(rule, "daughters")->table()) {
      Node sets = e.node;
      std::vector<std::string> has;
      if (const Node* type = find(e.node, "type")) {
        has.push_back("type " + type->text());
        erase(sets, "type");
      }
      for (std::string& set : said_of_sets(sets)) has.push_back(std::move(set));
      if (!has.empty()) does.push_back(fmt::format("daughter {} with {}", e.key, fmt::join(has, ", ")));
    }
    return does;
  }
  std::string said_of_death(const Node& node, const Rule& rule) const {
    const std::string& how = find(node, "how")->text();
    if (how == "remove") return "are gone at once";
    if (how == "become") return "become " + find(node, "type")->text();
    return fmt::format("shrink over {}, gone at {}",
                       duration_text(rule.dies_over_mcs * living_->seconds_per_mcs),
                       counted(double(rule.gone_at), "site"));
  }

  TypeId type_at(const Node& node, const std::string& path) const {
    return TypeId(index_of_type(node, path, node.text(), r_.scope));
  }

  // A chance that follows from a rate is a condition on a random number.
  void read_condition(const Node& node, const std::string& path, const formula::Scope& scope, Rule& rule) {
    using formula::Op;
    formula::Tree& tree = living_->tree;
    rule.holds = tree.number(1);
    if (const Node* when = find(node, "when"))
      rule.holds = formulas_.parse(*when, path + ".when", scope, formula::Kind::condition);
    const Node* rate = find(node, "rate");
    if (rate == nullptr) return;
    rule.rate = formulas_.parse(*rate, path + ".rate", scope);
    const double seconds = living_->seconds_per_mcs * double(living_->every);
    const int32_t mean =
        tree.apply(Op::multiply, tree.apply(Op::max, rule.rate, tree.number(0)), tree.number(-seconds));
    const int32_t chance = tree.apply(Op::subtract, tree.number(1), tree.apply(Op::exp, mean));
    rule.holds = tree.apply(Op::both, rule.holds, tree.apply(Op::less, tree.draw(), chance));
  }

  // `becomes`: a cell has the properties of its new type as well.
  std::vector<Setting> read_sets(const Node& table, const std::string& path, const formula::Scope& scope,
                                 const std::vector<bool>& types, std::optional<TypeId> becomes) {
    std::vector<Setting> sets;
    for (const auto& [name, node] : flat_entries(table)) {
      const std::string where = joined_path(path, name);
      Setting setting;
      const Term* const term = term_of_lambda(name);
      setting.what = name == kTargetVolume      ? Setting::What::target_volume
                     : name == kTargetPerimeter ? Setting::What::target_perimeter
                     : term != nullptr          ? Setting::What::lambda
                                                : Setting::What::property;
      if (term != nullptr) tell_lambda(*node, where, *term, becomes, types, setting);
      if (setting.what == Setting::What::target_perimeter) require_own_perimeters(*node, where, types);
      if (setting.what == Setting::What::property) {
        setting.property = formulas_.number_of_property(name);
        const bool comes = setting.property >= 0 && becomes &&
                           living_->types[*becomes].starts[std::size_t(setting.property)] != kNoFormula;
        const bool known =
            comes || std::find(scope.values.begin(), scope.values.end(), name) != scope.values.end();
        if (setting.property < 0 || !known)
          fail_at(*node, fmt::format("{} cannot be: {} is neither a property of the cells, nor one of {}.",
                                     where, name, fmt::join(numbers_of_cells(), ", ")));
      }
      setting.value = formulas_.parse(*node, where, scope);
      sets.push_back(setting);
    }
    return sets;
  }

  // Cells of these types, or of the one that they become, have the term.
  void tell_lambda(const Node& at, const std::string& path, const Term& term, std::optional<TypeId> becomes,
                   const std::vector<bool>& types, Setting& setting) const {
    for (std::size_t type = 0; type < types.size(); ++type)
      if ((becomes ? type == *becomes : types[type]) && !has_term(r_.given, r_.scope.types[type], term.name))
        fail_at(at, fmt::format("{} cannot be: {} has no {} = {{ lambda = ... }}, which says what its cells "
                                "begin with.",
                                path, path_of(type), term.name));
    setting.term = term.name;
    setting.lambda = term.own_lambda;
    for (const Parameter& p : term.parameters)
      if (p.name == std::string_view("lambda")) setting.least = p.least, setting.most = p.most;
  }

  void require_own_perimeters(const Node& at, const std::string& path, const std::vector<bool>& types) const {
    for (std::size_t type = 0; type < types.size(); ++type)
      if (types[type] && r_.model.phases.front().physics.types[type].perimeter.target != kOwnTarget)
        fail_at(at, fmt::format("{} cannot be: cells of {} have one target perimeter; with "
                                "perimeter.target = \"start\" each has its own.",
                                path, path_of(type)));
  }

  void read_division(const Node& node, const std::string& path, const formula::Scope& scope, Rule& rule) {
    rule.deed = Rule::Deed::divide;
    for (std::size_t type = 0; type < rule.types.size(); ++type)
      if (rule.types[type]) require_volume(node, path, type);
    const Node& plane = *find(node, "plane");
    if (plane.array() != nullptr) {
      rule.normal = place_of(plane);
      if (!(dot(*rule.normal, *rule.normal) > 0))
        fail_at(plane, fmt::format("{}.plane is {}, but a normal has a length.", path, inline_toml(plane)));
      rule.normal = unit_vector(*rule.normal);
    } else {
      rule.plane = plane.text() == "along"    ? DivisionPlane::along
                   : plane.text() == "random" ? DivisionPlane::random
                                              : DivisionPlane::across;
    }
    for (const Entry& e : *find(node, "daughters")->table()) {
      const std::string where = fmt::format("{}.daughters.{}", path, e.key);
      Rule::Daughter& daughter = rule.daughters[e.key == "1" ? 0 : 1];
      Node sets = e.node;
      if (const Node* type = find(e.node, "type")) {
        constexpr Key kType{"", ValueKind::type_name, 0, 0, "", "", "", ""};
        Node checked = *type;
        check_value(checked, kType, where + ".type", r_.scope);
        daughter.type = type_at(*type, where + ".type");
        erase(sets, "type");
      }
      constexpr Key kSets{"", ValueKind::formulas, 0, 0, "", "", "", ""};
      check_value(sets, kSets, where, r_.scope);
      daughter.sets = read_sets(sets, where, scope, rule.types, daughter.type);
    }
  }

  void read_death(const Node& node, const std::string& path, Rule& rule) {
    rule.deed = Rule::Deed::die;
    const std::string& how = find(node, "how")->text();
    const Node* type = find(node, "type");
    if ((how == "become") != (type != nullptr))
      fail_at(type == nullptr ? node : *type,
              fmt::format("{}.type goes with how = \"become\", but {}.", path,
                          type == nullptr ? "is not given" : fmt::format("how is \"{}\"", how)));
    if (type != nullptr) rule.new_type = type_at(*type, path + ".type");
    if (how != "shrink") return;
    const Node& over = *find(node, "over");
    const double seconds =
        living_->tree.constant(formulas_.parse(over, path + ".over", formulas_.scope_of_numbers()))
            .value_or(-1);
    if (!(seconds > 0) || !std::isfinite(seconds))
      fail_at(over, fmt::format("{}.over is {}, but a time must be more than 0.", path, inline_toml(over)));
    rule.dies_over_mcs = std::max(1.0, seconds / living_->seconds_per_mcs);
    rule.gone_at = int32_t(find(node, "at")->whole());
  }

  // Terms that follow substances know where their voxels are.
  void tell_physics_of_substances() {
    if (r_.model.substances.empty()) return;
    auto surroundings = std::make_shared<Surroundings>(*r_.model.phases.front().physics.surroundings);
    for (const SubstanceData& substance : r_.model.substances)
      surroundings->substances.push_back({nullptr, substance.voxels, substance.coarsen});
    for (Phase& phase : r_.model.phases) phase.physics.surroundings = surroundings;
  }

  Reading& r_;
  std::shared_ptr<Living> living_;
  FormulaReader formulas_;
  Node* types_ = nullptr;
  bool is_used_ = false;
};

}  // namespace

void read_living(Reading& r) { LivingReader(r).read(); }

}  // namespace kiln
