#include "engine/cuda/tiles_ensemble.hpp"

#include <algorithm>

namespace kiln::cuda {
namespace {

constexpr int64_t kMcsBetweenRenewals = 100'000;  // of claims: their stamps last for many times as long

}  // namespace

TilesEnsemble::TilesEnsemble(std::vector<State> states, const Physics& physics,
                             const std::vector<uint64_t>& seeds, const tiles::Settings& settings, int max_act,
                             int device)
    : settings_(settings),
      seeds_(seeds),
      device_(device),
      stream_(device_),
      state_(device_, std::move(states), physics.adhesion.types, max_act),
      clock_(state_.lattice(), settings.tile),
      control_(device_, state_.size(), "the counters"),
      tables_(device_, state_.size(), "the simulations"),
      refreshed_at_(state_.mcs()),
      claims_renewed_at_(state_.mcs()) {
  const bool at_once = settings.passes == 1 && state_.layout().max_act == 0;
  if (at_once) extents_ = Buffer<Extent>(device_, state_.cells(), "the cells");
  if (settings.passes != 1) claims_ = Buffer<uint64_t>(device_, state_.cells(), "the cells");
  control_.fill(0);
  renew_claims();
  compile(physics);
}

void TilesEnsemble::set_physics(const Physics& physics) {
  device_.synchronize();
  compile(physics);
}

void TilesEnsemble::compile(const Physics& physics) {
  const DeviceInfo& info = device_.info();
  sparse_ = is_sparse(state_.last_known(), physics);
  const TilesKernels kernels =
      compile_tiles_for_members(size(), physics, settings_, state_.layout(), state_.history_length(),
                                architecture_for(info), info.multiprocessors, info.shared_per_block, sparse_);
  const KernelShape& shape = kernels.shape;
  const Module module(device_, kernels.compiled.cubin);
  play_ = module.function("play_members");
  count_sums_ = module.function("count_sums_of_members");
  find_live_ = module.function("find_live_of_members");
  play_.allow_dynamic_shared(int(shape.shared_bytes));
  const int threads = 32 * shape.warps_per_block;
  const int64_t resident =
      int64_t(info.multiprocessors) * play_.blocks_per_multiprocessor(threads, int(shape.shared_bytes));
  const int64_t crews = std::clamp<int64_t>(resident / shape.crew, 1, size());
  shape_ = {{unsigned(crews * shape.crew)}, {unsigned(threads)}, shape.shared_bytes, shape.crew > 1};
  fields_.give(device_, module, physics);
  reserve_lists(shape, crews);
  if (sparse_ && live_.size() == 0)
    live_ = Buffer<uint64_t>(device_, size() * live_words(state_.lattice()), "the map of what is live");
  write_tables();
  find_live();
}

void TilesEnsemble::find_live() {
  looked_at_ = state_.mcs();
  if (!sparse_) return;
  live_.fill(0, &stream_);
  find_live_.launch(block_per_member(), stream_, tables_.data(), int32_t(size()));
}

// As in TilesEngine, for every crew.
void TilesEnsemble::reserve_lists(const KernelShape& shape, int64_t crews) {
  const int64_t warps = int64_t(shape.crew) * shape.warps_per_block;
  const int64_t steps = steps_of_round(state_.lattice(), settings_, shape.batches);
  open_per_warp_ = (steps + warps - 1) / warps * tiles::kStride * shape.batches;
  const int64_t words =
      crews * warps * open_per_warp_ * open_fields(settings_.passes, state_.layout().max_act);
  if (open_.size() < words) open_ = Buffer<uint32_t>(device_, words, "the attempts of a round");
}

void TilesEnsemble::write_tables() {
  std::vector<TilesTables> tables;
  for (int64_t member = 0; member < size(); ++member) {
    const int64_t first = state_.first_cell(member);
    TilesTables t{};
    t.state = state_.tables(member);
    if (extents_.size() > 0) t.extents = extents_.data() + first;
    if (claims_.size() > 0) t.claims = claims_.data() + first;
    t.open = open_.data();
    if (sparse_) t.live = live_.data() + member * live_words(state_.lattice());
    t.control = control_.data() + member;
    t.open_per_warp = open_per_warp_;
    t.seed = seeds_[std::size_t(member)];
    tables.push_back(t);
  }
  tables_.upload(tables.data(), size());
}

Launch TilesEnsemble::block_per_member() const {
  const int64_t most = int64_t(device_.info().multiprocessors) * 8;
  return {{unsigned(std::min(size(), most))}, {256}};
}

void TilesEnsemble::advance(int64_t mcs) {
  const int64_t end = state_.mcs() + mcs;
  while (state_.mcs() < end) {
    int64_t span = std::min(end - state_.mcs(), int64_t(kMostMcsPerLaunch));
    if (state_.layout().max_act > 0) span = std::min(span, state_.layout().mcs_between_refreshes());
    if (state_.mcs() - looked_at_ >= kMcsBetweenLooks) find_live();
    launch(span);
    state_.advanced(span);
    if (state_.mcs() - claims_renewed_at_ > kMcsBetweenRenewals) renew_claims();
  }
  device_.synchronize();
}

void TilesEnsemble::launch(int64_t mcs) {
  const SiteLayout& layout = state_.layout();
  Span span{};
  span.first_mcs = state_.mcs();
  span.mcs = int32_t(mcs);
  for (int64_t m = 0; m <= mcs; ++m) span.rounds[m] = clock_.rounds_after(span.first_mcs + m);
  const bool refresh =
      layout.max_act > 0 && span.first_mcs + mcs - refreshed_at_ > layout.mcs_between_refreshes();
  if (refresh) refreshed_at_ = span.first_mcs;
  play_.launch(shape_, stream_, tables_.data(), int32_t(size()), refresh, span);
}

void TilesEnsemble::renew_claims() {
  auto control = std::vector<Control>(std::size_t(size()));
  control_.download(control.data(), size());
  for (Control& c : control) c.stamp = kFirstStamp;
  control_.upload(control.data(), size());
  if (claims_.size() > 0) claims_.fill(0xFF);
  claims_renewed_at_ = state_.mcs();
}

void TilesEnsemble::fetch_cells() {
  if (state_.has_cells()) return;
  if (state_.counts_sums()) {
    state_.clear_sums(stream_);
    count_sums_.launch(block_per_member(), stream_, tables_.data(), int32_t(size()));
  }
  state_.fetch_cells();
}

const State& TilesEnsemble::state(int64_t member) {
  fetch_cells();
  return state_.fetch(member);
}

void TilesEnsemble::visit(const Visitor& look) {
  fetch_cells();
  state_.visit(look);
}

std::vector<AttemptCounts> TilesEnsemble::counts() const {
  auto control = std::vector<Control>(std::size_t(size()));
  control_.download(control.data(), size());
  std::vector<AttemptCounts> result;
  for (const Control& c : control)
    result.push_back({int64_t(c.attempts), int64_t(c.live), int64_t(c.accepted)});
  return result;
}

}  // namespace kiln::cuda
