#include "engine/substances/substance_stage.hpp"

#include <cmath>

namespace kiln::substances {

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
    solvers_.back().added.resize(std::size_t(data.voxels.size.y) * std::size_t(data.voxels.size.z));
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
    if (!solver.sources.held.empty()) hold_rows(solver, substance, first, end);
    team.wait();
    if (member == 0 && !solver.sources.held.empty() && !solver.data.steady)
      substance.budget.held = substance.budget.held + sum_of_rows(voxels, solver.added);
  }
  if (solver.data.steady)
    solver.diffusion.settle(substance.values, solver.sources, kSteadyError, team, member);
  else
    solver.diffusion.advance(substance.values, solver.sources,
                             seconds_per_mcs_ * double(solver.data.update_every), team, member,
                             &substance.budget);
  if (member == 0) substance.total = solver.diffusion.total(substance.values);
  substance.show_rows(substance.shown_rows() * member / members,
                      substance.shown_rows() * (member + 1) / members);
  team.wait();
}

// What this takes is part of the budget.
void SubstanceStage::hold_rows(Solver& solver, Substance& substance, int64_t first, int64_t end) const {
  const Openness& open = solver.diffusion.equation().open;
  const auto width = std::size_t(solver.data.voxels.size.x);
  std::vector<double> line(width);
  for (auto row = std::size_t(first); row < std::size_t(end); ++row) {
    for (std::size_t x = 0; x < width; ++x) {
      const std::size_t voxel = row * width + x;
      line[x] = 0;
      if (solver.sources.held[voxel] == 0) continue;
      const double part = open.volume.empty() ? 1.0 : open.volume[voxel];
      line[x] = (solver.held_at[voxel] - substance.values[voxel]) * part;
      substance.values[voxel] = solver.held_at[voxel];
    }
    solver.added[row] = sum_of(line.data(), int64_t(width));
  }
}

}  // namespace kiln::substances
