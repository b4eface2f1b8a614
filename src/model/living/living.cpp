#include "model/living/living.hpp"

#include <algorithm>
#include <array>

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

// Of the cells of one type, in the order of their ids.
void start_properties(const Model& model, Cells& cells, TypeId type, const std::vector<CellId>& ids,
                      const std::vector<CellId>& numbers) {
  const Living& living = *model.living;
  const std::vector<int32_t>& starts = living.types[type].starts;
  for (std::size_t property = 0; property < starts.size(); ++property) {
    if (starts[property] == kNoFormula) continue;
    const formula::Program program(living.tree, {starts[property]});
    const Readings readings{cells, living, model.seed, Stream::first_properties, 0};
    std::vector<std::vector<double>> columns;
    std::vector<const double*> inputs;
    for (const formula::Input& input : program.inputs()) {
      columns.emplace_back(ids.size());
      readings.gather(input, input.draw >= 0 ? numbers : ids, columns.back().data());
    }
    for (const std::vector<double>& column : columns) inputs.push_back(column.data());
    std::vector<double> values(ids.size());
    double* const results[] = {values.data()};
    program.run(inputs, results, int64_t(ids.size()));
    for (std::size_t i = 0; i < ids.size(); ++i)
      cells.property[ids[i] * starts.size() + property] = values[i];
  }
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
    start_properties(model, cells, TypeId(type), ids[type], numbers[type]);
}

}  // namespace kiln
