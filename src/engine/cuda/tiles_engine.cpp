#include "engine/cuda/tiles_engine.hpp"

#include <algorithm>
#include <numeric>
#include <thread>

#include <fmt/format.h>

#include "engine/bookkeeping.hpp"
#include "engine/cuda/kernel_cache.hpp"
#include "engine/cuda/nvrtc.hpp"

namespace kiln::cuda {
namespace {

constexpr int64_t kPiece = int64_t(16) << 20;  // sites copied at a time
constexpr int kSimpleBlock = 256;              // threads of the kernels between MCS

int copying_threads() { return std::clamp(int(std::thread::hardware_concurrency()), 1, 16); }

}  // namespace

TilesEngine::TilesEngine(State state, const Physics& physics, uint64_t seed, const tiles::Settings& settings,
                         int max_act, int device)
    : state_(std::move(state)),
      physics_(physics),
      settings_(settings),
      clock_(state_.lattice, settings.spacing),
      layout_(site_layout(state_.cells.count(), state_.act.empty() ? 0 : max_act)),
      device_(device),
      stream_(device_),
      team_(copying_threads()),
      mcs_(state_.mcs),
      refreshed_at_(state_.mcs) {
  tables_.seed = seed;
  number_cells_by_type();
  compile();
  allocate();
  upload();
}

void TilesEngine::set_physics(const Physics& physics) {
  device_.synchronize();
  physics_ = physics;
  compile();
}

// Cells are in order of their types on the device; among those of one type the order stays.
void TilesEngine::number_cells_by_type() {
  const std::vector<TypeId>& type = state_.cells.type;
  const CellId cells = state_.cells.count();
  if (physics_.adhesion.types > kMostTypesByRange)
    throw UserError(fmt::format("the model has {} types, but the CUDA engine takes at most {}.",
                                physics_.adhesion.types, kMostTypesByRange));
  from_device_.resize(cells);
  std::iota(from_device_.begin(), from_device_.end(), CellId(0));
  std::stable_sort(from_device_.begin(), from_device_.end(),
                   [&](CellId a, CellId b) { return type[a] < type[b]; });
  to_device_.resize(cells);
  for (CellId i = 0; i < cells; ++i) to_device_[from_device_[i]] = i;
  tables_.cells = cells;
  for (int k = 0; k <= kMostTypesByRange; ++k)
    tables_.first_of_type[k] =
        uint32_t(std::count_if(type.begin(), type.end(), [&](TypeId t) { return t < k; }));
}

void TilesEngine::compile() {
  const int architecture = architecture_for(device_.info());
  const auto function_of = [&](const KernelShape& shape) {
    const std::string source = tiles_source(physics_, settings_, layout_, state_.history_length, shape);
    return Module(device_, compile_cached(source, "tiles.cu", architecture).cubin);
  };
  KernelShape shape;
  if (const char* b = std::getenv("KILN_BLOCKS")) shape.blocks_per_multiprocessor = std::atoi(b);
  if (const char* b = std::getenv("KILN_PASSES")) settings_.passes = std::atoi(b);
  const Module module = function_of(shape);
  play_ = module.function("play");
  turn_ = module.function("turn");
  move_anchors_ = module.function("move_anchors");
  recount_moved_ = module.function("recount_moved");
  refresh_stamps_ = module.function("refresh_stamps");
  const int threads = 32 * shape.warps_per_block;
  grid_ = unsigned(device_.info().multiprocessors * play_.blocks_per_multiprocessor(threads, 0));
}

void TilesEngine::allocate() {
  const Lattice& lattice = state_.lattice;
  const int64_t cells = state_.cells.count();
  sites_ = Buffer<uint8_t>(device_, lattice.sites() * layout_.word_bytes, "the lattice");
  extents_ = Buffer<Extent>(device_, cells, "the cells");
  claims_ = Buffer<uint64_t>(device_, cells, "the cells");
  anchors_ = Buffer<Vec3i>(device_, cells, "the cells");
  sums_ = Buffer<Vec3<int64_t>>(device_, cells, "the cells");
  if (!state_.direction.empty()) directions_ = Buffer<Vec3f>(device_, cells, "the cells");
  if (!state_.history.empty())
    history_ = Buffer<Vec3d>(device_, int64_t(state_.history.size()), "the cells' past places");
  control_ = Buffer<Control>(device_, 1, "the counters");

  int64_t most_tiles = 1;
  for (int axis = 0; axis < lattice.dimension; ++axis)
    most_tiles *= (lattice.size[axis] + settings_.spacing - 1) / settings_.spacing;
  const int64_t groups = (most_tiles + tiles::kGroup - 1) / tiles::kGroup, warps = int64_t(grid_) * 8;
  tables_.open_per_warp = (groups + warps - 1) / warps * tiles::kGroup;
  open_ = Buffer<OpenAttempt>(device_, tables_.open_per_warp * warps, "the attempts of a round");

  tables_.sites = sites_.data();
  tables_.extents = extents_.data();
  tables_.claims = claims_.data();
  tables_.anchors = anchors_.data();
  tables_.sums = sums_.data();
  tables_.directions = directions_.data();
  tables_.history = history_.data();
  tables_.open = open_.data();
  tables_.control = control_.data();
}

void TilesEngine::upload() {
  if (layout_.word_bytes == 4)
    upload_sites<uint32_t>();
  else
    upload_sites<uint64_t>();
  const Cells& cells = state_.cells;
  const std::size_t count = cells.count(), slots = std::size_t(state_.history_length);
  std::vector<Extent> extents(count);
  std::vector<Vec3i> anchors(count);
  std::vector<Vec3<int64_t>> sums(count);
  for (std::size_t i = 0; i < count; ++i) {
    const CellId cell = from_device_[i];
    extents[i] = {cells.extent[cell].volume, cells.extent[cell].perimeter};
    anchors[i] = cells.centroid[cell].anchor;
    sums[i] = cells.centroid[cell].sum;
  }
  extents_.upload(extents.data(), int64_t(count));
  anchors_.upload(anchors.data(), int64_t(count));
  sums_.upload(sums.data(), int64_t(count));
  claims_.fill(0xFF);
  if (!state_.direction.empty()) {
    std::vector<Vec3f> directions(count);
    for (std::size_t i = 0; i < count; ++i) directions[i] = state_.direction[from_device_[i]];
    directions_.upload(directions.data(), int64_t(count));
  }
  if (!state_.history.empty()) {
    std::vector<Vec3d> history(state_.history.size());
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(state_.history.data() + from_device_[i] * slots, slots, history.data() + i * slots);
    history_.upload(history.data(), int64_t(history.size()));
  }
  const Control control{0, kFirstClaimStamp, 0, 0, 0, 0, 0};
  control_.upload(&control, 1);
}

template <class Word>
void TilesEngine::upload_sites() {
  const int64_t sites = state_.lattice.sites();
  std::vector<Word> piece(std::size_t(std::min(sites, kPiece)));
  const uint64_t stamp_mask = (uint64_t(1) << layout_.stamp_bits()) - 1;
  for (int64_t first = 0; first < sites; first += kPiece) {
    const int64_t count = std::min(kPiece, sites - first), parts = team_.members();
    team_.run([&](int member) {
      for (int64_t i = count * member / parts; i < count * (member + 1) / parts; ++i) {
        uint64_t word = to_device_[state_.ids[std::size_t(first + i)]];
        if (layout_.max_act > 0)
          word |= ((uint64_t(mcs_) + state_.act[std::size_t(first + i)]) & stamp_mask) << layout_.id_bits;
        piece[std::size_t(i)] = Word(word);
      }
    });
    sites_.upload(reinterpret_cast<const uint8_t*>(piece.data()), count * int64_t(sizeof(Word)),
                  first * int64_t(sizeof(Word)));
  }
}

template <class Word>
void TilesEngine::download_sites() {
  const int64_t sites = state_.lattice.sites();
  std::vector<Word> piece(std::size_t(std::min(sites, kPiece)));
  const uint64_t stamp_mask = (uint64_t(1) << layout_.stamp_bits()) - 1;
  const uint64_t id_mask = layout_.id_bits == 64 ? ~uint64_t(0) : (uint64_t(1) << layout_.id_bits) - 1;
  for (int64_t first = 0; first < sites; first += kPiece) {
    const int64_t count = std::min(kPiece, sites - first), parts = team_.members();
    sites_.download(reinterpret_cast<uint8_t*>(piece.data()), count * int64_t(sizeof(Word)),
                    first * int64_t(sizeof(Word)));
    team_.run([&](int member) {
      for (int64_t i = count * member / parts; i < count * (member + 1) / parts; ++i) {
        const uint64_t word = piece[std::size_t(i)];
        state_.ids[std::size_t(first + i)] = from_device_[std::size_t(word & id_mask)];
        if (layout_.max_act == 0) continue;
        const uint64_t ahead = ((word >> layout_.id_bits) - uint64_t(mcs_)) & stamp_mask;
        state_.act[std::size_t(first + i)] = ActValue(ahead <= uint64_t(layout_.max_act) ? ahead : 0);
      }
    });
  }
}

void TilesEngine::download() {
  if (layout_.word_bytes == 4)
    download_sites<uint32_t>();
  else
    download_sites<uint64_t>();
  Cells& cells = state_.cells;
  const std::size_t count = cells.count(), slots = std::size_t(state_.history_length);
  std::vector<Extent> extents(count);
  std::vector<Vec3i> anchors(count);
  std::vector<Vec3<int64_t>> sums(count);
  extents_.download(extents.data(), int64_t(count));
  anchors_.download(anchors.data(), int64_t(count));
  sums_.download(sums.data(), int64_t(count));
  for (std::size_t i = 0; i < count; ++i) {
    const CellId cell = from_device_[i];
    cells.extent[cell] = {extents[i].volume, extents[i].perimeter};
    cells.centroid[cell] = {anchors[i], sums[i]};
  }
  if (!state_.direction.empty()) {
    std::vector<Vec3f> directions(count);
    directions_.download(directions.data(), int64_t(count));
    for (std::size_t i = 0; i < count; ++i) state_.direction[from_device_[i]] = directions[i];
  }
  if (!state_.history.empty()) {
    std::vector<Vec3d> history(state_.history.size());
    history_.download(history.data(), int64_t(history.size()));
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(history.data() + i * slots, slots, state_.history.data() + from_device_[i] * slots);
  }
  state_.mcs = mcs_;
}

const State& TilesEngine::state() {
  if (!state_is_current_) {
    device_.synchronize();
    download();
    state_is_current_ = true;
  }
  return state_;
}

AttemptCounts TilesEngine::counts() const {
  Control control;
  control_.download(&control, 1);
  return {int64_t(control.attempts), int64_t(control.live), int64_t(control.accepted)};
}

unsigned TilesEngine::simple_grid() const { return unsigned(device_.info().multiprocessors) * 8; }

// Where nothing happens between two MCS, several are played in one launch.
void TilesEngine::advance(int64_t mcs) {
  const int64_t every = mcs_between_anchor_checks(state_.lattice), end = mcs_ + mcs;
  state_is_current_ &= mcs == 0;
  while (mcs_ < end) {
    int64_t span = state_.history_length > 0 ? 1 : std::min(every - mcs_ % every, end - mcs_);
    span = std::min<int64_t>(span, kMostMcsPerLaunch);
    if (layout_.max_act > 0) span = std::min(span, layout_.mcs_between_refreshes());
    launch_span(span);
    mcs_ += span;
    finish_span();
  }
  device_.synchronize();
}

void TilesEngine::launch_span(int64_t mcs) {
  if (layout_.max_act > 0 && mcs_ + mcs - refreshed_at_ > layout_.mcs_between_refreshes()) {
    refresh_stamps_.launch({{simple_grid()}, {kSimpleBlock}}, stream_, tables_, uint32_t(mcs_));
    refreshed_at_ = mcs_;
  }
  Span span{};
  span.first_mcs = mcs_;
  span.mcs = int32_t(mcs);
  for (int64_t m = 0; m <= mcs; ++m) span.rounds[m] = clock_.rounds_after(mcs_ + m);
  play_.launch({{grid_}, {256}, 0, true}, stream_, tables_, span);
}

void TilesEngine::finish_span() {
  if (mcs_ % mcs_between_anchor_checks(state_.lattice) == 0) {
    move_anchors_.launch({{simple_grid()}, {kSimpleBlock}}, stream_, tables_);
    Control control;
    control_.download(&control, 1);
    if (control.anchors_moved != 0) {
      recount_moved_.launch({{simple_grid()}, {kSimpleBlock}}, stream_, tables_);
      control.anchors_moved = 0;
      control_.upload(&control, 1);
    }
    // Long before the stamps of claims run out. (Marks of moved cells are as good as no claim.)
    if (control.claim_stamp < 1u << 30) {
      claims_.fill(0xFF);
      control.claim_stamp = kFirstClaimStamp;
      control_.upload(&control, 1);
    }
  }
  if (state_.history_length > 0) turn_.launch({{simple_grid()}, {kSimpleBlock}}, stream_, tables_, mcs_);
}

}  // namespace kiln::cuda
