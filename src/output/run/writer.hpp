// Writes everything a run leaves behind, each at its own rhythm: rows of tables, pictures, snapshots,
// checkpoints.
//
// Pictures, snapshots and checkpoints are made of a copy of the state while the run goes on; one copy, so the
// next ones wait until those before are done.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "measure/watch.hpp"
#include "output/picture/animation.hpp"
#include "output/picture/picture.hpp"
#include "output/run/background_work.hpp"
#include "output/run/folder.hpp"
#include "output/state/checkpoint.hpp"
#include "output/state/snapshot.hpp"
#include "output/table/cell_tracks.hpp"
#include "output/table/table.hpp"

namespace kiln {

// How much memory a run's copy of its state takes, at most, in bytes; 0 where it keeps nothing on the way, or
// where memory does not suffice: then files are written while the run waits.
double copy_bytes(const Model& model, double cells);

// How a state stands in its run.
enum class Moment {
  start,  // the first state
  under_way,
  saved,  // under way, and a checkpoint is wanted now
  end,    // the last state
  interrupted,
};

class RunWriter {
 public:
  // With a checkpoint, goes on with the tables, snapshots and animations in the folder; its state has to be
  // written again. `from`: where a new run branches off another.
  RunWriter(const Model& model, const RunFolder& folder, CellId cells, const Checkpoint* resumed,
            std::optional<BranchPoint> from = std::nullopt);

  // The first MCS after `mcs` at which something is due; the end of the run at the latest.
  int64_t next_due(int64_t mcs) const;

  // Writes what is due, or begins to; what fails in the background is thrown by a later call. At the end that
  // is everything; a run that is interrupted keeps its rhythm, so that going on later gives the same tables
  // as never having stopped, and only adds a checkpoint and its pictures. What a checkpoint remembers of the
  // measures is from before they saw its state: a run that goes on from it, even beyond what was the end,
  // takes them anew. `counts` are those of the whole run.
  void write(const Look& look, const AttemptCounts& counts, const std::string& schedule, Moment moment);

  // Waits for everything and puts all tables in their place. Nothing may be written afterwards.
  void finish();

  // MCS of the last checkpoint that is on disk, and of the last that was asked for; -1 where there is none.
  int64_t checkpoint_at() const { return checkpoint_at_; }
  int64_t checkpoint_asked() const { return checkpoint_asked_; }
  // How long the slowest checkpoint took, with what was written before it; 0 before the first.
  double checkpoint_seconds() const { return checkpoint_seconds_; }
  int64_t start() const { return start_; }  // MCS
  const std::optional<BranchPoint>& from() const { return from_; }
  // In which the run has stood still for write() and finish().
  double seconds() const { return seconds_; }

  const std::optional<MeasureRow>& last_row() const { return last_row_; }
  const Motility& motility() const { return watch_.motility(); }
  // What a reader of the tables has to know, a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }
  // Relative to the folder, in order of time: the still pictures of each view, and the animations, as PNG and
  // MP4.
  std::map<std::string, std::vector<std::string>> stills() const;
  std::vector<std::string> animations() const;

 private:
  struct Series {
    PictureSettings settings;
    PictureSeries pictures;
    std::optional<AnimationWriter> animation;
    std::vector<int64_t> drawn;
  };

  // What is to be made of a whole state.
  struct Keep {
    Moment moment = Moment::under_way;
    bool pictures = false, snapshot = false;
    std::optional<CheckpointInfo> checkpoint;  // without what the measures remember:
    WatchMemory* remembered = nullptr;

    bool anything() const { return pictures || snapshot || checkpoint; }
  };

  void prepare_copy();
  void start_tracks(CellId cells, const Checkpoint* resumed);
  bool is_drawn(const Series& series, int64_t mcs, Moment moment) const;
  void take_measures(const Look& look, const AttemptCounts& counts, Moment moment);
  Keep what_to_keep(int64_t mcs, const AttemptCounts& counts, const std::string& schedule, Moment moment);
  void keep(const State& state, const Keep& what);
  void draw_pictures(const State& state, Moment moment);
  bool wants_checkpoint(int64_t mcs, Moment moment) const;
  void sync_tables();
  void save_snapshot(const State& state);
  void take_up_pictures(int64_t last_mcs);
  void write_animations();
  std::string still_name(const Series& series, int64_t mcs) const;

  const Model& model_;
  RunFolder folder_;
  std::optional<CsvTable> measures_, correlation_;
  TrackPlan track_plan_;
  std::optional<CellTracks> cells_;
  std::optional<LatticeFile> lattice_;
  std::vector<Series> series_;
  std::optional<MeasureRow> last_row_;
  std::vector<std::string> notes_;
  std::optional<BranchPoint> from_;
  int64_t start_ = 0;  // MCS
  int64_t end_ = 0;    // MCS
  Watch watch_;
  int64_t checkpoint_asked_;  // MCS
  std::atomic<int64_t> checkpoint_at_;
  std::atomic<double> checkpoint_seconds_ = 0;
  double seconds_ = 0;
  bool overlaps_ = false;
  bool has_ended_ = false;  // the last state was written
  State copy_;              // what the background works on, as one of these:
  std::unique_ptr<WatchMemory> remembered_ = std::make_unique<WatchMemory>();
  std::unique_ptr<WatchMemory> next_remembered_ = std::make_unique<WatchMemory>();
  BackgroundWork background_;  // last, so that it has ended before anything else goes
};

}  // namespace kiln
