// From a pair of sites to a copy, on a processor.
#pragma once

#include "engine/host_world.hpp"

namespace kiln {

// A target and a source that hold different ids.
template <int Dim>
struct HostAttempt {
  typename HostWorld<Dim>::Place target;
  Site source;
  int direction;  // from target to source
  CellId target_id, source_id;
};

// The copy that an attempt stands for, and the place of its source; false where frozen cells make it null.
template <int Dim>
KILN_HOT bool copy_of(const StateReader<Dim>& reader, const Physics& physics, const HostAttempt<Dim>& a,
                      Copy& copy, typename HostWorld<Dim>::Place& source) {
  copy = {a.source_id, a.target_id, reader.type(a.source_id), reader.type(a.target_id), {}, {}};
  if (physics.uses.frozen) {
    const bool source_frozen = physics.types[copy.winner_type].frozen;
    if (!frozen::is_live(a.target_id, physics.types[copy.loser_type].frozen, a.source_id, source_frozen))
      return false;
    copy.winner = frozen::effective_source(a.source_id, source_frozen);
    copy.winner_type = reader.type(copy.winner);
  }
  copy.step = reader.step_from(a.direction);
  copy.source = a.target.at - copy.step;
  if (!a.target.interior) reader.lattice().wrap(copy.source);
  source = {a.source, copy.source, physics.uses.act && reader.is_interior(copy.source)};
  return true;
}

}  // namespace kiln
