#include "engine/ranks/rank_engine.hpp"

#include "base/error.hpp"

namespace kiln {
namespace {

template <int Dim>
BrickPlayer<Dim> brick_of(const State& whole, const Physics& physics, uint64_t seed,
                          const tiles::Settings& settings, const Vec3i& bricks, int threads,
                          Exchange& exchange) {
  const BrickGrid grid(whole.lattice, bricks);
  const int reach = longest_reach(*physics.adhesion_neighbours, *physics.perimeter_neighbours);
  const std::vector<std::vector<CellId>> cells = cells_by_rank(whole, grid, reach);
  return BrickPlayer<Dim>(cut_out(whole, grid, exchange.rank(), reach, cells[std::size_t(exchange.rank())],
                                  frozen_types_of(physics)),
                          exchange, reach, holders_of(cells), seed, settings, threads);
}

}  // namespace

template <int Dim>
RankEngine<Dim>::RankEngine(const State& whole, const Physics& physics, uint64_t seed,
                            const tiles::Settings& settings, const Vec3i& bricks, int threads,
                            Exchange& exchange)
    : physics_(physics),
      settings_(settings),
      exchange_(exchange),
      brick_(brick_of<Dim>(whole, physics, seed, settings, bricks, threads, exchange)) {}

template <int Dim>
const State& RankEngine<Dim>::state() {
  throw Failure("no rank holds the whole state");
}

template class RankEngine<2>;
template class RankEngine<3>;

}  // namespace kiln
