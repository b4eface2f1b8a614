#include "engine/ranks/bricks_engine.hpp"

#include "engine/schedule/tiles_plan.hpp"

namespace kiln {

template <int Dim>
BricksEngine<Dim>::BricksEngine(State state, const Physics& physics, uint64_t seed,
                                const tiles::Settings& settings, const Vec3i& bricks, int threads_per_brick,
                                const WrapExchange& wrap)
    : physics_(physics),
      settings_(settings),
      whole_(std::move(state)),
      exchange_(bricks.x * bricks.y * bricks.z),
      team_(bricks.x * bricks.y * bricks.z) {
  const BrickGrid grid(whole_.lattice, bricks);
  const int reach = longest_reach(*physics.adhesion_neighbours, *physics.perimeter_neighbours);
  const std::vector<std::vector<CellId>> cells = cells_by_rank(whole_, grid, reach);
  const std::map<CellId, std::vector<int>> holders = holders_of(cells);
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    Exchange* exchange = &exchange_.of(rank);
    if (wrap) exchange = wrapped_.emplace_back(wrap(*exchange)).get();
    ranks_.push_back(std::make_unique<BrickPlayer<Dim>>(
        cut_out(whole_, grid, rank, reach, cells[std::size_t(rank)], frozen_types_of(physics)), *exchange,
        reach, holders, seed, settings, threads_per_brick));
  }
}

template <int Dim>
void BricksEngine<Dim>::advance(int64_t mcs) {
  std::vector<std::exception_ptr> failures(ranks_.size());
  team_.run([&](int rank) {
    try {
      ranks_[std::size_t(rank)]->advance(physics_, mcs);
    } catch (const RankGone&) {
    } catch (...) {
      failures[std::size_t(rank)] = std::current_exception();
      exchange_.close();
    }
  });
  is_old_ = true;
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

template <int Dim>
const State& BricksEngine<Dim>::state() {
  if (is_old_)
    for (const auto& rank : ranks_) put_back(rank->tissue(), whole_);
  is_old_ = false;
  return whole_;
}

template <int Dim>
std::string BricksEngine<Dim>::hash() {
  uint64_t sum = 0;
  for (const auto& rank : ranks_) sum += rank->hash_part();
  return hash_text(sum);
}

template <int Dim>
AttemptCounts BricksEngine<Dim>::counts() const {
  AttemptCounts sum;
  for (const auto& rank : ranks_) sum.add(rank->counts());
  return sum;
}

template <int Dim>
int BricksEngine<Dim>::threads() const {
  int sum = 0;
  for (const auto& rank : ranks_) sum += rank->threads();
  return sum;
}

template <int Dim>
Traffic BricksEngine<Dim>::traffic() const {
  Traffic sum;
  for (const auto& rank : ranks_) sum.add(rank->traffic());
  return sum;
}

template <int Dim>
std::string BricksEngine<Dim>::settings() const {
  return tiles::describe(settings_, Dim);
}

template class BricksEngine<2>;
template class BricksEngine<3>;

}  // namespace kiln
