// Substances, and what cells of each type do with them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/wording.hpp"
#include "data/npy/npy.hpp"
#include "model/file/formula_reader.hpp"
#include "model/substance_steps.hpp"

namespace kiln {
namespace {

using substances::Side;

constexpr int32_t kAutomaticEdges[] = {8, 4, 2, 1};
constexpr const char* kAxes[] = {"x", "y", "z"};

class SubstanceReader {
 public:
  SubstanceReader(Reading& reading, const FormulaReader& formulas) : r_(reading), formulas_(formulas) {}

  bool read() {
    types_ = find(r_.complete, kTypeSection.name);
    for (const Section* section : {&kSecretesSection, &kTakesUpSection, &kHoldsSection})
      for (std::size_t type = 0; type < types_->table()->size(); ++type) check_names(*section, type);
    if (r_.scope.substances.empty()) return false;
    Node all{Node::Table{}, r_.given.place};
    for (const Entry& e : *find(r_.given, kSubstanceSection.name)->table()) {
      const std::string path = joined_path("substances", e.key);
      require_table(e.node, path);
      Node node = complete_section(e.node, kSubstanceSection, path, r_.scope);
      data_ = {};
      data_.name = e.key;
      data_.uses.resize(r_.model.types.size());
      read_one(node, path);
      r_.model.substances.push_back(std::move(data_));
      put(all, e.key, std::move(node));
    }
    put(r_.complete, kSubstanceSection.name, std::move(all));
    return reads_cells_;
  }

 private:
  std::string path_of(std::size_t type) const { return joined_path("types", r_.scope.types[type]); }

  // Tables of types are by the names of substances.
  void check_names(const Section& section, std::size_t type) {
    const Node* table = find((*types_->table())[type].node, section.name);
    if (table == nullptr) return;
    for (const Entry& e : *table->table()) {
      const std::string path = fmt::format("{}.{}.{}", path_of(type), section.name, e.key);
      constexpr Key kName{"", ValueKind::substance_name, 0, 0, "", "", "", ""};
      Node name{e.key, e.node.place};
      check_value(name, kName, path, r_.scope);
    }
  }

  void read_one(Node& node, const std::string& path) {
    data_.unit = find(node, "unit")->text();
    data_.like.diffusion = find(node, "diffusion")->real();
    data_.like.decay = find(node, "decay")->real();
    data_.steady = find(node, "mode")->text() == "steady";
    data_.update_every = find(node, "update_every")->whole();
    read_impermeable(node, path);
    for (std::size_t type = 0; type < r_.model.types.size(); ++type) read_use(type);
    read_coarsen(node, path);
    read_boundary(node, path);
    read_start(node, path);
    if (data_.steady) require_steady_state(*find(node, "mode"), path);
    require_few_steps(*find(node, "diffusion"), path);
    say(node);
  }

  void read_impermeable(const Node& node, const std::string& path) {
    data_.impermeable.assign(r_.model.types.size(), false);
    const Node* types = find(node, "impermeable");
    if (types == nullptr) return;
    for (const Node& name : *types->array()) {
      const std::size_t type = index_of_type(name, path + ".impermeable", name.text(), r_.scope);
      if (!r_.model.types[type].frozen)
        fail_at(name, fmt::format("{}.impermeable has {}, but only cells of frozen types, which stay where "
                                  "they are, can be closed to a substance.",
                                  path, name.text()));
      const std::vector<Rule>& rules = formulas_.living().rules;
      if (std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) { return makes(rule, type); }))
        fail_at(name, fmt::format("{}.impermeable has {}, but rules make such cells, and what is there "
                                  "already would be lost.",
                                  path, name.text()));
      data_.impermeable[type] = true;
    }
  }
  static bool makes(const Rule& rule, std::size_t type) {
    const auto is = [type](const std::optional<TypeId>& made) { return made && std::size_t(*made) == type; };
    return is(rule.new_type) || is(rule.daughters[0].type) || is(rule.daughters[1].type);
  }

  // The completed entry of a type for this substance; nullptr: none. `key` is what a bare value stands for.
  Node* entry_of(std::size_t type, const Section& section, const char* key) {
    Node* table = find((*types_->table())[type].node, section.name);
    Node* entry = table == nullptr ? nullptr : find(*table, data_.name);
    if (entry == nullptr) return nullptr;
    const std::string path = fmt::format("{}.{}.{}", path_of(type), section.name, data_.name);
    if (data_.impermeable[type])
      fail_at(*entry, fmt::format("{} cannot be: {} cannot enter cells of this type.", path, data_.name));
    if (entry->table() == nullptr) {
      Node value = std::move(*entry);
      *entry = {Node::Table{}, value.place};
      put(*entry, key, std::move(value));
    }
    *entry = complete_section(*entry, section, path, r_.scope);
    return entry;
  }

