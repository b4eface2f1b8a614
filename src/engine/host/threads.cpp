#include "engine/host/threads.hpp"

#include "engine/host/tiles_player_impl.hpp"

namespace kiln {

template <int Dim>
ThreadsEngine<Dim>::ThreadsEngine(State state, const Physics& physics, uint64_t seed,
                                  const tiles::Settings& settings, int threads,
                                  std::unique_ptr<LivingStage> living)
    : state_(std::move(state)),
      physics_(physics),
      settings_(settings),
      player_(state_, frame_of_whole(state_.lattice), seed, settings, threads, whole_, std::move(living)) {}

template class ThreadsEngine<2>;
template class ThreadsEngine<3>;
template class TilesPlayer<2, WholeLattice>;
template class TilesPlayer<3, WholeLattice>;

}  // namespace kiln
