// Writes everything a run leaves behind, each at its own rhythm: rows of tables, pictures, snapshots,
// checkpoints.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "measure/motility.hpp"
#include "measure/recorder.hpp"
#include "output/animation.hpp"
#include "output/checkpoint.hpp"
#include "output/run_folder.hpp"
#include "output/snapshot.hpp"
#include "output/table.hpp"

namespace kiln {

// Which phase the MCS after `mcs` belongs to; the last one at the end.
int phase_at(const Model& model, int64_t mcs);

// How a state stands in its run.
enum class Moment {
  start,  // the first state
  under_way,
  end,  // the last state
  interrupted,
};

class RunWriter {
 public:
  // With a checkpoint, goes on with the tables, snapshots and animations in the folder.
  RunWriter(const Model& model, const RunFolder& folder, CellId cells, const Checkpoint* resumed);

  // The first MCS after `mcs` at which something is due; the end of the run at the latest.
  int64_t next_due(int64_t mcs) const;

  // Writes what is due. At the end that is everything; a run that is interrupted keeps its rhythm, so that
  // going on later gives the same tables as never having stopped, and only adds a checkpoint and its
  // pictures. `counts` are those of the whole run.
  void write(const Look& look, const AttemptCounts& counts, const std::string& schedule, Moment moment);

  // Puts all tables in their place. Nothing may be written afterwards.
  void finish();

  const std::optional<MeasureRow>& last_row() const { return last_row_; }
  const Motility& motility() const { return motility_; }
  // What a reader of the tables has to know, a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }
  // Relative to the folder, in order of time: the still pictures of each view, and the animations.
  std::map<std::string, std::vector<std::string>> stills() const;
  std::vector<std::string> animations() const;

 private:
  struct Series {
    PictureSettings settings;
    std::optional<AnimationWriter> animation;
    std::vector<int64_t> drawn;
  };

  bool is_measured(int64_t mcs) const;
  bool is_due(int64_t mcs, int64_t every, Moment moment) const;
  bool counts_fragments(Moment moment) const;
  void take_measures(const Look& look, const AttemptCounts& counts, Moment moment);
  void draw_pictures(const Look& look, Moment moment);
  void save(const Look& look, const AttemptCounts& counts, const std::string& schedule, Moment moment);
  void take_up_pictures(int64_t last_mcs);
  std::string still_name(const Series& series, int64_t mcs) const;

  const Model& model_;
  RunFolder folder_;
  Recorder recorder_;
  Motility motility_;
  std::optional<CsvTable> measures_, cells_, correlation_;
  std::optional<LatticeFile> lattice_;
  std::vector<Series> series_;
  std::optional<MeasureRow> last_row_;
  std::vector<std::string> notes_;
  std::vector<bool> frozen_;
  int64_t end_ = 0;             // MCS
  int64_t first_measured_ = 0;  // MCS
  int64_t cell_stride_ = 1;
};

}  // namespace kiln
