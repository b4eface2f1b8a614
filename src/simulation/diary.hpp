// The tables of a run, in memory: what `kiln run` writes to measures.csv and to the tracks, at the same
// moments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/watch.hpp"
#include "output/table/table.hpp"
#include "simulation/simulation.hpp"

namespace kiln {

// One column per value of a CellRow, in sites and MCS.
struct TrackColumns {
  std::vector<int64_t> mcs;
  std::vector<uint32_t> id;
  std::vector<uint8_t> type;
  std::vector<int32_t> volume, perimeter, neighbours;
  std::vector<double> x, y, z;

  // Of cells that live, by name; not a number where a model knew nothing of it yet, or does no more.
  std::vector<std::string> lives;
  std::vector<std::vector<double>> of_lives;

  void add(int64_t at_mcs, const std::vector<CellRow>& rows, const Model& model);
};

class Diary {
 public:
  explicit Diary(Simulation& simulation);

  // To be called whenever the simulation has come to the MCS that next_due() named, or to the end of a run.
  void note();
  int64_t next_due(int64_t end) const { return watch_->next_due(simulation_.mcs(), end); }
  // The simulation goes on with another model, or with other cells: what is remembered of cells then begins
  // anew.
  void model_changed();
  void cells_changed();

  const std::vector<MeasureRow>& rows() const { return rows_; }
  const TrackColumns& tracks() const { return tracks_; }
  int64_t one_cell_in() const { return one_cell_in_; }  // of the tracks
  const Watch& watch() const { return *watch_; }
  // The tables of Motility and of lags so far; `correlation` of all moments.
  const Rows& correlation() const { return correlation_; }

 private:
  Simulation& simulation_;
  std::optional<Watch> watch_;
  std::shared_ptr<const Model> model_;  // that the watch knows
  int64_t start_;                       // MCS
  int64_t one_cell_in_ = 1, noted_ = -1;
  std::vector<MeasureRow> rows_;
  TrackColumns tracks_;
  Rows correlation_;
};

}  // namespace kiln
