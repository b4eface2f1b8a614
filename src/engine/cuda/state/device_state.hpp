// States on a device, all of one model: that of a simulation, or those of an ensemble's members. Packed,
// numbered and copied there; fetched back when the host asks. What the schedules on a GPU have in common.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "core/state.hpp"
#include "engine/cuda/driver/driver.hpp"
#include "engine/cuda/state/device_columns.hpp"
#include "engine/cuda/state/device_tables.hpp"
#include "engine/cuda/state/landing.hpp"
#include "engine/cuda/state/site_layout.hpp"
#include "engine/cuda/state/state_packing.hpp"
#include "engine/engine.hpp"
#include "engine/host/team.hpp"

namespace kiln::cuda {

class DeviceState {
 public:
  // `types` counts the medium; `max_act` is the largest Act value that any phase can set.
  DeviceState(const Device& device, std::vector<State> members, int types, int max_act);

  int64_t size() const { return int64_t(members_.size()); }
  int64_t cells() const { return first_cell_.back(); }  // of all members, with a medium each
  int64_t first_cell(int64_t member) const { return first_cell_[std::size_t(member)]; }
  const SiteLayout& layout() const { return layout_; }
  const Lattice& lattice() const { return last_known().lattice; }
  const State& last_known() const { return members_[0].state; }  // on the host, perhaps long ago
  int history_length() const { return last_known().cells.history_length; }
  bool keeps_moments() const { return !last_known().cells.moments.empty(); }
  const StateTables& tables(int64_t member = 0) const { return tables_[std::size_t(member)]; }
  DeviceColumns& columns() { return columns_; }
  Buffer<uint32_t>& anchors_moved() { return anchors_moved_; }

  // Takes the kernels that it needs from a module compiled for the model.
  void use(const Module& module);
  // Called before cells are fetched, where their sums are counted only when they are needed.
  void count_sums_with(std::function<void(const Stream&)> count) { count_sums_ = std::move(count); }

  int64_t mcs() const { return mcs_; }
  // All members are this much older now, and what the host knows of them is not.
  void advanced(int64_t mcs);

  // A member as it is now, on the host: all of it, or all but the lattice and Act.
  const State& fetch(const Stream& stream, int64_t member = 0);
  const State& fetch_cells(const Stream& stream, int64_t member = 0);
  // Calls look(member, state) for all, from several threads.
  void visit(const Stream& stream, const std::function<void(int64_t, const State&)>& look);

  // A snapshot of a single simulation in `to`, whose memory is used again. The lattice may be copied on the
  // device first, where there is room: then it is in `to` only when what is returned has been called, on any
  // thread, before the next copy begins.
  std::function<void()> begin_copy(State& to, const Stream& stream);
  // Brings other numbers to the host: take(first, numbers) for stretch after stretch.
  void bring_down(const Buffer<uint64_t>& from, const Stream& stream,
                  const std::function<void(int64_t, std::span<const uint64_t>)>& take);
  // Ids of a single simulation as the host knows them, one after the other.
  DeviceIds plain_ids(const Stream& stream);

  // A launch for kernels that stride over everything.
  Launch simple() const;

 private:
  struct Member {
    Member(State of, int types) : state(std::move(of)), numbers(state, types) {}

    State state;  // of many members only the one that is shown has its lattice here
    CellNumbers numbers;
  };
  struct Sites {
    HugeVector<CellId> ids;
    HugeVector<ActValue> act;
  };
  struct SitesOnTheirWay {
    const Buffer<uint8_t>& sites;
    const Stream& stream;
    Landing& landing;
    int64_t mcs, member;
  };
  // Of the sites, with a way to the host of its own.
  struct DeviceCopy {
    DeviceCopy(const Device& device, int64_t bytes)
        : sites(device, bytes, "a copy of the lattice"), stream(device), made(device), landing(device) {}
    Buffer<uint8_t> sites;
    Stream stream;
    Event made;
    Landing landing;
  };

  int64_t bytes_of_sites() const;
  void allocate();
  void upload();
  template <class Word>
  void upload_sites(int64_t member);
  void download_cells(const Stream& stream);
  void unpack_cells(const DeviceColumns::Held& held, const uint8_t* packed, int64_t first, int64_t count);
  template <class ShareOut>
  void download_sites(const SitesOnTheirWay& from, State& to, const ShareOut& share_out) const;
  template <class Word, class ShareOut>
  void bring_sites(const SitesOnTheirWay& from, State& to, const ShareOut& share_out) const;
  template <class Work>
  void share_out(int64_t count, const Work& work);
  void show(int64_t member);
  void hide_shown();
  void take_room(State& state, Sites& room) const;
  void unpack(int64_t member, const uint8_t* packed);

  Device device_;
  int64_t mcs_;
  std::vector<Member> members_;
  std::vector<int64_t> first_cell_;  // of every member, and behind the last
  SiteLayout layout_;
  Team team_;
  DeviceColumns columns_;
  bool cells_are_current_ = true,
       lattice_is_current_ = true;  // on the host; the latter of the one that is shown
  int64_t shown_ = 0;               // -1: none
  Sites room_;                      // memory for the one that will be shown
  std::function<void(const Stream&)> count_sums_;
  Function put_in_order_, unpack_ids_;
  Buffer<uint8_t> sites_, moved_;
  Buffer<uint32_t> anchors_moved_;
  Buffer<CellId> host_ids_;    // per cell of the device: its id among its member's
  Buffer<CellId> device_ids_;  // per cell of the host, member after member: its row on the device
  Buffer<uint8_t> ordered_;    // some cells on their way to the host
  Landing landing_;
  Pinned<uint8_t> visited_;         // lattices of some members
  std::optional<DeviceCopy> copy_;  // made when it is first needed
  std::shared_ptr<Buffer<CellId>> plain_ids_;
  std::vector<StateTables> tables_;
};

}  // namespace kiln::cuda
