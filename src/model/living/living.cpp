#include "model/living/living.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "core/random.hpp"
#include "formula/program.hpp"
#include "model/model.hpp"

namespace kiln {
namespace {

struct Value {
  const char* name;
  double (*of)(const Readings&, CellId);
};

double seconds(const Readings& r, int64_t mcs) { return double(mcs) * r.living.seconds_per_mcs; }

// Places and sizes in sites, times in seconds.
constexpr std::array kValues{
    Value{"volume", [](const Readings& r, CellId c) { return double(r.cells.extent[c].volume); }},
    Value{"perimeter", [](const Readings& r, CellId c) { return double(r.cells.extent[c].perimeter); }},
    Value{"target", [](const Readings& r, CellId c) { return r.cells.life[c].target; }},
    Value{"age", [](const Readings& r, CellId c) { return seconds(r, r.mcs - r.cells.life[c].born); }},
    Value{"generation", [](const Readings& r, CellId c) { return double(r.cells.life[c].generation); }},
    Value{"x", [](const Readings& r, CellId c) { return r.cells.position(c, r.origin).x; }},
    Value{"y", [](const Readings& r, CellId c) { return r.cells.position(c, r.origin).y; }},
    Value{"z", [](const Readings& r, CellId c) { return r.cells.position(c, r.origin).z; }},
    Value{"time", [](const Readings& r, CellId) { return seconds(r, r.mcs); }},
    Value{"dt", [](const Readings& r, CellId) { return r.living.seconds_per_mcs; }},
};

// What a program of a start reads of some cells, by input.
std::vector<std::vector<double>> read_at_start(const Model& model, const Cells& cells,
                                               const formula::Program& program,
                                               const std::vector<CellId>& ids,
                                               const std::vector<CellId>& numbers) {
  const Readings readings{cells, *model.living, model.seed, Stream::first_properties, 0};
  std::vector<std::vector<double>> columns;
  for (const formula::Input& input : program.inputs()) {
    columns.emplace_back(ids.size());
    readings.gather(input, input.draw >= 0 ? numbers : ids, columns.back().data());
  }
  return columns;
}

// Of the cells of one type, in the order of their ids.
void start_properties(const Model& model, Cells& cells, TypeId type, bool frozen,
                      const std::vector<CellId>& ids, const std::vector<CellId>& numbers) {
  const Living& living = *model.living;
  const std::vector<int32_t>& starts = living.types[type].starts;
  // Sites of frozen cells are not counted.
  const auto has_sites = [&](CellId cell) { return frozen || cells.extent[cell].volume > 0; };
  for (std::size_t property = 0; property < starts.size(); ++property) {
    if (starts[property] == kNoFormula) continue;
    const formula::Program program(living.tree, {starts[property]});
    const std::vector<std::vector<double>> columns = read_at_start(model, cells, program, ids, numbers);
    std::vector<const double*> inputs;
    for (const std::vector<double>& column : columns) inputs.push_back(column.data());
    std::vector<double> values(ids.size());
    double* const results[] = {values.data()};
    program.run(inputs, results, int64_t(ids.size()));
    for (std::size_t i = 0; i < ids.size(); ++i)
      cells.property[ids[i] * starts.size() + property] =
          std::isfinite(values[i]) || has_sites(ids[i]) ? values[i] : 0;
  }
}

std::string wrong_start_text(const Model& model, const Cells& cells, CellId first, CellId cell,
                             std::size_t property) {
  const Living& living = *model.living;
  const TypeId type = cells.type[cell];
  const double value = cells.property[cell * living.properties.size() + property];
  const formula::Program program(living.tree, {living.types[type].starts[property]});
  std::vector<double> inputs;
  for (const std::vector<double>& column :
       read_at_start(model, cells, program, {cell}, {CellId(first + cell)}))
    inputs.push_back(column.front());
  // A NaN's sign means nothing.
  return fmt::format("{}: types.{}.properties.{}.start is {} for cell {}, where {}, but must be finite.",
                     model.source, model.types[type].name, living.properties[property].name,
                     std::isnan(value) ? "nan" : fmt::format("{}", value), first + cell,
                     text_of_inputs(program, inputs));
}

}  // namespace

std::vector<std::string> values_of_cells() {
  std::vector<std::string> names;
  for (const Value& value : kValues) names.push_back(value.name);
  return names;
}

void Readings::gather(const formula::Input& input, std::span<const CellId> of, double* to) const {
  const auto number_of = [&](CellId cell) { return numbers == nullptr ? cell : numbers[cell]; };
  if (input.draw >= 0) {
    for (std::size_t i = 0; i < of.size(); ++i)
      to[i] =
          unit_double(draw(seed, stream, uint64_t(input.draw) << 32 | number_of(of[i]), uint32_t(mcs)).ab());
    return;
  }
  if (!input.of.empty()) {
    const auto known = neighbours->find(input);
    const std::vector<double>& values =
        known != neighbours->end() ? known->second : concentrations->at(input);
    for (std::size_t i = 0; i < of.size(); ++i) to[i] = values[of[i]];
    return;
  }
  for (std::size_t property = 0; property < living.properties.size(); ++property)
    if (living.properties[property].name == input.name) {
      for (std::size_t i = 0; i < of.size(); ++i)
        to[i] = cells.property[of[i] * living.properties.size() + property];
      return;
    }
  const auto value =
      std::find_if(kValues.begin(), kValues.end(), [&](const Value& v) { return v.name == input.name; });
  for (std::size_t i = 0; i < of.size(); ++i) to[i] = value->of(*this, of[i]);
}

void start_living(const Model& model, Cells& cells, CellId first) {
  cells.life.clear();
  cells.property.clear();
  cells.property_count = 0;
  if (model.living == nullptr) return;
  const Living& living = *model.living;
  const PhysicsData& physics = model.phases.front().physics;
  const std::vector<bool> frozen = model.frozen_types();
  cells.property_count = int(living.properties.size());
  cells.property.assign(cells.count() * living.properties.size(), 0);
  cells.life.assign(cells.count(), {});
  std::vector<std::vector<CellId>> ids(model.types.size()), numbers(model.types.size());
  for (CellId cell = first == kMedium ? 1 : 0; cell < cells.count(); ++cell) {
    const TypeId type = cells.type[cell];
    ids[type].push_back(cell);
    numbers[type].push_back(first + cell);
    if (frozen[type]) continue;
    const float target = physics.declared_volume(type);
    cells.life[cell].target = target == kOwnTarget ? double(cells.extent[cell].volume) : double(target);
    if (!cells.targets.empty()) cells.targets[cell].volume = float(cells.life[cell].target);
  }
  for (std::size_t type = 1; type < ids.size(); ++type)
    start_properties(model, cells, TypeId(type), frozen[type], ids[type], numbers[type]);
}

std::string wrong_start(const Model& model, const Cells& cells, CellId first, CellId from) {
  if (model.living == nullptr) return "";
  const std::size_t properties = model.living->properties.size();
  for (CellId cell = from; cell < cells.count(); ++cell)
    for (std::size_t property = 0; property < properties; ++property)
      if (!std::isfinite(cells.property[cell * properties + property]))
        return wrong_start_text(model, cells, first, cell, property);
  return "";
}

void require_finite_starts(const Model& model, const Cells& cells, CellId from) {
  if (const std::string wrong = wrong_start(model, cells, kMedium, from); !wrong.empty())
    throw UserError(wrong);
}

}  // namespace kiln
