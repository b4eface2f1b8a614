#include "engine/substances/substance_stage.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kiln::substances {

Openness openness_for(const SubstanceData& substance, const State& state, const Lattice& sites,
                      VoxelShare& share) {
  if (!substance.has_obstacles()) return {};
  std::vector<bool> open = share.sites_of_types(state, substance.impermeable);
  open.flip();
  Lattice seen = sites;
  seen.periodic = substance.voxels.periodic;
  return openness_of(seen, substance.coarsen, open);
}

Openness openness_for(const SubstanceData& substance, const State& state) {
  VoxelShare whole;
  return openness_for(substance, state, state.lattice, whole);
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

std::string overflow_text(const std::string& substance, int64_t mcs, double total) {
  return fmt::format(
      "substance {}, MCS {}: its concentrations add up to {}, but {:g} is the most; the rates at which it is "
      "secreted, or what it starts with, must be smaller.",
      substance, mcs, std::isnan(total) ? "no number" : fmt::format("{:g}", total), kMostInAll);
}

SubstanceStage::SubstanceStage(const Model& model, const State& state, const SiteFrame& frame,
                               VoxelShare& share)
    : frame_(frame), share_(share), seconds_per_mcs_(model.units.seconds_per_mcs) {
  for (const SubstanceData& data : model.substances) {
    Solver& solver =
        solvers_.emplace_back(Solver{data,
                                     SourceCounter(model, data),
                                     Diffusion(data.voxels, data.coarsen * model.units.voxel_um, data.like,
                                               openness_for(data, state, frame.lattice, share)),
                                     {},
                                     {},
                                     {},
                                     {},
                                     {},
                                     {}});
    solver.counter.prepare(solver.sources);
    solver.held_at.resize(solver.sources.held.size());
    solver.added.resize(std::size_t(all_rows(data.voxels).end));
    if (share.is_whole()) continue;
    solver.diffusion.share_with(share);
    solver.counted_rows = solver.counter.rows_of(frame);
  }
}

void SubstanceStage::count_totals(State& state) const {
  for (std::size_t s = 0; s < solvers_.size(); ++s) {
    Substance& substance = state.substances[s];
    if (std::isnan(substance.total))
      substance.total = substance.first_total = solvers_[s].diffusion.total(substance.values);
  }
}

void SubstanceStage::play_one(Solver& solver, const State& state, Substance& substance, int64_t mcs,
                              std::span<const double> rates, Team& team, int member) {
  const Lattice& voxels = solver.data.voxels;
  if (solver.counter.is_needed()) {
    count_sources(solver, state, rates, team, member);
    const bool holds = !solver.sources.held.empty();
    if (holds) hold_rows(solver, substance, share_.rows(voxels).of(member, team.members()));
    team.wait();
    if (member == 0 && holds) {
      share_.gather(voxels, solver.added.data(), 1);
      share_.swap_edges(voxels, substance.values);
      if (!solver.data.steady)
        substance.budget.held = substance.budget.held + sum_of_rows(voxels, solver.added);
    }
  }
  if (solver.data.steady)
    solver.diffusion.settle(substance.values, solver.sources, kSteadyError, team, member);
  else
    solver.diffusion.advance(substance.values, solver.sources,
                             seconds_per_mcs_ * double(solver.data.update_every), team, member,
                             &substance.budget);
  if (member == 0) {
    substance.total = solver.diffusion.total(substance.values);
    if (failure_.empty() && overflows(substance.total))
      failure_ = overflow_text(substance.name, mcs, substance.total);
  }
  const Rows shown = Rows{0, substance.shown_rows()}.of(member, team.members());
  substance.show_rows(shown.first, shown.end);
  team.wait();
}

// Of the own rows of voxels.
void SubstanceStage::count_sources(Solver& solver, const State& state, std::span<const double> rates,
                                   Team& team, int member) {
  const SourceCounter& counter = solver.counter;
  const Rows mine = share_.rows(solver.data.voxels).of(member, team.members());
  const Openness& open = solver.diffusion.equation().open;
  if (share_.is_whole()) {
    RowPiece row;
    for (int64_t number = mine.first; number < mine.end; ++number) {
      counter.count(state, frame_, rates, number, row);
      counter.work_out(row, open, solver.sources, solver.held_at);
    }
    return;
  }
  if (member == 0) solver.pieces.assign(solver.counted_rows.size(), {});
  team.wait();
  const Rows counted = Rows{0, int64_t(solver.counted_rows.size())}.of(member, team.members());
  for (auto i = std::size_t(counted.first); i < std::size_t(counted.end); ++i)
    counter.count(state, frame_, rates, solver.counted_rows[i], solver.pieces[i]);
  team.wait();
  if (member == 0) {
    share_.unite(solver.data.voxels, solver.pieces);
    sort_pieces(solver);
  }
  team.wait();
  const int64_t first = share_.rows(solver.data.voxels).first;
  for (int64_t row = mine.first; row < mine.end; ++row)
    if (const auto& pieces = solver.by_row[std::size_t(row - first)]; !pieces.empty())
      counter.work_out(counter.put_together(pieces), open, solver.sources, solver.held_at);
}

void SubstanceStage::sort_pieces(Solver& solver) {
  const Rows rows = share_.rows(solver.data.voxels);
  solver.by_row.assign(std::size_t(rows.end - rows.first), {});
  for (const RowPiece& piece : solver.pieces)
    if (piece.row >= rows.first && piece.row < rows.end)
      solver.by_row[std::size_t(piece.row - rows.first)].push_back(&piece);
}

// What this takes is part of the budget.
void SubstanceStage::hold_rows(Solver& solver, Substance& substance, const Rows& rows) const {
  const Openness& open = solver.diffusion.equation().open;
  const auto width = std::size_t(solver.data.voxels.size.x);
  std::vector<double> line(width);
  for (auto row = std::size_t(rows.first); row < std::size_t(rows.end); ++row) {
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
