#include "model/initial/motion.hpp"

#include <algorithm>

#include "core/math.hpp"
#include "core/random.hpp"

namespace kiln {
namespace {

// Uniform on the sphere (in 2-D the circle): the first point of the cube that falls into the ball, made a
// unit vector. Points too near to the middle lose digits and are drawn again.
Vec3f random_direction(const Model& model, CellId cell) {
  for (uint32_t attempt = 0;; ++attempt) {
    const Draw d = draw(model.seed, Stream::start_direction, cell, attempt);
    const auto centred = [](uint32_t bits) { return (double(bits) + 0.5) * 0x1p-31 - 1.0; };
    const Vec3d v{centred(d.a), centred(d.b), model.lattice.dimension == 3 ? centred(d.c) : 0.0};
    const double squared = dot(v, v);
    if (squared > 1.0 || squared < 1e-6) continue;
    const Vec3d unit = unit_vector(v);
    return {float(unit.x), float(unit.y), float(unit.z)};
  }
}

}  // namespace

std::vector<ActValue> first_act(const Model& model) {
  std::vector<ActValue> start(model.types.size(), 0);
  const std::vector<TypePhysics>& types = model.phases.front().physics.types;
  for (std::size_t type = 0; type < start.size() && type < types.size(); ++type)
    if (types[type].act.start_full != 0) start[type] = ActValue(types[type].act.max);
  return start;
}

void start_act(const Model& model, State& state) {
  if (!model.uses_act()) return;
  state.act = HugeVector<ActValue>(state.ids.size());
  const std::vector<ActValue> start = first_act(model);
  if (std::all_of(start.begin(), start.end(), [](ActValue act) { return act == 0; })) return;
  for (std::size_t site = 0; site < state.ids.size(); ++site)
    if (const CellId cell = state.ids[site]; cell != kMedium) state.act[site] = start[state.cells.type[cell]];
}

void start_targets(const Model& model, Cells& cells, CellId first) {
  cells.targets.resize(model.has_own_targets() ? cells.count() : 0);
  for (CellId cell = first == kMedium ? 1 : 0; cell < cells.targets.size(); ++cell)
    if (cells.targets[cell] == Cells::Targets{})
      cells.targets[cell] = {float(cells.extent[cell].volume), float(cells.extent[cell].perimeter)};
}

void start_lambdas(const Model& model, Cells& cells, CellId new_from) {
  cells.own_lambdas.resize(model.has_own_lambdas() ? cells.count() : 0);
  const PhysicsData& physics = model.phases.front().physics;
  for (CellId cell = new_from; cell < cells.own_lambdas.size(); ++cell)
    cells.own_lambdas[cell] = declared_lambdas(physics.declared(cells.type[cell]));
}

std::vector<bool> persistent_types(const Model& model) {
  std::vector<bool> persistent(model.types.size(), false);
  for (const Phase& phase : model.phases)
    for (std::size_t type = 0; type < persistent.size() && type < phase.physics.types.size(); ++type)
      if (phase.physics.types[type].persistence.lambda != 0) persistent[type] = true;
  return persistent;
}

void start_persistence(const Model& model, Cells& cells, CellId first) {
  cells.direction.clear();
  cells.history.clear();
  cells.history_length = model.history_length();
  if (cells.history_length == 0) return;
  const std::vector<bool> persistent = persistent_types(model);
  const std::size_t count = cells.count(), slots = std::size_t(cells.history_length);
  cells.direction.assign(count, Vec3f{});
  cells.history.assign(count * slots, Vec3d{});
  for (CellId cell = first == kMedium ? 1 : 0; cell < count; ++cell) {
    if (cells.extent[cell].volume == 0) continue;  // frozen: not tracked
    if (persistent[cells.type[cell]]) cells.direction[cell] = random_direction(model, first + cell);
    const Vec3d start = cells.position(cell);
    for (std::size_t slot = 0; slot < slots; ++slot) cells.history[cell * slots + slot] = start;
  }
}

}  // namespace kiln
