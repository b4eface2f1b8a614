#include "engine/ranks/bricks_engine.hpp"

#include "engine/schedule/tiles_plan.hpp"

namespace kiln {

BricksEngine::BricksEngine(State state, const Physics& physics, const tiles::Settings& settings,
                           const Vec3i& bricks, const MakeRank& ranks, const WrapExchange& wrap)
    : settings_(settings),
      whole_(std::move(state)),
      cells_mcs_(whole_.mcs),
      sites_mcs_(whole_.mcs),
      exchange_(bricks.x * bricks.y * bricks.z, ranks.on_gpus),
      ranks_(std::size_t(bricks.x * bricks.y * bricks.z)),
      team_(bricks.x * bricks.y * bricks.z) {
  const BrickGrid grid(whole_.lattice, bricks);
  const int reach = reach_of(physics);
  const std::vector<std::vector<CellId>> cells = cells_by_rank(whole_, grid, reach, ranks.on_gpus);
  const Holders holders = holders_of(cells);
  for (int rank = 0; wrap && rank < grid.ranks(); ++rank) wrapped_.push_back(wrap(exchange_.of(rank)));
  together([&](int rank) {
    const auto at = std::size_t(rank);
    ranks_[at] = ranks.make(cut_out(whole_, grid, rank, reach, cells[at], frozen_types_of(physics)),
                            wrap ? *wrapped_[at] : exchange_.of(rank), holders, physics);
  });
}

void BricksEngine::together(const std::function<void(int rank)>& work) {
  std::vector<std::exception_ptr> failures(ranks_.size());
  team_.run([&](int rank) {
    try {
      work(rank);
    } catch (const RankGone&) {
    } catch (...) {
      failures[std::size_t(rank)] = std::current_exception();
      exchange_.close();
    }
  });
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

void BricksEngine::set_physics(const Physics& physics) {
  together([&](int rank) { ranks_[std::size_t(rank)]->set_physics(physics); });
}

void BricksEngine::advance(int64_t mcs) {
  together([&](int rank) { ranks_[std::size_t(rank)]->advance(mcs); });
}

const State& BricksEngine::bring(PartOf what) {
  const int64_t now = ranks_.front()->tissue().state.mcs;
  const bool cells = cells_mcs_ != now, sites = what == PartOf::all && sites_mcs_ != now;
  if (!cells && !sites) return whole_;
  together([&](int rank) { ranks_[std::size_t(rank)]->fetch(what); });
  for (const auto& rank : ranks_) {
    if (cells) put_back_cells(rank->tissue(), whole_);
    if (sites) put_back_sites(rank->tissue(), whole_);
  }
  whole_.substances = ranks_.front()->tissue().state.substances;
  cells_mcs_ = now;
  if (sites) sites_mcs_ = now;
  return whole_;
}

std::string BricksEngine::hash() {
  std::vector<uint64_t> sums(ranks_.size());
  together([&](int rank) {
    ranks_[std::size_t(rank)]->fetch(PartOf::all);
    sums[std::size_t(rank)] = hash_part(*ranks_[std::size_t(rank)]);
  });
  uint64_t sum = 0;
  for (const uint64_t of_rank : sums) sum += of_rank;
  return hash_text(sum);
}

AttemptCounts BricksEngine::counts() const {
  AttemptCounts sum;
  for (const auto& rank : ranks_) sum.add(rank->counts());
  return sum;
}

int BricksEngine::threads() const {
  int sum = 0;
  for (const auto& rank : ranks_) sum += rank->threads();
  return std::max(1, sum);
}

Traffic BricksEngine::traffic() const {
  Traffic sum;
  for (const auto& rank : ranks_) sum.add(rank->traffic());
  return sum;
}

std::string BricksEngine::settings() const { return tiles::describe(settings_, whole_.lattice.dimension); }

}  // namespace kiln