  void read_use(std::size_t type) {
    SubstanceUse& use = data_.uses[type];
    if (const Node* table = entry_of(type, kSecretesSection, "rate")) {
      const std::string path = fmt::format("{}.secretes.{}", path_of(type), data_.name);
      const bool counted = type != 0 && !r_.model.types[type].frozen;
      const Node& rate = *find(*table, "rate");
      use.per = find(*table, "per")->text() == "cell" ? SubstanceUse::Per::cell : SubstanceUse::Per::site;
      if (!counted && use.per == SubstanceUse::Per::cell)
        fail_at(*table,
                fmt::format("{}.per is \"cell\", but {}; give a rate per site.", path,
                            type == 0 ? "the medium is no cell" : "cells of a frozen type are not counted"));
      const int32_t node = formulas_.parse(
          rate, path + ".rate", counted ? formulas_.scope_of(type, false) : formulas_.scope_of_numbers());
      if (const std::optional<double> number = formulas_.living().tree.constant(node)) {
        use.secretes = *number;
        if (!std::isfinite(use.secretes) || use.secretes < 0)
          fail_at(rate,
                  fmt::format("{}.rate is {}, but must be finite, and 0 or more.", path, inline_toml(rate)));
      } else {
        use.secretes_formula = node;
        reads_cells_ = true;
      }
      const bool per_cell = use.per == SubstanceUse::Per::cell;
      const std::string amount = per_cell && !data_.unit.empty() ? unit_text() + " x sites" : unit_text();
      say_of(type, fmt::format("secretes {}{} per second {}", text_of(rate), amount,
                               per_cell ? "and cell, spread over its sites" : "at each of its sites"));
    }
    if (const Node* table = entry_of(type, kTakesUpSection, "rate")) {
      use.takes_up = find(*table, "rate")->real();
      std::string said = fmt::format("takes up {:g} times what is there per second", use.takes_up);
      if (const Node* at_most = find(*table, "at_most")) {
        use.at_most = at_most->real();
        said += fmt::format(", at most {:g}{} per second", use.at_most, unit_text());
      }
      say_of(type, said);
    }
    if (const Node* table = entry_of(type, kHoldsSection, "value")) {
      use.holds = find(*table, "value")->real();
      say_of(type, fmt::format("holds it at {:g}{}", *use.holds, unit_text()));
    }
  }
  std::string unit_text() const { return data_.unit.empty() ? "" : " " + data_.unit; }
  void say_of(std::size_t type, const std::string& said) {
    said_of_types_.push_back(fmt::format("{} {}", r_.scope.types[type], said));
  }

  bool fits(int32_t edge) const {
    for (int axis = 0; axis < r_.scope.dimension; ++axis)
      if (r_.model.lattice.size[axis] % edge != 0) return false;
    return true;
  }

  // The radius, in sites, of the smallest cells that have to do with the substance; infinity: of none.
  double smallest_radius() const {
    double smallest = std::numeric_limits<double>::infinity();
    for (const Phase& phase : r_.model.phases)
      for (std::size_t type = 1; type < data_.uses.size(); ++type) {
        const chemotaxis::Params& p = phase.physics.types[type].chemotaxis;
        const bool follows =
            p.lambda != 0 && p.substance >= 0 && r_.scope.substances[std::size_t(p.substance)] == data_.name;
        const double volume = phase.physics.declared_volume(type);
        if (r_.model.types[type].frozen || !(follows || data_.uses[type].does_anything()) || volume <= 0)
          continue;
        constexpr double kPi = 3.14159265358979;
        smallest = std::min(
            smallest, r_.scope.dimension == 2 ? std::sqrt(volume / kPi) : std::cbrt(3 * volume / (4 * kPi)));
      }
    return smallest;
  }

