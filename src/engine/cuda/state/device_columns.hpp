// The columns of the cells' table in device memory: of one simulation, or of many, whose rows lie one after
// the other.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/columns.hpp"
#include "engine/cuda/driver/driver.hpp"
#include "engine/cuda/state/device_tables.hpp"
#include "engine/cuda/state/state_packing.hpp"

namespace kiln::cuda {

// A table of StateTables, and the part of a host column that it holds.
struct DeviceColumn {
  const Column* column;
  std::size_t offset, bytes;  // in a row on the host
  std::size_t stride;         // from row to row on the device: whole words of four bytes
  void (*put)(StateTables& tables, uint8_t* first_row);
  bool of_life;  // read and written where cells live, and by nothing that moves them
};

class DeviceColumns {
 public:
  DeviceColumns() = default;
  // Allocates columns for `cells` cells in all, with those optional ones that `like` has; without those of
  // life where the host keeps them.
  DeviceColumns(const Device& device, const Cells& like, int64_t cells, bool with_life = true);

  // Rows of a simulation's cells, from row `first` on, in the device's order.
  void upload(const Cells& from, const CellNumbers& numbers, int64_t first);
  // Points the tables at the rows of the simulation whose cells begin at `first`; those without a column are
  // null.
  void give(StateTables& tables, int64_t first) const;
  // Sets what a recount adds to, sums and moments, to 0.
  void clear_sums(const Stream& stream);

  struct Held {
    const DeviceColumn* what;
    int rows_per_cell;
    Buffer<uint8_t> rows;

    int64_t bytes_per_cell() const { return int64_t(what->stride) * rows_per_cell; }
    // Packs the host's rows of a cell as the device has them.
    void pack(const Cells& from, CellId cell, uint8_t* packed) const;
    // Puts packed rows of the device, of `count` cells, into the host's rows of cells from `first` on.
    void unpack(const uint8_t* packed, int64_t first, int64_t count, Cells& to) const;
  };
  std::span<const Held> all() const { return held_; }
  const Held& sizes() const;  // volumes and perimeters

 private:
  std::vector<Held> held_;
};

}  // namespace kiln::cuda
