#include "engine/host/plain.hpp"

#include "engine/host/attempt_batch.hpp"
#include "engine/host/between_mcs.hpp"
#include "engine/host/bookkeeping.hpp"
#include "engine/host/world.hpp"

namespace kiln {
namespace {

template <int Dim>
void plain_attempt(State& state, const StateReader<Dim>& reader, const Physics& physics, uint64_t bits,
                   AttemptCounts& counts) {
  const Lattice& lattice = state.lattice;
  const AttemptDraw draw = attempt_draw<Dim>(bits, lattice);
  const Vec3i offset = Moore<Dim>::offset(draw.direction);
  Vec3i source = draw.target + offset;
  counts.attempts += 1;
  if (!lattice.wrap(source)) return;

  const Site target_site = lattice.index(draw.target), source_site = lattice.index(source);
  const CellId target_id = state.ids[std::size_t(target_site)],
               source_id = state.ids[std::size_t(source_site)];
  const TypeId target_type = state.cells.type[target_id], source_type = state.cells.type[source_id];
  const bool source_frozen = physics.types[source_type].frozen;
  if (!frozen::is_live(target_id, physics.types[target_type].frozen, source_id, source_frozen)) return;
  counts.live += 1;

  const CellId winner = frozen::effective_source(source_id, source_frozen);
  const Copy copy{winner, target_id, state.cells.type[winner], target_type, source, offset * -1};
  const typename HostWorld<Dim>::Place at{target_site, draw.target, false}, from{source_site, source, false};
  typename HostWorld<Dim>::Scratch scratch;
  HostWorld<Dim> world(reader, physics, copy, at, from, scratch);
  CopyChange change;
  if (!accepts<Dim>(physics, world, copy, acceptance_threshold(physics.temperature, draw.threshold_bits),
                    change))
    return;
  counts.accepted += 1;
  apply_copy<Dim>(state, physics, copy, target_site, draw.target, change);
}

template <int Dim>
void plain_mcs_in(State& state, const Physics& physics, uint64_t seed, AttemptCounts& counts) {
  const StateReader<Dim> reader(state);
  for (Site i = 0; i < state.lattice.sites(); ++i) {
    const Draw pair = draw(seed, Stream::attempts, uint64_t(i / 2), uint32_t(state.mcs));
    plain_attempt<Dim>(state, reader, physics, i % 2 == 0 ? pair.ab() : pair.cd(), counts);
  }
  finish_mcs(state, physics);
}

}  // namespace

void plain_mcs(State& state, const Physics& physics, uint64_t seed, AttemptCounts& counts) {
  if (state.lattice.dimension == 2)
    plain_mcs_in<2>(state, physics, seed, counts);
  else
    plain_mcs_in<3>(state, physics, seed, counts);
}

}  // namespace kiln
