// Who shares which cells, where these lie on a device: what changed is found there, and a Sharing on the host
// agrees with the other ranks.
#pragma once

#include "engine/cuda/ranks/brick_state.hpp"
#include "engine/ranks/sharing.hpp"

namespace kiln::cuda {

class BrickSharing {
 public:
  BrickSharing(const Device& device, const Stream& stream, BrickState& state, const TissuePart& part,
               const Sharing& sharing, const std::vector<uint32_t>& told = {});

  void use(const Module& module);
  // Points the tables at what is known of each cell.
  void give(BrickTables& tables) const;

  // What the host's Sharing is refreshed with: begun in the stream, and taken when it is there. Scratch
  // memory of at least scratch_words() words is overwritten.
  void begin_finding(const BrickTables& tables, Buffer<uint32_t>& scratch);
  std::vector<Sharing::Change> found(const BrickTables& tables, Buffer<uint32_t>& scratch);
  // What came of that: when it is agreed on, and when it comes into effect. False where there is no room for
  // cells that came: nothing was changed then.
  void prepare();
  bool take_over(BrickTables& tables, Buffer<uint32_t>& scratch);
  static int64_t scratch_words(const BrickState& state) { return 4 * state.rows(); }
  // The list of shared cells, and their table by number.
  void list_shared(BrickTables& tables);

  // What the host knows of who shares which cells; `told` as below, or none where partners know of nothing.
  void store(const std::vector<uint32_t>& told);
  // By the part's ids: how partners know a cell to be owned. For another that takes this one's place. Cells
  // that were born since have it of their parents.
  std::vector<uint32_t> told() const;
  // By the part's ids: sites in the brick.
  void fetch_here(std::vector<int32_t>& here) const;

 private:
  uint64_t bits_of(uint32_t set) const;
  bool fit_sets();
  void find(const BrickTables& tables, Buffer<uint32_t>& scratch, FoundChange* found, int64_t room);
  void pack(const NewSharing& entry);
  void pack(NewSharing::Kind kind, CellId row, CellId own);

  Device device_;
  const Stream& stream_;
  BrickState& state_;
  const TissuePart& part_;
  const Sharing& sharing_;
  Buffer<CellId> numbers_;
  Buffer<uint32_t> sharers_;
  Buffer<uint64_t> sets_, own_ids_;
  Buffer<int32_t> here_;
  Buffer<uint32_t> told_, shared_count_, found_count_;
  Buffer<CellId> shared_;
  Buffer<Zone> zones_;
  Buffer<FoundChange> found_;
  Pinned<NewSharing> packed_;
  int64_t packed_count_ = 0;
  Pinned<uint32_t> count_;
  Pinned<FoundChange> first_found_;
  Event is_found_;
  int32_t zone_count_ = 0;
  Function mark_near_, find_changes_, note_told_, set_sharing_, list_shared_;
};

}  // namespace kiln::cuda
