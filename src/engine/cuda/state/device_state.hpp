// A State on a device: packed, numbered and copied there, kept in step between two MCS, and fetched back when
// somebody asks. What the schedules on a GPU have in common.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "core/state.hpp"
#include "engine/cuda/driver/driver.hpp"
#include "engine/cuda/state/device_tables.hpp"
#include "engine/cuda/state/field_values.hpp"
#include "engine/cuda/state/landing.hpp"
#include "engine/cuda/state/site_layout.hpp"
#include "engine/cuda/state/state_packing.hpp"
#include "engine/engine.hpp"
#include "engine/host/team.hpp"
#include "terms/physics.hpp"

namespace kiln::cuda {

// How the sums of centroids come about: kept up to date copy by copy by the schedule's kernels, or counted
// from the lattice whenever they are needed: for anchors now and then, for persistence after every MCS.
enum class CentroidSums { kept, counted };

class DeviceState {
 public:
  // `types` counts the medium; `max_act` is the largest Act value that any phase can set.
  DeviceState(const Device& device, State state, int types, int max_act, CentroidSums sums);

  const SiteLayout& layout() const { return layout_; }
  const StateTables& tables() const { return tables_; }
  const Lattice& lattice() const { return state_.lattice; }
  const State& last_known() const { return state_; }  // on the host, perhaps long ago
  int history_length() const { return state_.cells.history_length; }
  int64_t mcs() const { return mcs_; }

  // Takes the kernels of between_kernels.cuh from a module compiled for this physics, and gives it its
  // fields.
  void use(const Module& module, const Physics& physics);
  // To be called before and after `mcs` MCS have been played in the stream.
  void begin(int64_t mcs, const Stream& stream);
  void finish(int64_t mcs, const Stream& stream);
  // The state as it is now, on the host: all of it, or all but the lattice and Act.
  const State& fetch(const Stream& stream);
  const State& fetch_cells(const Stream& stream);
  // Puts the state as it is now into `to`, whose memory is used again. The lattice may be copied on the
  // device first, where there is room: then it is in `to` only when what is returned has been called, on any
  // thread, before the next copy begins.
  std::function<void()> begin_copy(State& to, const Stream& stream);
  // Brings other numbers to the host: take(first, numbers) for stretch after stretch.
  void bring_down(const Buffer<uint64_t>& from, const Stream& stream,
                  const std::function<void(int64_t, std::span<const uint64_t>)>& take);

  // Ids as the host knows them, one after the other.
  DeviceIds plain_ids(const Stream& stream);

  // A launch for kernels that stride over everything.
  Launch simple() const;

 private:
  struct SitesOnTheirWay {
    const Buffer<uint8_t>& sites;
    const Stream& stream;
    Landing& landing;
    int64_t mcs;
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

  void allocate();
  void upload();
  template <class Word>
  void upload_sites();
  void download_cells(State& to, const Stream& stream);
  void download_lattice(State& to, const Stream& stream);
  template <class ShareOut>
  void download_sites(const SitesOnTheirWay& from, State& to, const ShareOut& share_out) const;
  template <class Word, class ShareOut>
  void bring_sites(const SitesOnTheirWay& from, State& to, const ShareOut& share_out) const;
  template <class Work>
  void share_out(int64_t count, const Work& work);
  void move_anchors(const Stream& stream);
  void count_all_sums(const Stream& stream);

  State state_;
  CentroidSums sums_come_;
  bool lattice_is_current_ = true, cells_are_current_ = true;  // on the host
  int64_t mcs_, refreshed_at_;  // the latter: when stale stamps of Act were last set back
  Device device_;
  SiteLayout layout_;
  Team team_;
  CellNumbers numbers_;
  Function turn_, move_anchors_, count_sums_, put_in_order_, refresh_stamps_, unpack_ids_;
  Buffer<uint8_t> sites_, moved_;
  Buffer<Extent> extents_;
  Buffer<Vec3i> anchors_;
  Buffer<Vec3<int64_t>> sums_;
  Buffer<Direction> directions_;
  Buffer<Vec3d> history_;
  Buffer<uint32_t> anchors_moved_;
  Buffer<CellId> host_ids_, device_ids_;  // of numbers_
  Buffer<HostCell> ordered_;              // some cells on their way to the host
  Landing landing_;
  std::optional<DeviceCopy> copy_;  // made when it is first needed
  std::shared_ptr<Buffer<CellId>> plain_ids_;
  FieldValues fields_;
  StateTables tables_{};
};

}  // namespace kiln::cuda