  void read_coarsen(Node& node, const std::string& path) {
    Node& given = *find(node, "coarsen");
    if (std::holds_alternative<std::string>(given.value)) {
      double most = smallest_radius();
      if (data_.like.decay > 0)
        most =
            std::min(most, std::sqrt(data_.like.diffusion / data_.like.decay) / r_.model.units.voxel_um / 3);
      for (const int32_t edge : kAutomaticEdges)
        if (edge == 1 || (edge <= most && fits(edge))) {
          data_.coarsen = edge;
          break;
        }
      given.value = int64_t(data_.coarsen);  // a resolved model says what was chosen
    } else {
      data_.coarsen = int32_t(given.whole());
      if (!fits(data_.coarsen))
        fail_at(given, fmt::format("{}.coarsen is {}, but the lattice's sides ({}) must be multiples of it.",
                                   path, data_.coarsen, sides_text()));
    }
    data_.voxels = voxels_of(r_.model.lattice, data_.coarsen);
  }
  std::string sides_text() const {
    std::vector<int32_t> sides;
    for (int axis = 0; axis < r_.scope.dimension; ++axis) sides.push_back(r_.model.lattice.size[axis]);
    return fmt::format("{}", fmt::join(sides, " x "));
  }

  static Side side_of(const Node& node) {
    if (const Node::Table* table = node.table()) return {Side::Kind::flux, table->front().node.real()};
    if (const auto* number = std::get_if<double>(&node.value)) return {Side::Kind::value, *number};
    return {};
  }

  void read_boundary(Node& node, const std::string& path) {
    Node* given = find(node, "boundary");
    if (given == nullptr) return;
    const std::string where = path + ".boundary";
    *given = complete_section(*given, kBoundarySection, where, r_.scope);
    for (int axis = 0; axis < 3; ++axis) {
      const std::string names[] = {kAxes[axis], fmt::format("{}_low", kAxes[axis]),
                                   fmt::format("{}_high", kAxes[axis])};
      const Node* both = find(*given, names[0]);
      const Node* sides[] = {find(*given, names[1]), find(*given, names[2])};
      const Node* any = both != nullptr ? both : sides[0] != nullptr ? sides[0] : sides[1];
      if (any == nullptr) continue;
      if (axis >= r_.scope.dimension)
        fail_at(*any, fmt::format("{}.{} has no meaning in 2-D.", where, kAxes[axis]));
      const auto* text = both == nullptr ? nullptr : std::get_if<std::string>(&both->value);
      const bool periodic = text != nullptr && *text == "periodic";
      data_.voxels.periodic[axis] = periodic;
      for (int high = 0; high < 2; ++high) {
        if (sides[high] != nullptr && periodic)
          fail_at(*sides[high], fmt::format("{}.{} cannot be: along {} it is periodic.", where,
                                            names[1 + high], kAxes[axis]));
        if (const Node* side = sides[high] != nullptr ? sides[high] : both)
          data_.like.sides[std::size_t(2 * axis + high)] = side_of(*side);
      }
    }
  }

  void read_start(Node& node, const std::string& path) {
    Node& start = *find(node, "start");
    const std::string text = text_of(start), where = path + ".start";
    if (text.ends_with(".npy")) {
      data_.start_file = text;
      data_.start_values = values_of_file(start, where);
      // Resolved models are kept elsewhere, and must still find their files.
      start.value = absolute_file(r_.model, text);
      return;
    }
    std::vector<std::string> axes{"x", "y"};
    if (r_.scope.dimension == 3) axes.push_back("z");
    data_.start = formulas_.parse(start, where, formulas_.scope_of_numbers(axes), formula::Kind::number,
                                  data_.start_tree);
    const std::vector<double> values = values_of_start(data_);
    for (const double value : values)
      if (!std::isfinite(value) || value < 0)
        fail_at(start,
                fmt::format("{} is {}, which is {:g} somewhere, but a concentration must be finite, and 0 "
                            "or more.",
                            where, inline_toml(start), value));
  }

  std::shared_ptr<const std::vector<double>> values_of_file(const Node& file, const std::string& path) const {
    Array array;
    try {
      array = read_npy(absolute_file(r_.model, file.text()));
    } catch (const UserError& error) {
      const std::string why = error.what();
      fail_at(file, fmt::format("{} cannot be used: {}{}", path, why, why.ends_with('.') ? "" : "."));
    }
    std::vector<int64_t> wanted{data_.voxels.size.y, data_.voxels.size.x};
    if (r_.scope.dimension == 3) wanted.insert(wanted.begin(), data_.voxels.size.z);
    if (array.shape != wanted)
      fail_at(file,
              fmt::format("{} is \"{}\", which holds numbers of shape {}, but must hold one per voxel: {}.",
                          path, file.text(), shape_text(array.shape), shape_text(wanted)));
    auto values = std::make_shared<std::vector<double>>(array.size());
    for (std::size_t i = 0; i < values->size(); ++i) {
      (*values)[i] = array.real(i);
      if (!std::isfinite((*values)[i]) || (*values)[i] < 0)
        fail_at(file,
                fmt::format("{} is \"{}\", which holds {:g} at flat index {}, but a concentration must be "
                            "finite, and 0 or more.",
                            path, file.text(), (*values)[i], i));
    }
    return values;
  }

