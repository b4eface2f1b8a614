// The states of an ensemble's members on a device, each packed as in DeviceState, all in common tables: a
// member has a stretch of each.
#pragma once

#include <functional>

#include "engine/cuda/driver/driver.hpp"
#include "engine/cuda/state/device_tables.hpp"
#include "engine/cuda/state/state_packing.hpp"

namespace kiln::cuda {

class EnsembleState {
 public:
  // `types` counts the medium; `max_act` is the largest Act value that any phase can set.
  EnsembleState(const Device& device, std::vector<State> states, int types, int max_act);

  int64_t size() const { return int64_t(members_.size()); }
  int64_t cells() const { return first_cell_.back(); }  // of all members, with a medium each
  int64_t first_cell(int64_t member) const { return first_cell_[std::size_t(member)]; }
  const SiteLayout& layout() const { return layout_; }
  const Lattice& lattice() const { return members_[0].state.lattice; }
  const State& last_known() const {
    return members_[0].state;
  }  // of the first, on the host, perhaps long ago
  int history_length() const { return members_[0].state.cells.history_length; }
  StateTables tables(int64_t member) const;

  int64_t mcs() const { return mcs_; }
  // Members are this much older now, and what the host knows of them is not.
  void advanced(int64_t mcs);

  // Centroid sums are up to date only where persistence needs them: whoever wants to see cells counts them
  // anew, from 0.
  bool counts_sums() const { return history_length() == 0; }
  void clear_sums(const Stream& stream) { sums_.fill(0, &stream); }
  bool has_cells() const { return has_cells_; }  // of now, on the host
  void fetch_cells();
  // These need the cells.
  const State& fetch(int64_t member);
  void visit(const std::function<void(int64_t, const State&)>& look);

 private:
  struct Member {
    Member(State of, int types) : state(std::move(of)), numbers(state, types) {}

    State state;  // its lattice and Act are on the device alone, but for the one that is shown
    CellNumbers numbers;
  };
  struct Sites {
    HugeVector<CellId> ids;
    HugeVector<ActValue> act;
  };

  void allocate();
  void upload();
  void upload_sites(int64_t member, std::vector<uint8_t>& packed);
  void unpack(int64_t member, const uint8_t* packed, Sites& room);
  void hide_shown();
  int64_t bytes_of_sites() const;

  Device device_;
  int64_t mcs_;
  bool has_cells_ = true;
  std::vector<Member> members_;
  SiteLayout layout_;
  std::vector<int64_t> first_cell_;  // of every member, and behind the last
  Sites shown_sites_;                // memory for the member that is shown
  int64_t shown_ = -1;
  Buffer<uint8_t> sites_, moved_;
  Buffer<Extent> extents_;
  Buffer<Vec3i> anchors_;
  Buffer<Vec3<int64_t>> sums_;
  Buffer<Direction> directions_;
  Buffer<Vec3d> history_;
  Buffer<uint32_t> anchors_moved_;
  Buffer<CellId> host_ids_;
  Pinned<uint8_t> landing_;
};

}  // namespace kiln::cuda
