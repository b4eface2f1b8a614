#include "engine/substances/substance_stage.hpp"

#include <cmath>

namespace kiln::substances {
namespace {

constexpr double kSteadyError = 1e-6;  // of the distance to the steady state before

}  // namespace

Openness openness_for(const SubstanceData& substance, const State& state) {
  if (!substance.has_obstacles()) return {};
  std::vector<bool> open(state.ids.size());
  for (std::size_t site = 0; site < open.size(); ++site)
    open[site] = !substance.impermeable[state.cells.type[state.ids[site]]];
  Lattice sites = state.lattice;
  sites.periodic = substance.voxels.periodic;
  return openness_of(sites, substance.coarsen, open);
}

void count_totals(const Model& model, State& state) {
  for (std::size_t s = 0; s < state.substances.size(); ++s) {
    Substance& substance = state.substances[s];
    if (!std::isnan(substance.total)) continue;
    const SubstanceData& data = model.substances[s];
    substance.total = substance.first_total =
        total_of(Equation(data.voxels, 1, data.like, openness_for(data, state)), substance.values);
  }
}

SubstanceStage::SubstanceStage(const Model& model, const State& state)
    : seconds_per_mcs_(model.units.seconds_per_mcs) {
  for (const SubstanceData& data : model.substances) {
    solvers_.push_back(
        {data,
         SourceCounter(model, data),
         Diffusion(data.voxels, data.coarsen * model.units.voxel_um, data.like, openness_for(data, state)),
         {},
         {}});
    solvers_.back().counter.prepare(solvers_.back().sources);
    solvers_.back().held_at.resize(solvers_.back().sources.held.size());
  }
}

void SubstanceStage::play_one(Solver& solver, const State& state, Substance& substance,
                              std::span<const double> rates, Team& team, int member) {
  const Lattice& voxels = solver.data.voxels;
  const int64_t rows = int64_t(voxels.size.y) * voxels.size.z, members = team.members();
  const int64_t first = rows * member / members, end = rows * (member + 1) / members;
  if (solver.counter.is_needed()) {
    solver.counter.count_rows(state, solver.diffusion.equation().open, rates, first, end, solver.sources,
                              solver.held_at);
    team.wait();
    if (member == 0) hold(solver, substance);
    team.wait();
  }
  if (solver.data.steady)
    solver.diffusion.settle(substance.values, solver.sources, kSteadyError, team, member);
  else
    solver.diffusion.advance(substance.values, solver.sources,
                             seconds_per_mcs_ * double(solver.data.update_every), team, member,
                             &substance.budget);
  if (member == 0) substance.total = solver.diffusion.total(substance.values);
  const auto width = std::size_t(voxels.size.x);
  for (auto voxel = std::size_t(first) * width; voxel < std::size_t(end) * width; ++voxel)
    substance.shown[voxel] = float(substance.values[voxel]);
  team.wait();
}

// What this takes is part of the budget.
void SubstanceStage::hold(Solver& solver, Substance& substance) const {
  const Openness& open = solver.diffusion.equation().open;
  for (std::size_t voxel = 0; voxel < solver.sources.held.size(); ++voxel) {
    if (solver.sources.held[voxel] == 0) continue;
    const double part = open.volume.empty() ? 1.0 : open.volume[voxel];
    if (!solver.data.steady)
      substance.budget.held =
          substance.budget.held + (solver.held_at[voxel] - substance.values[voxel]) * part;
    substance.values[voxel] = solver.held_at[voxel];
  }
}

}  // namespace kiln::substances
