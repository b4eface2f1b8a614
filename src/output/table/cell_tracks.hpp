// The tracks of a run, one row per cell and sample: in cells.csv or, where that would grow too long, in
// cells.h5.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>

#include "measure/cell_table.hpp"
#include "model/model.hpp"
#include "output/run/folder.hpp"
#include "output/table/table.hpp"
#include "output/table/track_table.hpp"

namespace kiln {

// Where the tracks go, and which cells they hold: ids 1, 1 + one_cell_in, ...
struct TrackPlan {
  bool hdf5 = false;
  int64_t one_cell_in = 1;
};

// The most rows of a whole run, unless the model says which cells it wants.
inline constexpr int64_t kMostCsvRows = 1'000'000, kMostHdf5Rows = 100'000'000;

// For ids 1 to `cells`, sampled so many times.
TrackPlan plan_tracks(const MeasureSettings& settings, int64_t cells, int64_t samples);

// What a reader of the tracks has to know, a sentence each.
std::vector<std::string> track_notes(const TrackPlan& plan, const MeasureSettings& settings);

class CellTracks {
 public:
  // With `last_mcs`, goes on with what an earlier part of the run left, up to and including that MCS.
  CellTracks(const RunFolder& folder, const Model& model, const TrackPlan& plan,
             std::optional<int64_t> last_mcs);

  void add(int64_t mcs, std::span<const CellRow> rows);  // and flushes
  void sync();                                           // as CsvTable does
  void finish();
  void model_changed(const Model& model) { model_ = &model; }

 private:
  std::vector<CellRow> fitted(std::span<const CellRow> rows) const;

  const Model* model_;
  std::vector<std::string> lives_;  // columns of cells that live
  std::variant<CsvTable, TrackTable> table_;
};

}  // namespace kiln
