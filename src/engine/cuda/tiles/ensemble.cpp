#include "engine/cuda/tiles/ensemble.hpp"

#include <algorithm>

namespace kiln::cuda {

TilesEnsemble::TilesEnsemble(std::vector<State> states, const Physics& physics,
                             const std::vector<uint64_t>& seeds, const tiles::Settings& settings, int max_act,
                             int device, Numbers numbers)
    : settings_(settings),
      numbers_(numbers),
      seeds_(seeds),
      device_(device),
      stream_(device_),
      state_(device_, std::move(states), physics.adhesion.types, max_act),
      clock_(state_.lattice(), settings.tile),
      memory_(device_, state_.lattice(), settings, state_),
      tables_(device_, state_.size(), "the simulations"),
      refreshed_at_(state_.mcs()) {
  // Kernels keep the sums of persistent cells, and those that terms read; else they are counted when asked
  // for.
  if (state_.history_length() == 0 && !state_.keeps_moments())
    state_.count_sums_with([this](const Stream& stream) {
      state_.columns().clear_sums(stream);
      count_sums_.launch(block_per_member(), stream, tables_.data(), int32_t(size()));
    });
  compile(physics);
}

void TilesEnsemble::set_physics(const Physics& physics) {
  device_.synchronize();
  numbers_ = Numbers::in_memory;
  compile(physics);
}

void TilesEnsemble::compile(const Physics& physics) {
  const DeviceInfo& info = device_.info();
  const TilesKernels kernels = compile_tiles_for_members(
      size(), physics, settings_, state_.layout(), state_.history_length(), numbers_, architecture_for(info),
      info.multiprocessors, info.shared_per_block, is_sparse(state_.last_known(), physics));
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
  state_.use(module);
  fields_.give(device_, module, physics);
  give_numbers(module, physics, numbers_, settings_.hopeless);
  memory_.reserve(shape, crews);
  write_tables();
  find_live();
}

void TilesEnsemble::find_live() {
  if (memory_.clear_live(state_.mcs(), stream_))
    find_live_.launch(block_per_member(), stream_, tables_.data(), int32_t(size()));
}

void TilesEnsemble::write_tables() {
  std::vector<TilesTables> tables;
  for (int64_t member = 0; member < size(); ++member) {
    TilesTables t{};
    t.state = state_.tables(member);
    t.seed = seeds_[std::size_t(member)];
    memory_.give(t, member, state_.first_row(member));
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
    if (memory_.is_live_old(state_.mcs())) find_live();
    launch(span);
    state_.advanced(span);
    memory_.renew_claims_in_time(state_.mcs());
  }
  device_.synchronize();
}

void TilesEnsemble::launch(int64_t mcs) {
  const SiteLayout& layout = state_.layout();
  const int64_t now = state_.mcs();
  const bool refresh = layout.max_act > 0 && now + mcs - refreshed_at_ > layout.mcs_between_refreshes();
  if (refresh) refreshed_at_ = now;
  play_.launch(shape_, stream_, tables_.data(), int32_t(size()), refresh, span_of(clock_, now, mcs));
}

}  // namespace kiln::cuda