  void require_steady_state(const Node& at, const std::string& path) const {
    const auto& sides = data_.like.sides;
    bool leaves = data_.like.decay > 0;
    for (int axis = 0; axis < r_.scope.dimension && !data_.has_obstacles(); ++axis)
      for (int high = 0; high < 2; ++high)
        leaves = leaves || (!data_.voxels.periodic[axis] &&
                            sides[std::size_t(2 * axis + high)].kind == Side::Kind::value);
    if (!leaves)
      fail_at(at, fmt::format(
                      "{}.mode is \"steady\", but there may be no steady state: it needs decay, or a side "
                      "with a concentration and nothing impermeable.",
                      path));
  }

  double voxel_edge() const { return data_.coarsen * r_.model.units.voxel_um; }
  double steps() const {
    return substances::steps_of_update(data_, voxel_edge(), r_.model.units.seconds_per_mcs);
  }
  // "a step per MCS", or "12 steps per update".
  std::string steps_text() const {
    const double count = steps();
    return fmt::format("{} step{} per {}", count < 1e15 ? grouped(count) : fmt::format("{:.3g}", count),
                       count == 1 ? "" : "s", data_.update_every == 1 ? "MCS" : "update");
  }
  void require_few_steps(const Node& at, const std::string& path) const {
    if (steps() <= substances::kMostSteps) return;
    const substances::Rates rates = substances::rates_of(data_, voxel_edge());
    fail_at(at,
            fmt::format("{} would take {}, but {} are the most: it changes by {:g} per second, in voxels "
                        "of {:g} µm, and {}; {}.",
                        path, steps_text(), grouped(substances::kMostSteps), rates.fastest(), voxel_edge(),
                        data_.steady ? "its steady state is reached slowly"
                                     : fmt::format("an MCS has {:g} s", r_.model.units.seconds_per_mcs),
                        data_.steady ? "a larger coarsen or more decay helps"
                                     : "a larger coarsen, mode = \"steady\" or a shorter MCS helps"));
  }

  void say(const Node& node) {
    const SubstanceData& d = data_;
    data_.said.push_back(
        fmt::format("diffusion {:g} µm²/s, decay {:g} per second{}", d.like.diffusion, d.like.decay,
                    d.like.decay > 0 && d.like.diffusion > 0
                        ? fmt::format(" (reaches {:.3g} µm)", std::sqrt(d.like.diffusion / d.like.decay))
                        : ""));
    data_.said.push_back(
        fmt::format("voxels of {} site{} = {:g} µm, {}{}, {}", d.coarsen, d.coarsen == 1 ? "" : "s",
                    voxel_edge(), d.steady ? "steady state" : "in time",
                    d.update_every == 1 ? "" : fmt::format(", every {} MCS", d.update_every), steps_text()));
    data_.said.push_back(fmt::format("starts with {}{}", text_of(*find(node, "start")), unit_text()));
    if (const Node* boundary = find(node, "boundary")) {
      std::vector<std::string> sides;
      for (const Entry& e : *boundary->table())
        sides.push_back(fmt::format("{} {}", e.key, said_of_side(e.node)));
      data_.said.push_back(fmt::format("boundary: {}", fmt::join(sides, ", ")));
    }
    if (const Node* types = find(node, "impermeable")) {
      std::vector<std::string> names;
      for (const Node& name : *types->array()) names.push_back(name.text());
      data_.said.push_back(fmt::format("cannot enter {}", fmt::join(names, ", ")));
    }
    data_.said.insert(data_.said.end(), said_of_types_.begin(), said_of_types_.end());
    said_of_types_.clear();
  }

  std::string said_of_side(const Node& node) const {
    const Side side = side_of(node);
    if (side.kind == Side::Kind::flux)
      return fmt::format("lets {} {:g}{} x µm/s", side.number < 0 ? "out" : "in", std::fabs(side.number),
                         data_.unit.empty() ? " concentration" : unit_text());
    return side.kind == Side::Kind::value ? fmt::format("at {:g}{}", side.number, unit_text()) : node.text();
  }

  Reading& r_;
  const FormulaReader& formulas_;
  Node* types_ = nullptr;
  SubstanceData data_;
  std::vector<std::string> said_of_types_;
  bool reads_cells_ = false;
};

}  // namespace

bool read_substances(Reading& reading, const FormulaReader& formulas) {
  return SubstanceReader(reading, formulas).read();
}

}  // namespace kiln
