// Device memory of the `tiles` schedule beside the state: of one simulation, or of many, each with its range
// of every table.
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

  // After the state has got other rows.
  void fit_to(const DeviceState& state);
  // Allocates what kernels of this shape need with `crews` crews.
  void reserve(const KernelShape& shape, int64_t crews);
  // Points a member's tables at its part. Lists belong to crews: all members get those of the first.
  void give(TilesTables& tables, int64_t member, int64_t first_row) const;
  // Clears the live map, which the caller fills again; false where there is none.
  bool clear_live(int64_t mcs, const Stream& stream);
  bool is_live_old(int64_t mcs) const;
  bool has_live() const { return has_live_; }
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
  int64_t claims_renewed_at_ = 0, live_found_at_ = 0;  // MCS
  Buffer<Extent> extents_;
  Buffer<uint64_t> claims_;
  Buffer<uint32_t> open_;
  Buffer<uint64_t> live_;
  Buffer<Control> control_;
};

Span span_of(const tiles::Clock& clock, int64_t first_mcs, int64_t mcs);

}  // namespace kiln::cuda
