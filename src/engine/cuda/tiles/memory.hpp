// What the `tiles` schedule keeps on a device beside the state: for one simulation, or for many, each of
// which has a stretch of every table.
#pragma once

#include <vector>

#include "engine/cuda/driver/driver.hpp"
#include "engine/cuda/state/device_state.hpp"
#include "engine/cuda/tiles/data.hpp"
#include "engine/cuda/tiles/source.hpp"
#include "engine/engine.hpp"
#include "engine/schedule/tiles_plan.hpp"

namespace kiln::cuda {

class TilesMemory {
 public:
  TilesMemory(const Device& device, const Lattice& lattice, const tiles::Settings& settings,
              const DeviceState& state);

  // Makes room for kernels of this shape, which `crews` crews play.
  void reserve(const KernelShape& shape, int64_t crews);
  // What a member needs of it. Lists belong to crews: all members are given those of the first.
  void give(TilesTables& tables, int64_t member, int64_t first_cell) const;
  // The map of what is live, made anew by whoever clears it; false where there is none.
  bool clear_live(int64_t mcs, const Stream& stream);
  bool is_live_old(int64_t mcs) const;
  // Claims are stamped, and stamps are used up in time.
  void renew_claims_in_time(int64_t mcs);
  std::vector<AttemptCounts> counts() const;

 private:
  void renew_claims(int64_t mcs);

  Device device_;
  Lattice lattice_;
  tiles::Settings settings_;
  int max_act_;
  bool moments_;
  int64_t members_, open_per_warp_ = 0;
  bool has_live_ = false;
  int64_t claims_renewed_at_ = 0, looked_at_ = 0;  // MCS
  Buffer<Extent> extents_;
  Buffer<uint64_t> claims_;
  Buffer<uint32_t> open_;
  Buffer<uint64_t> live_;
  Buffer<Control> control_;
};

Span span_of(const tiles::Clock& clock, int64_t first_mcs, int64_t mcs);

}  // namespace kiln::cuda
