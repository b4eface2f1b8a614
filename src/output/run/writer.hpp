// Everything a run leaves behind, by observers with a rhythm each: tables, pictures, snapshots, and whatever
// else is added; and the checkpoints from which it goes on.
//
// Snapshots and checkpoints are made of a copy of the state while the run goes on, and pictures, too, where
// it leaves cores for them; one copy, so the next ones wait until those before are done.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "output/run/background_work.hpp"
#include "output/run/folder.hpp"
#include "output/run/observer.hpp"
#include "output/run/pictures.hpp"
#include "output/run/snapshots.hpp"
#include "output/run/tables.hpp"
#include "output/state/checkpoint.hpp"

namespace kiln {

// How much memory a run's copy of its state takes, at most, in bytes; 0 where it keeps nothing on the way, or
// where memory does not suffice: then files are written while the run waits.
double copy_bytes(const Model& model, double cells);

class RunWriter {
 public:
  // With a checkpoint, goes on with the tables, snapshots and animations in the folder; its state has to be
  // written again. `from`: where a new run branches off another. `in_parts`: the state lies in several
  // processes (Engine::parts).
  RunWriter(const Model& model, const RunFolder& folder, CellId cells, const Checkpoint* resumed,
            std::optional<BranchPoint> from = std::nullopt, bool in_parts = false);

  // One more observer, which must outlive this; it looks after the others.
  void add(Observer& observer) { observers_.push_back(&observer); }

  // The first MCS after `mcs` at which something is due; the end of the run at the latest.
  int64_t next_due(int64_t mcs) const;
  void pulse(int64_t mcs);

  // Writes what is due, or begins to; what fails in the background is thrown by a later call. At the end that
  // is everything; a run that is interrupted keeps its rhythm, so that going on later gives the same tables
  // as never having stopped, and only adds a checkpoint and its pictures. What a checkpoint remembers of the
  // measures is from before they saw its state: a run that goes on from it, even beyond what was the end,
  // takes them anew. `counts` are those of the whole run.
  void write(const Look& look, const AttemptCounts& counts, const std::string& schedule, Moment moment);

  // Waits for everything and puts all tables in their place. Nothing may be written afterwards.
  void finish();

  // Before the state or the model of the run is replaced: a copy may not be complete yet.
  void wait() { background_.wait(); }
  void model_changed(const Model& model);
  void cells_changed();
  // What the following checkpoints say of a program that steers the run.
  void set_steering(const Steering& steering) { steering_ = steering; }

  // MCS of the last checkpoint that is on disk, and of the last that was asked for; -1 where there is none.
  int64_t checkpoint_at() const { return checkpoint_at_; }
  int64_t checkpoint_asked() const { return checkpoint_asked_; }
  // How long the slowest checkpoint took, with what was written beside it; 0 before the first.
  double checkpoint_seconds() const { return checkpoint_seconds_; }
  int64_t start() const { return start_; }  // MCS
  const std::optional<BranchPoint>& from() const { return from_; }
  // In which the run has stood still for write() and finish().
  double seconds() const { return seconds_; }

  const RunTables& tables() const { return tables_; }
  const RunPictures& pictures() const { return pictures_; }
  const std::optional<MeasureRow>& last_row() const { return tables_.last_row(); }
  const Motility& motility() const { return tables_.watch().motility(); }
  // What a reader of the results has to know, a sentence each.
  std::vector<std::string> notes() const;
  std::map<std::string, std::vector<std::string>> stills() const { return pictures_.stills(); }
  std::vector<std::string> animations() const { return pictures_.animations(); }

 private:
  // What is to be made of a whole state, in this order: first the checkpoint, so that nothing of what can be
  // made again stands in its way.
  struct Keep {
    int64_t mcs = -1;
    std::optional<CheckpointInfo> checkpoint;  // without what observers remember:
    std::vector<Observer::Memory> memories;
    std::vector<Observer::Work> works;

    bool anything() const { return checkpoint || !works.empty(); }
  };

  void prepare_copy();
  bool wants_checkpoint(int64_t mcs, Moment moment) const;
  void begin_checkpoint(Keep& what, int64_t mcs, const AttemptCounts& counts, const std::string& schedule);
  void keep_beside(const Look& look, Keep what);
  void keep(const State& state, const Keep& what);
  void keep_parts(const Look& look, StateParts& parts, const Keep& what);
  template <class Tissue>
  void save(Tissue& state, const Keep& what);

  const Model* model_;
  std::string model_text_;  // as the run began
  RunFolder folder_;
  std::optional<BranchPoint> from_;
  int64_t start_ = 0;  // MCS
  int64_t end_ = 0;    // MCS
  std::optional<Steering> steering_;
  RunTables tables_;
  RunPictures pictures_;
  RunSnapshots snapshots_;
  std::vector<Observer*> observers_;
  int64_t checkpoint_asked_;  // MCS
  std::atomic<int64_t> checkpoint_at_;
  std::atomic<double> checkpoint_seconds_ = 0;
  double seconds_ = 0;
  bool overlaps_ = false;
  bool has_spare_cores_ = false;  // at the last look: the background may be drawing
  State copy_;                    // what the background works on
  BackgroundWork background_;     // last, so that it has ended before anything else goes
};

}  // namespace kiln
