#include "engine/cuda/tiles/memory.hpp"

#include <algorithm>

namespace kiln::cuda {
namespace {

constexpr int64_t kMcsBetweenRenewals = 100'000;  // of claims: their stamps last for many times as long

}  // namespace

TilesMemory::TilesMemory(const Device& device, const Lattice& lattice, const tiles::Settings& settings,
                         const DeviceState& state)
    : device_(device),
      lattice_(lattice),
      settings_(settings),
      max_act_(state.layout().max_act),
      moments_(state.keeps_moments()),
      members_(state.size()),
      control_(device, members_, "the counters") {
  control_.fill(0);
  fit_to(state);
}

void TilesMemory::fit_to(const DeviceState& state) {
  if (is_at_once(settings_.passes, max_act_, moments_, false))
    extents_ = Buffer<Extent>(device_, state.rows(), "the cells");
  if (settings_.passes != 1) claims_ = Buffer<uint64_t>(device_, state.rows(), "the cells");
  renew_claims(state.mcs());
}

void TilesMemory::reserve(const KernelShape& shape, int64_t crews) {
  const WorkSplit split = work_split_of(lattice_, settings_, shape, all_sites(lattice_));
  open_per_warp_ = most_open(split, shape);
  const int64_t words =
      crews * split.warps() * open_per_warp_ * open_fields(settings_.passes, max_act_, moments_, false);
  if (open_.size() < words) open_ = Buffer<uint32_t>(device_, words, "the attempts of a round");
  has_live_ = shape.skips_dead;
  if (has_live_ && live_.size() == 0)
    live_ = Buffer<uint64_t>(device_, members_ * live_words(lattice_), "the map of what is live");
}

void TilesMemory::give(TilesTables& tables, int64_t member, int64_t first_row) const {
  tables.extents = extents_.size() > 0 ? extents_.data() + first_row : nullptr;
  tables.claims = claims_.size() > 0 ? claims_.data() + first_row : nullptr;
  tables.open = open_.data();
  tables.open_per_warp = open_per_warp_;
  tables.live = has_live_ ? live_.data() + member * live_words(lattice_) : nullptr;
  tables.control = control_.data() + member;
}

bool TilesMemory::clear_live(int64_t mcs, const Stream& stream) {
  live_found_at_ = mcs;
  if (has_live_) live_.fill(0, &stream);
  return has_live_;
}

bool TilesMemory::is_live_old(int64_t mcs) const { return mcs - live_found_at_ >= kMcsBetweenRebuilds; }

void TilesMemory::renew_claims_in_time(int64_t mcs) {
  if (mcs - claims_renewed_at_ > kMcsBetweenRenewals) renew_claims(mcs);
}

void TilesMemory::renew_claims(int64_t mcs) {
  auto control = std::vector<Control>(std::size_t(members_));
  control_.download(control.data(), members_);
  for (Control& c : control) {
    c.stamp = kFirstStamp;
    c.open_at = 0;  // no stamp
  }
  control_.upload(control.data(), members_);
  if (claims_.size() > 0) claims_.fill(0xFF);
  claims_renewed_at_ = mcs;
}

std::vector<AttemptCounts> TilesMemory::counts() const {
  auto control = std::vector<Control>(std::size_t(members_));
  control_.download(control.data(), members_);
  std::vector<AttemptCounts> result;
  for (const Control& c : control)
    result.push_back({int64_t(c.attempts), int64_t(c.live), int64_t(c.accepted)});
  return result;
}

Span span_of(const tiles::Clock& clock, int64_t first_mcs, int64_t mcs) {
  Span span{};
  span.first_mcs = first_mcs;
  span.mcs = int32_t(mcs);
  for (int64_t m = 0; m <= mcs; ++m) span.rounds[m] = clock.rounds_after(first_mcs + m);
  return span;
}

}  // namespace kiln::cuda
