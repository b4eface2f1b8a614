// Observers of a run: tables, pictures, snapshots, a bar, a viewer. Each has a rhythm of its own; the run
// stops whenever one of them is due.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "engine/engine.hpp"
#include "measure/look.hpp"
#include "measure/named_arrays.hpp"

namespace kiln {

// How a state stands in its run.
enum class Moment {
  start,  // the first state
  under_way,
  saved,  // under way, and a checkpoint is wanted now
  end,    // the last state
  interrupted,
};

// What an observer is shown at a stop of the run.
struct Glance {
  const Look& look;
  const AttemptCounts& counts;  // of the whole run
  Moment moment;
  int spare_cores = 0;  // for work beside the run

  int64_t mcs() const { return look.mcs(); }
};

inline constexpr int64_t kNeverDue = std::numeric_limits<int64_t>::max();

// The first multiple of `every` after `mcs`.
inline int64_t next_multiple(int64_t mcs, int64_t every) {
  return every > 0 ? (mcs / every + 1) * every : kNeverDue;
}
inline bool is_multiple(int64_t mcs, int64_t every) { return every > 0 && mcs % every == 0; }

class Observer {
 public:
  // Work on a whole state; empty: none.
  struct Work {
    std::function<void(const State&)> on;
    bool beside = true;  // the run, on a copy of the state; else the run stands still for it
    // The same on a state that no process holds as a whole; empty: the whole is brought together for it.
    std::function<void(StateParts&)> on_parts = {};

    explicit operator bool() const { return bool(on); }
  };
  // Adds what was remembered to the arrays of a checkpoint; empty: nothing.
  using Memory = std::function<void(NamedArrays&)>;

  virtual ~Observer() = default;

  // The first MCS after `mcs` at which it wants to look.
  virtual int64_t next_due(int64_t mcs) const = 0;
  // Called at every stop of the run, whichever observer asked for it.
  virtual Work look(const Glance& now) = 0;
  // About ten times a second while the run goes on.
  virtual void pulse(int64_t /*mcs*/) {}

  // For a checkpoint of the state that look() is going to show: what is remembered from before it, because a
  // run that goes on shows that state again. Copies now what the run will change; the rest is done later, on
  // another thread.
  virtual Memory remember() { return {}; }
  // Whatever came before a checkpoint is on disk when this returns. On another thread, while rows may be
  // added.
  virtual void sync() {}
  // The run has ended, or was interrupted.
  virtual void finish() {}

  // The run goes on under another model; the former one still exists during the call.
  virtual void model_changed(const Model& /*model*/) {}
  // The run goes on with other cells: what is remembered of cells begins anew.
  virtual void cells_changed() {}
};

}  // namespace kiln
