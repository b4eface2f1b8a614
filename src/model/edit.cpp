#include "model/edit.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "core/lattice_size.hpp"
#include "model/branch.hpp"
#include "model/initial/motion.hpp"

namespace kiln {
namespace {

void check_ids(const State& state) {
  const CellId count = state.cells.count();
  for (std::size_t site = 0; site < state.ids.size(); ++site) {
    if (state.ids[site] < count) continue;
    const Vec3i p = state.lattice.position(Site(site));
    const std::string place = state.lattice.dimension == 2 ? fmt::format("{}, {}", p.y, p.x)
                                                           : fmt::format("{}, {}, {}", p.z, p.y, p.x);
    throw UserError(fmt::format("lattice[{}] is {}, but there are only the cells 0 (the medium) to {}.",
                                place, state.ids[site], count - 1));
  }
}

void check_types(const Model& model, const State& state) {
  for (CellId cell = 0; cell < state.cells.count(); ++cell) {
    const TypeId type = state.cells.type[cell];
    if (type >= model.types.size() || (type == 0) != (cell == kMedium))
      throw UserError(
          fmt::format("cell {} has type {}, but it must be {}.", cell, type,
                      cell == kMedium ? "0, the medium's" : fmt::format("1 to {}", model.types.size() - 1)));
  }
}

void start_new_lives(const Model& model, State& state, const State& before) {
  if (model.living == nullptr) return;
  Cells fresh = state.cells;
  start_living(model, fresh);
  const std::size_t properties = model.living->properties.size();
  for (CellId cell = before.cells.count(); cell < state.cells.count(); ++cell) {
    state.cells.life[cell] = fresh.life[cell];
    state.cells.life[cell].born = state.mcs;
    std::copy_n(fresh.property.begin() + std::ptrdiff_t(cell * properties), properties,
                state.cells.property.begin() + std::ptrdiff_t(cell * properties));
  }
  require_finite_starts(model, state.cells, before.cells.count());
}

void start_new_motion(const Model& model, State& state, const State& before) {
  if (state.cells.history_length == 0) return;
  State fresh;
  fresh.lattice = state.lattice;
  fresh.cells = state.cells;
  start_persistence(model, fresh.cells);
  const std::size_t slots = std::size_t(state.cells.history_length);
  state.cells.direction.resize(state.cells.count());
  state.cells.history.resize(state.cells.count() * slots);
  for (CellId cell = 1; cell < state.cells.count(); ++cell) {
    if (cell < before.cells.count() && before.cells.extent[cell].volume > 0) continue;
    state.cells.direction[cell] = fresh.cells.direction[cell];
    for (std::size_t slot = cell * slots; slot < (cell + 1) * slots; ++slot)
      state.cells.history[slot] = fresh.cells.history[slot];
  }
}

}  // namespace

State state_of_ids(const Model& model, std::span<const CellId> ids, std::vector<TypeId> types) {
  State state;
  state.lattice = model.lattice;
  state.ids = HugeVector<CellId>(std::size_t(model.lattice.sites()));
  if (ids.size() != state.ids.size())
    throw UserError(fmt::format("the lattice given has {} sites, but the model's has {} ({}).", ids.size(),
                                state.ids.size(), size_text(model.lattice)));
  std::copy(ids.begin(), ids.end(), state.ids.begin());
  for (const TypeId type : types) state.cells.add(type);
  check_types(model, state);
  check_ids(state);
  count_anew(model, state, false);
  start_act(model, state);
  start_persistence(model, state.cells);
  start_targets(model, state.cells);
  start_lambdas(model, state.cells);
  start_living(model, state.cells);
  require_finite_starts(model, state.cells);
  state.substances = start_substances(model);
  return state;
}

void complete_edit(const Model& model, State& state, const State& before) {
  check_types(model, state);
  check_ids(state);
  count_cells(model, state);
  for (std::size_t site = 0; site < state.act.size(); ++site)
    if (state.ids[site] != before.ids[site]) state.act[site] = 0;
  start_new_motion(model, state, before);
  start_targets(model, state.cells);
  start_lambdas(model, state.cells, before.cells.count());
  start_new_lives(model, state, before);
}

}  // namespace kiln
