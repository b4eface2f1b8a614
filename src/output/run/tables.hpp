// The tables of a run as an observer: rows are appended at once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/watch.hpp"
#include "output/run/folder.hpp"
#include "output/run/observer.hpp"
#include "output/state/checkpoint.hpp"
#include "output/table/cell_tracks.hpp"
#include "output/table/table.hpp"

namespace kiln {

class RunTables : public Observer {
 public:
  // `start`: the run's first MCS. With a checkpoint, goes on with the tables in the folder.
  RunTables(const Model& model, const RunFolder& folder, CellId cells, int64_t start,
            const Checkpoint* resumed);

  int64_t next_due(int64_t mcs) const override { return watch_->next_due(mcs, kNeverDue); }
  Work look(const Glance& now) override;
  Memory remember() override;
  void sync() override;
  void finish() override;
  void model_changed(const Model& model) override;
  void cells_changed() override;

  const Watch& watch() const { return *watch_; }  // the same object for good
  const std::optional<MeasureRow>& last_row() const { return last_row_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void start_tracks(CellId cells, const Checkpoint* resumed);

  const Model* model_;
  RunFolder folder_;
  int64_t start_;  // MCS
  std::optional<Watch> watch_;
  std::optional<CsvTable> measures_, correlation_;
  TrackPlan track_plan_;
  std::optional<CellTracks> cells_;
  std::optional<MeasureRow> last_row_;
  std::vector<std::string> notes_;
  // One of them is being written while the other is filled.
  std::unique_ptr<WatchMemory> remembered_ = std::make_unique<WatchMemory>();
  std::unique_ptr<WatchMemory> next_remembered_ = std::make_unique<WatchMemory>();
};

}  // namespace kiln
