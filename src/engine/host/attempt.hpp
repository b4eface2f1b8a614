// From a pair of sites to a copy, on a processor.
#pragma once

#include "engine/host/world.hpp"

namespace kiln {

template <int Dim>
struct HostAttempt {
  typename HostWorld<Dim>::Place target;
  Site source;    // the target where the source lies beyond a wall
  int direction;  // from target to source
  CellId target_id, source_id;

  bool is_null() const { return target_id == source_id; }
};

template <int Dim>
KILN_HOT HostAttempt<Dim> attempt_at(const StateReader<Dim>& reader, const Vec3i& place, int direction) {
  const Site site = reader.lattice().index(place);
  const bool interior = reader.is_interior(place);
  const Site source =
      interior ? site + reader.neighbour_offset(direction) : reader.neighbour_anywhere(place, direction);
  return {{site, place, interior}, source, direction, reader.ids()[site], reader.ids()[source]};
}

// The copy that an attempt between different ids stands for, and the place of its source; false where frozen
// cells make it null.
template <int Dim, class Physics>
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
  source = {a.source, copy.source, physics.template in_use<act::Term>() && reader.is_interior(copy.source)};
  return true;
}

// A copy whose surroundings have been judged, and which waits for the sizes of its cells.
struct OpenCopy {
  Vec3i target;
  CellId winner, loser;
  TypeId winner_type, loser_type;
  int16_t winner_perimeter, loser_perimeter;  // how the copy changes them
  float surroundings, threshold;

  OpenCopy(const Vec3i& at, const Copy& copy, const CopyChange& change, float surroundings_dh,
           float accepted_below)
      : target(at),
        winner(copy.winner),
        loser(copy.loser),
        winner_type(copy.winner_type),
        loser_type(copy.loser_type),
        winner_perimeter(int16_t(change.winner_perimeter)),
        loser_perimeter(int16_t(change.loser_perimeter)),
        surroundings(surroundings_dh),
        threshold(accepted_below) {}

  Copy copy() const { return {winner, loser, winner_type, loser_type, {}, {}}; }
  CopyChange change() const { return {winner_perimeter, loser_perimeter, target}; }
};

}  // namespace kiln
