// States on a device, all of one model: that of a simulation, or those of an ensemble's members. Packed and
// uploaded once; downloaded when the host asks. Shared by the schedules on a GPU.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "core/state.hpp"
#include "engine/cuda/driver/driver.hpp"
#include "engine/cuda/state/device_columns.hpp"
#include "engine/cuda/state/device_tables.hpp"
#include "engine/cuda/state/site_layout.hpp"
#include "engine/cuda/state/staging_buffer.hpp"
#include "engine/cuda/state/state_packing.hpp"
#include "engine/engine.hpp"
#include "engine/host/team.hpp"

namespace kiln::cuda {

// Where cells come and go: by type, room for how many more, and whether cells of the type are frozen.
struct CellRoom {
  std::vector<std::size_t> spare = {};
  std::vector<bool> frozen = {};
};

class DeviceState {
 public:
  // `types` counts the medium; `max_act` is the largest Act value that any phase can set. `room` is for one
  // simulation alone.
  DeviceState(const Device& device, std::vector<State> members, int types, int max_act,
              const std::function<CellRoom(const State&)>& room = {});

  int64_t size() const { return int64_t(members_.size()); }
  int64_t rows() const { return first_row_.back(); }  // of cells: those of all members, with a medium each
  int64_t first_row(int64_t member) const { return first_row_[std::size_t(member)]; }
  int64_t cells() const { return first_cell_.back(); }  // as the host counts them
  int64_t numbering() const { return numbering_; }      // another one whenever cells have got other rows
  const SiteLayout& layout() const { return layout_; }
  const Lattice& lattice() const { return last_known().lattice; }
  const State& last_known() const { return members_[0].state; }  // on the host, perhaps long ago
  int history_length() const { return last_known().cells.history_length; }
  bool keeps_moments() const { return !last_known().cells.moments.empty(); }
  const StateTables& tables(int64_t member = 0) const { return tables_[std::size_t(member)]; }
  DeviceColumns& columns() { return columns_; }
  Buffer<uint32_t>& anchors_moved() { return anchors_moved_; }

  // Of a single simulation, where cells come and go. Rows of some cells, by their ids on the host: to known()
  // and back. Cells that are stored may be new, once they have numbers.
  State& known() { return members_[0].state; }
  CellNumbers& numbers() { return members_[0].numbers; }
  void fetch_rows(std::span<const CellId> cells, const Stream& stream);
  void store_rows(std::span<const CellId> cells, const Stream& stream);
  // Of cells that are no more: of no size, and of no cell.
  void clear_rows(std::span<const CellId> rows, const Stream& stream);
  // Numbers all cells anew. Whoever has addresses of tables, or numbers, must ask for them again.
  void make_room(const CellRoom& room, const Stream& stream);
  // A number of each row, of `words` times 4 bytes, and where it is put.
  void gather(const void* rows, int words, std::span<const CellId> of, void* to, const Stream& stream);
  void scatter(const void* from, int words, std::span<const CellId> to, void* rows, const Stream& stream);

  // Takes the kernels that it needs from a module compiled for the model.
  void use(const Module& module);
  // Called before cells are fetched, where their sums are counted only when they are needed.
  void count_sums_with(std::function<void(const Stream&)> count) { count_sums_ = std::move(count); }
  void bring_sums_up_to_date(const Stream& stream) {
    if (count_sums_) count_sums_(stream);
  }
  // Called when a state is fetched, for what else a simulation has: sums alone with cells, all with the
  // lattice.
  enum class More { sums, all };
  void fetch_more_with(std::function<void(State&, More)> fetch) { fetch_more_ = std::move(fetch); }

  int64_t mcs() const { return mcs_; }
  // Tells that all members have advanced on the device, so that the host's copies are out of date.
  void advanced(int64_t mcs);

  // A member as it is now, on the host: all of it, or all but the lattice, Act and concentrations. Of a
  // single simulation also with no more of cells than their sizes; or with nothing but the MCS, and what the
  // host alone changes, such as types.
  const State& fetch(const Stream& stream, int64_t member = 0);
  const State& fetch_cells(const Stream& stream, int64_t member = 0);
  const State& fetch_sizes(const Stream& stream);
  const State& outline();
  // Calls look(member, state) for all, from several threads.
  void visit(const Stream& stream, const std::function<void(int64_t, const State&)>& look);

