// The part of a tissue that a rank knows, on a device: its sites and the rows of its cells, which come and
// go.
#pragma once

#include "engine/cuda/driver/driver.hpp"
#include "engine/cuda/ranks/brick_tables.hpp"
#include "engine/cuda/state/device_columns.hpp"
#include "engine/cuda/state/device_tables.hpp"
#include "engine/cuda/state/site_layout.hpp"
#include "engine/cuda/state/staging_buffer.hpp"
#include "engine/cuda/state/state_packing.hpp"
#include "engine/living/events.hpp"
#include "engine/ranks/tissue_part.hpp"

namespace kiln::cuda {

class BrickState {
 public:
  // `max_act` is the largest Act value that any phase can set; `spare` as in CellNumbers, for all types. The
  // part has to stay: it holds what was last fetched.
  BrickState(const Device& device, const Stream& stream, TissuePart& part, int max_act,
             const std::vector<std::size_t>& spare);

  const SiteLayout& layout() const { return layout_; }
  const StoredSites& stored() const { return stored_; }
  const StateTables& tables() const { return tables_; }
  int64_t rows() const { return int64_t(numbers_.from_device.size()); }  // of cells, free ones among them
  // kMedium where it has none.
  CellId row_of(CellId own) const {
    return own < numbers_.to_device.size() ? numbers_.to_device[own] : kMedium;
  }
  CellId own_of(CellId row) const { return numbers_.from_device[row]; }
  DeviceColumns& columns() { return columns_; }
  Buffer<uint32_t>& anchors_moved() { return anchors_moved_; }
  void use(const Module& module);

  // From the part: the rows of all its cells, as far as motion reads them.
  void store_cells() { columns_.upload(part_.state.cells, numbers_, 0); }
  // Rows for cells that were born, and others for cells of another type than before. False where there is no
  // room for all of them; what rows there are is of no use then.
  bool give_rows(const std::vector<CellId>& born, const std::vector<CellId>& of_new_type);
  // Sites as stored, with the part's ids.
  void change_sites(const std::vector<TouchedSite>& changed);
  // Into the part. Scratch memory, best of at least scratch_words() words, is overwritten.
  void fetch_sites();
  void fetch_cells(Buffer<uint32_t>& scratch);
  int64_t scratch_words() const;
  // Rows of some cells, by the part's ids, into the part; and from there to new rows, which are given back:
  // none where there is no room for all of them.
  void fetch_rows(const std::vector<CellId>& cells);
  std::vector<CellId> add_rows(const std::vector<CellId>& cells);
  // Gives back which it was.
  CellId remove_row(CellId own) { return numbers_.remove(own); }

  // A launch for kernels with grid-stride loops.
  Launch grid_stride() const;

 private:
  template <class Word>
  void upload_sites();
  template <class Word>
  void download_sites();
  RowPlan plan() const;
  void make_room(int which, int64_t count, const RowPlan& rows);

  Device device_;
  const Stream& stream_;
  TissuePart& part_;
  CellNumbers numbers_;
  SiteLayout layout_;
  StoredSites stored_;
  DeviceColumns columns_;
  Buffer<uint8_t> sites_, moved_;
  Buffer<uint32_t> anchors_moved_;
  Buffer<CellId> listed_;          // rows that are fetched or added
  Buffer<uint32_t> packed_;        // their contents
  Pinned<CellId> listed_here_[2];  // the same on the host, of those fetched and of those added
  Pinned<uint32_t> packed_here_[2];
  StagingBuffer staging_;
  StateTables tables_{};
  Buffer<StoredChange> changed_;
  Function put_in_order_, gather_rows_, scatter_rows_, change_sites_;
};

}  // namespace kiln::cuda
