#include "engine/substances/diffusion.hpp"

#include "base/error.hpp"

namespace kiln::substances {
namespace {

constexpr std::size_t kNumbersOfSums = sizeof(RowSums) / sizeof(double);
static_assert(kNumbersOfSums == 4);

}  // namespace

void Diffusion::play_rows(const Stage& stage, RowWorker& worker, const Team& team, int member) {
  const Lattice& voxels = equation_.voxels;
  const Rows rows = share_ != nullptr ? share_->rows(voxels) : all_rows(voxels);
  const Rows mine = rows.of(member, team.members());
  for (int64_t row = mine.first; row < mine.end; ++row) {
    worker.play(stage, *now_, *other_, int32_t(row % voxels.size.y), int32_t(row / voxels.size.y));
    if (!sums_.empty()) sums_[std::size_t(row)] = worker.sums();
  }
}

// Of the stages that member 0 has chosen.
void Diffusion::play(std::vector<double>& concentration, const Sources& sources, Team& team, int member,
                     Budget* budget) {
  if (member == 0) {
    older_.resize(concentration.size());
    now_ = &concentration;
    other_ = &older_;
    sums_.resize(
        budget == nullptr ? 0 : std::size_t(equation_.voxels.size.y) * std::size_t(equation_.voxels.size.z));
    secretion_ = budget != nullptr && !sources.secretion.empty() ? total_of_shares(sources.secretion) : 0.0;
    ledger_ = {};
  }
  team.wait();
  RowWorker worker(equation_, sources);
  for (int step = 0; step < stages_.steps; ++step) {
    for (const Stage& stage : stages_.stages) {
      play_rows(stage, worker, team, member);
      team.wait();
      if (member == 0) {
        if (share_ != nullptr) share_->swap_edges(equation_.voxels, *other_);
        if (share_ != nullptr && budget != nullptr)
          share_->gather(equation_.voxels, reinterpret_cast<double*>(sums_.data()), kNumbersOfSums);
        if (budget != nullptr) ledger_.next(stage, flows_of(equation_, secretion_, sums_));
        std::swap(now_, other_);
      }
      team.wait();
    }
    if (member == 0 && budget != nullptr) ledger_.end_step(*budget);
  }
  if (member == 0 && now_ != &concentration) concentration.swap(older_);
  if (member == 0 && share_ != nullptr)
    share_->gather(equation_.voxels, concentration.data(), std::size_t(equation_.voxels.size.x));
  team.wait();
}

double Diffusion::total_of_shares(const std::vector<double>& values) {
  if (share_ == nullptr) return total(values);
  std::vector<double> sums = sums_by_row(equation_, values, share_->rows(equation_.voxels));
  share_->gather(equation_.voxels, sums.data(), 1);
  return sum_of_rows(equation_.voxels, sums);
}

void Diffusion::advance(std::vector<double>& concentration, const Sources& sources, double seconds,
                        Team& team, int member, Budget* budget) {
  if (member == 0) stages_ = stages_for(equation_.rates(sources), seconds);
  play(concentration, sources, team, member, budget);
}

void Diffusion::settle(std::vector<double>& concentration, const Sources& sources, double error, Team& team,
                       int member) {
  if (member == 0) stages_ = sweeps_for(equation_.rates(sources), equation_.slowest(), error);
  play(concentration, sources, team, member, nullptr);
}

void Diffusion::advance(std::vector<double>& concentration, const Sources& sources, double seconds,
                        Team& team, Budget* budget) {
  team.run([&](int member) { advance(concentration, sources, seconds, team, member, budget); });
}

void Diffusion::settle(std::vector<double>& concentration, const Sources& sources, double error, Team& team) {
  if (!(equation_.slowest() > 0))
    throw UserError(
        "there is no steady state to be found: nothing decays, and nothing leaves through a wall.");
  team.run([&](int member) { settle(concentration, sources, error, team, member); });
}

}  // namespace kiln::substances
