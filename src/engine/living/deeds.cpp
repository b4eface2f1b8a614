#include "engine/living/deeds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "engine/living/sites_of_state.hpp"

namespace kiln {
namespace {

void check_cell(const Model& model, const State& state, CellId cell) {
  if (cell == kMedium || cell >= state.cells.count())
    throw UserError(
        fmt::format("there is no cell {}; there are the cells 1 to {}.", cell, state.cells.count() - 1));
  if (state.cells.life[cell].end != Cells::End::none)
    throw UserError(fmt::format("cell {} has ended in MCS {}.", cell, state.cells.life[cell].ended));
  const CellType& type = model.types[state.cells.type[cell]];
  if (type.frozen)
    throw UserError(
        fmt::format("cell {} is of type {}: cells of a frozen type never change.", cell, type.name));
}

void check_deed(const Model& model, const State& state, const Rule& deed, CellId cell) {
  const TypeId type = state.cells.type[cell];
  if (deed.dies_over_mcs > 0 && model.phase_at(state.mcs).physics.types[type].volume.target != kOwnTarget)
    throw UserError(
        fmt::format("cell {} of type {} cannot shrink: its type has one target volume for all; with growth, "
                    "or a rule that "
                    "divides or shrinks them, cells have their own.",
                    cell, model.types[type].name));
}

std::vector<TouchedSite> sites_of(const State& state, const std::vector<CellId>& cells) {
  std::vector<bool> touched(state.cells.count(), false);
  for (const CellId cell : cells) touched[cell] = true;
  std::vector<TouchedSite> sites;
  for (std::size_t site = 0; site < state.ids.size(); ++site)
    if (touched[state.ids[site]]) sites.push_back({state.ids[site], Site(site)});
  return sites;
}

}  // namespace

CellChanges carry_out(const Model& model, State& state, const Rule& deed, std::vector<CellId> cells) {
  if (model.living == nullptr)
    throw UserError(
        "the model's cells have no lives: they have where it has [tick], growth, properties or [[rules]].");
  std::sort(cells.begin(), cells.end());
  const auto twice = std::adjacent_find(cells.begin(), cells.end());
  if (twice != cells.end()) throw UserError(fmt::format("cell {} is named twice.", *twice));
  std::vector<CellEvent> events;
  for (const CellId cell : cells) {
    check_cell(model, state, cell);
    check_deed(model, state, deed, cell);
    events.push_back({cell, &deed, {}});
  }
  SitesOfState tissue(state, model.perimeter_neighbours);
  return CellEvents(model).carry_out(state.cells, state.lattice, events, sites_of(state, cells), state.mcs,
                                     tissue);
}

}  // namespace kiln
