// All measures of a run, each taken at the rhythm that the model asks for.
#pragma once

#include <optional>
#include <vector>

#include "measure/cell_table.hpp"
#include "measure/motility/motility.hpp"
#include "measure/named_arrays.hpp"
#include "measure/recorder.hpp"

namespace kiln {

// What was due at one moment.
struct Seen {
  std::optional<MeasureRow> row;              // of measures.csv
  std::optional<std::vector<CellRow>> cells;  // a sample of the tracks
  std::vector<IntervalCorrelation> correlation;
};

// All that has to be known to go on later.
struct WatchMemory {
  TrackData tracks;
  AttemptCounts last_counts;
  MotilityData motility;
};
NamedArrays arrays_of(const WatchMemory& memory);

class Watch {
 public:
  // `start`: the run's first MCS. With `memory`, goes on where a run was interrupted.
  // `threads` 0: all.
  Watch(const Model& model, int64_t start, const NamedArrays& memory = {}, int threads = 0);

  // Whether something that comes every so many MCS is due: at multiples, as measuring begins, and with the
  // last state; never in a phase that is not measured, nor where `every` is 0.
  bool is_due(int64_t mcs, int64_t every, bool last) const;
  // The first MCS after `mcs` at which a measure is due, or a phase ends; at the latest `end`.
  int64_t next_due(int64_t mcs, int64_t end) const;
  int64_t first_measured() const { return first_measured_; }

  // `counts` are those of the whole run; of the tracks every one_cell_in-th cell is looked at. On large
  // lattices cells in pieces are counted in the `last` state only.
  Seen look(const Look& look, const AttemptCounts& counts, bool last, int64_t one_cell_in);

  const Tracks& tracks() const { return recorder_.tracks(); }
  const Motility& motility() const { return motility_; }
  void copy_memory(WatchMemory& to) const;  // into memory that it has already, where that fits

 private:
  bool is_measured(int64_t mcs) const;

  const Model& model_;
  std::vector<bool> frozen_;
  int threads_;
  int64_t first_measured_;  // MCS
  Recorder recorder_;
  Motility motility_;
};

// For a watch that takes the place of `former` because cells are others now: it knows none of them, but which
// attempts are in rows already.
NamedArrays memory_without_cells(const Model& model, int64_t start, const Watch& former);

}  // namespace kiln
