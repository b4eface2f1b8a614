#include "engine/substances/diffusion.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace kiln::substances {

void Diffusion::play(const Stages& stages, std::vector<double>& concentration, const Sources& sources,
                     Team& team, Budget* budget) {
  const Lattice& voxels = equation_.voxels;
  const int32_t rows = voxels.size.y * voxels.size.z;
  older_.resize(concentration.size());
  std::vector<double>*now = &concentration, *other = &older_;
  std::vector<RowSums> sums(budget != nullptr ? std::size_t(rows) : 0);
  const double secretion = budget != nullptr && !sources.secretion.empty() ? total(sources.secretion) : 0.0;
  Ledger ledger;
  const auto play_rows = [&](int member, RowWorker& worker, const Stage& stage) {
    const auto first = [&](int of) { return int32_t(int64_t(rows) * of / team.members()); };
    for (int32_t row = first(member); row < first(member + 1); ++row) {
      worker.play(stage, *now, *other, row % voxels.size.y, row / voxels.size.y);
      if (budget != nullptr) sums[std::size_t(row)] = worker.sums();
    }
  };
  team.run([&](int member) {
    RowWorker worker(equation_, sources);
    for (int step = 0; step < stages.steps; ++step) {
      for (const Stage& stage : stages.stages) {
        play_rows(member, worker, stage);
        team.wait();
        if (member == 0) {
          if (budget != nullptr) ledger.next(stage, flows_of(equation_, secretion, sums));
          std::swap(now, other);
        }
        team.wait();
      }
      if (member == 0 && budget != nullptr) ledger.end_step(*budget);
    }
  });
  if (now != &concentration) concentration.swap(older_);
}

void Diffusion::advance(std::vector<double>& concentration, const Sources& sources, double seconds,
                        Team& team, Budget* budget) {
  play(stages_for(equation_.rates(sources), seconds), concentration, sources, team, budget);
}

void Diffusion::settle(std::vector<double>& concentration, const Sources& sources, double error, Team& team) {
  const double slowest = equation_.slowest();
  if (!(slowest > 0))
    throw UserError(
        "there is no steady state to be found: nothing decays, and nothing leaves through a wall.");
  play(sweeps_for(equation_.rates(sources), slowest, error), concentration, sources, team, nullptr);
}

}  // namespace kiln::substances
