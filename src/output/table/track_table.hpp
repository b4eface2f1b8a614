// Tracks that are too long for a CSV: cells.h5, one dataset per column.
//
//   /                attributes voxel_um, seconds_per_mcs, type_names, one_cell_in, kiln_version
//   /cells           one dataset per column, all of the same length, in order of time, then of id:
//                      id (uint32), t (seconds), x, y, z (float32, micrometres, unwrapped), mcs, type (index
//                      into type_names), volume (sites), perimeter, neighbours; where cells live, float64s:
//                      parent, generation, age (seconds), target (sites), properties; attribute "lives" has
//                      their names
//   /samples         mcs, first_row, rows: where each sample lies in the columns
//
// HDF5 files do not survive a program that dies while it writes. So rows are first appended, as they are in
// memory, to cells.rows (40 bytes each: mcs int64, id uint32, volume, perimeter, neighbours int32, x, y, z
// float32, type uint32; where cells live, float64 for each further column); finish() makes the HDF5 file of
// it. What a run that died leaves behind is cut back to the checkpoint and goes on.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "measure/cell_table.hpp"
#include "model/model.hpp"

namespace kiln {

class TrackTable {
 public:
  // With `last_mcs`, goes on with the rows of an earlier part of the run up to and including that MCS; anew
  // where there are none. Throws Failure where a file cannot be written, as do the others, and UserError
  // where an earlier one cannot be read.
  TrackTable(std::filesystem::path path, const Model& model, int64_t one_cell_in,
             std::optional<int64_t> last_mcs);

  void add(int64_t mcs, std::span<const CellRow> rows);
  // Hands all rows so far to the system, so that they outlive this process.
  void flush();
  // The same, so that they also outlive a loss of power.
  void sync();
  // Puts the table in its place. Without this cells.rows stays behind.
  void finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void take_up(int64_t last_mcs);
  [[noreturn]] void fail() const;

  std::filesystem::path path_, part_;
  Units units_;
  std::vector<std::string> type_names_, lives_;
  int64_t one_cell_in_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace kiln