  // A snapshot of a single simulation in `to`, whose memory is used again. The lattice may be copied on the
  // device first, where there is room: then it is in `to` only when what is returned has been called, on any
  // thread, before the next copy begins.
  std::function<void()> begin_copy(State& to, const Stream& stream);
  // Downloads other numbers: take(first, numbers) for piece after piece.
  void download(const Buffer<uint64_t>& from, const Stream& stream,
                const std::function<void(int64_t, std::span<const uint64_t>)>& take);
  // Ids of a single simulation as the host knows them, one after the other.
  DeviceIds plain_ids(const Stream& stream);

  // A launch for kernels with grid-stride loops.
  Launch grid_stride() const;
  // Calls work(i) for every i below `count`, on the threads that bring states over.
  void each(int64_t count, const std::function<void(int64_t)>& work);

 private:
  struct Member {
    Member(State of, int types, const CellRoom& room)
        : state(std::move(of)), numbers(state, types, room.spare, room.frozen) {}

    State state;  // of many members only the one that is shown has its lattice here
    CellNumbers numbers;
  };
  struct Sites {
    HugeVector<CellId> ids;
    HugeVector<ActValue> act;
  };
  struct SiteTransfer {
    const Buffer<uint8_t>& sites;
    const Stream& stream;
    StagingBuffer& staging;
    const CellNumbers& numbers;
    int64_t mcs, member;
  };
  // A copy of the sites on the device, with a stream and a staging buffer of its own.
  struct DeviceCopy {
    DeviceCopy(const Device& device, int64_t bytes)
        : sites(device, bytes, "a copy of the lattice"), stream(device), made(device), staging(device) {}
    Buffer<uint8_t> sites;
    Stream stream;
    Event made;
    StagingBuffer staging;
  };

  int64_t bytes_of_sites() const;
  SiteLayout layout_for_rows() const;
  void count_rows();
  void name_rows(std::span<const CellId> rows, int64_t bytes);
  void allocate();
  void upload();
  template <class Word>
  void upload_sites(int64_t member);
  void download_cells(const Stream& stream);
  void download_column(const DeviceColumns::Held& held, const Stream& stream);
  void unpack_cells(const DeviceColumns::Held& held, const uint8_t* packed, int64_t first, int64_t count);
  template <class Split>
  void download_sites(const SiteTransfer& from, State& to, const Split& split) const;
  template <class Word, class Split>
  void download_words(const SiteTransfer& from, State& to, const Split& split) const;
  template <class Work>
  void split_over_team(int64_t count, const Work& work);
  void show(int64_t member);
  void hide_shown();
  void take_room(State& state, Sites& room) const;
  void unpack(int64_t member, const uint8_t* packed);

  Device device_;
  int types_, max_act_;
  int64_t mcs_;
  std::vector<Member> members_;
  std::vector<int64_t> first_row_, first_cell_;  // of every member, and behind the last
  int64_t numbering_ = 0;
  SiteLayout layout_;
  Team team_;
  DeviceColumns columns_;
  bool cells_are_current_ = true, sizes_are_current_ = true,
       lattice_is_current_ = true;  // on the host; the last of the one that is shown
  int64_t shown_ = 0;               // -1: none
  Sites room_;                      // memory for the one that will be shown
  std::function<void(const Stream&)> count_sums_;
  std::function<void(State&, More)> fetch_more_;
  Function put_in_order_, put_back_, unpack_ids_;
  Buffer<uint8_t> sites_, moved_;
  Buffer<uint32_t> anchors_moved_;
  Buffer<CellId> host_ids_;  // per cell of the device: its id among its member's
  Buffer<CellId>
      device_ids_;  // per cell of the host, member after member: its row on the device; room for more
  Buffer<CellId> some_rows_;  // of cells whose rows are fetched or stored
  Buffer<uint8_t> ordered_;   // a piece of a column in the host's order, to be downloaded
  StagingBuffer staging_;
  Pinned<uint8_t> visited_;         // lattices of some members
  std::optional<DeviceCopy> copy_;  // made when it is first needed
  std::shared_ptr<Buffer<CellId>> plain_ids_;
  std::vector<StateTables> tables_;
};

}  // namespace kiln::cuda
