#include "engine/substances/diffusion.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "engine/substances/row_worker.hpp"

namespace kiln::substances {
namespace {

constexpr double Budget::*kAccounts[] = {&Budget::secreted, &Budget::taken_up, &Budget::decayed,
                                         &Budget::crossed_walls};

// Sums of rows, then of planes, then of all.
double sum_of_rows(const Lattice& voxels, const std::vector<RowSums>& rows, double RowSums::*what) {
  std::vector<double> of_plane(std::size_t(voxels.size.y)), of_planes;
  for (int32_t z = 0; z < voxels.size.z; ++z) {
    for (int32_t y = 0; y < voxels.size.y; ++y)
      of_plane[std::size_t(y)] = rows[std::size_t(z) * std::size_t(voxels.size.y) + std::size_t(y)].*what;
    of_planes.push_back(sum_of(of_plane.data(), voxels.size.y));
  }
  return sum_of(of_planes.data(), voxels.size.z);
}

// The budget of a step: its accounts follow the recurrence of the values, so it closes.
class Ledger {
 public:
  void next(const Stage& stage, const Budget& per_second) {
    for (double Budget::*account : kAccounts) {
      const double value = stage.next(now_.*account, per_second.*account, before_.*account);
      before_.*account = now_.*account;
      now_.*account = value;
    }
  }
  void end_step(Budget& budget) {
    for (double Budget::*account : kAccounts) budget.*account += now_.*account;
    now_ = before_ = {};
  }

 private:
  Budget now_, before_;
};

}  // namespace

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
  const auto end_stage = [&](const Stage& stage) {
    if (budget != nullptr)
      ledger.next(stage, {secretion, sum_of_rows(voxels, sums, &RowSums::taken_up),
                          equation_.properties.decay * sum_of_rows(voxels, sums, &RowSums::there),
                          sum_of_rows(voxels, sums, &RowSums::crossed_walls)});
    std::swap(now, other);
  };
  team.run([&](int member) {
    RowWorker worker(equation_, sources);
    for (int step = 0; step < stages.steps; ++step) {
      for (const Stage& stage : stages.stages) {
        play_rows(member, worker, stage);
        team.wait();
        if (member == 0) end_stage(stage);
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

double Diffusion::total(const std::vector<double>& concentration) const {
  const Lattice& voxels = equation_.voxels;
  const auto length = std::size_t(voxels.size.x);
  std::vector<RowSums> sums(std::size_t(voxels.size.y) * std::size_t(voxels.size.z));
  std::vector<double> line(length);
  for (std::size_t row = 0; row < sums.size(); ++row) {
    for (std::size_t x = 0; x < length; ++x) {
      const std::size_t voxel = row * length + x;
      line[x] = equation_.has_obstacles() ? concentration[voxel] * equation_.open.volume[voxel]
                                          : concentration[voxel];
    }
    sums[row].there = sum_of(line.data(), voxels.size.x);
  }
  return sum_of_rows(voxels, sums, &RowSums::there);
}

}  // namespace kiln::substances
