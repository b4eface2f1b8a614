#include "engine/cuda/ranks/brick_state.hpp"

#include <algorithm>

#include "base/parallel.hpp"

namespace kiln::cuda {
namespace {

constexpr int64_t kPieceBytes = int64_t(64) << 20;  // of sites, copied up at a time
constexpr int kCopyingThreads = 4;                  // there may be several bricks

}  // namespace

BrickState::BrickState(const Device& device, const Stream& stream, TissuePart& part, int max_act,
                       const std::vector<std::size_t>& spare)
    : device_(device),
      stream_(stream),
      part_(part),
      numbers_(part.state, int(spare.size()), spare, {}, true),
      layout_(site_layout(uint32_t(numbers_.from_device.size()), part.state.act.empty() ? 0 : max_act)),
      stored_(
          sites_of_brick(part.state.lattice, part.brick.own.size(), part.grid.is_cut(0), layout_.word_bytes)),
      columns_(device, part.state.cells, rows(), false),
      sites_(device, stored_.words() * layout_.word_bytes + kOverrun, "the lattice"),
      moved_(device, rows(), "the cells"),
      anchors_moved_(device, 1, "the cells"),
      staging_(device) {
  anchors_moved_.fill(0);
  columns_.upload(part.state.cells, numbers_, 0);
  if (layout_.word_bytes == 4)
    upload_sites<uint32_t>();
  else
    upload_sites<uint64_t>();
  tables_.sites = sites_.data();
  columns_.give(tables_, 0);
  tables_.moved = moved_.data();
  tables_.anchors_moved = anchors_moved_.data();
  tables_.cells = uint32_t(rows());
  std::copy(std::begin(numbers_.first_of_type), std::end(numbers_.first_of_type), tables_.first_of_type);
  tables_.origin = part.brick.origin;
  tables_.own = part.brick.own_stored();
}

void BrickState::use(const Module& module) {
  put_in_order_ = module.function("put_in_order");
  gather_rows_ = module.function("gather_rows");
  scatter_rows_ = module.function("scatter_rows");
  change_sites_ = module.function("change_sites");
}

template <class Word>
void BrickState::upload_sites() {
  const State& state = part_.state;
  const int64_t width = state.lattice.size.x, pitch = stored_.row_pitch;
  const int64_t rows = int64_t(state.lattice.size.y) * state.lattice.size.z;
  const int64_t together = std::clamp<int64_t>(kPieceBytes / (pitch * int64_t(sizeof(Word))), 1, rows);
  std::vector<Word> piece(std::size_t(together * pitch), ~Word(0));
  for (int64_t first = 0; first < rows; first += together) {
    const int64_t count = std::min(together, rows - first);
    in_parallel(count, kCopyingThreads, [&](int, int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        pack_sites(state, layout_, numbers_, state.mcs, (first + row) * width, width,
                   piece.data() + row * pitch);
    });
    sites_.upload(reinterpret_cast<const uint8_t*>(piece.data()), count * pitch * int64_t(sizeof(Word)),
                  first * pitch * int64_t(sizeof(Word)));
  }
}

template <class Word>
void BrickState::download_sites() {
  State& state = part_.state;
  const int64_t width = state.lattice.size.x, row_bytes = stored_.row_pitch * int64_t(sizeof(Word));
  staging_.download(
      int64_t(state.lattice.size.y) * state.lattice.size.z, row_bytes, stream_,
      [&](int64_t first, int64_t count, uint8_t* staging) {
        sites_.download(staging, count * row_bytes, first * row_bytes, &stream_);
      },
      [&](int64_t first, int64_t count, const uint8_t* staged) {
        in_parallel(count, kCopyingThreads, [&](int, int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row)
            unpack_sites(reinterpret_cast<const Word*>(staged + row * row_bytes), layout_, numbers_,
                         state.mcs, (first + row) * width, width, state);
        });
      });
}

void BrickState::fetch_sites() {
  if (layout_.word_bytes == 4)
    download_sites<uint32_t>();
  else
    download_sites<uint64_t>();
}

int64_t BrickState::scratch_words() const {
  int64_t most = 0;
  for (const DeviceColumns::Held& held : columns_.all()) most = std::max(most, held.bytes_per_cell() / 4);
  const int64_t cells = std::max<int64_t>(rows(), part_.state.cells.count());
  return cells + std::min(cells * most, StagingBuffer::kBytes / 4);
}

void BrickState::fetch_cells(Buffer<uint32_t>& given) {
  Cells& cells = part_.state.cells;
  const auto count = int64_t(cells.count());
  Buffer<uint32_t> larger;  // cells may have come for which there are no rows
  if (given.size() < scratch_words()) larger = Buffer<uint32_t>(device_, scratch_words(), "the cells");
  Buffer<uint32_t>& scratch = larger.size() > 0 ? larger : given;
  std::vector<CellId> rows = numbers_.to_device;
  rows.resize(std::size_t(count), kMedium);
  scratch.upload(rows.data(), count, 0, &stream_);
  for (const DeviceColumns::Held& held : columns_.all()) {
    const int64_t bytes = held.bytes_per_cell();
    staging_.download(
        count, bytes, stream_,
        [&](int64_t first, int64_t some, uint8_t* staging) {
          put_in_order_.launch(grid_stride(), stream_, reinterpret_cast<const uint32_t*>(held.rows.data()),
                               uint32_t(bytes / 4), static_cast<const CellId*>(scratch.data()), first, some,
                               scratch.data() + count);
          scratch.download(reinterpret_cast<uint32_t*>(staging), some * bytes / 4, count, &stream_);
        },
        [&](int64_t first, int64_t some, const uint8_t* packed) { held.unpack(packed, first, some, cells); });
  }
}

RowPlan BrickState::plan() const {
  RowPlan plan{};
  for (const DeviceColumns::Held& held : columns_.all()) {
    if (plan.count == RowPlan::kMost) throw Failure("the device has too many columns");
    plan.columns[plan.count] = reinterpret_cast<uint32_t*>(held.rows.data());
    plan.words[plan.count] = uint32_t(held.bytes_per_cell() / 4);
    plan.all_words += plan.words[plan.count++];
  }
  return plan;
}

void BrickState::make_room(int which, int64_t count, const RowPlan& rows) {
  if (listed_.size() < count) listed_ = Buffer<CellId>(device_, 2 * count, "the cells");
  if (packed_.size() < count * rows.all_words)
    packed_ = Buffer<uint32_t>(device_, 2 * count * rows.all_words, "the cells");
  if (listed_here_[which].size() < count) listed_here_[which] = Pinned<CellId>(device_, 2 * count);
  if (packed_here_[which].size() < count * rows.all_words)
    packed_here_[which] = Pinned<uint32_t>(device_, 2 * count * rows.all_words);
}

void BrickState::fetch_rows(const std::vector<CellId>& cells) {
  const RowPlan rows = plan();
  const auto count = int64_t(cells.size());
  make_room(0, count, rows);
  for (int64_t i = 0; i < count; ++i) listed_here_[0][i] = row_of(cells[std::size_t(i)]);
  listed_.upload(listed_here_[0].data(), count, 0, &stream_);
  gather_rows_.launch(grid_stride(), stream_, rows, static_cast<const CellId*>(listed_.data()),
                      uint32_t(count), packed_.data());
  packed_.download(packed_here_[0].data(), count * rows.all_words, 0, &stream_);
  stream_.synchronize();
  const auto* at = reinterpret_cast<const uint8_t*>(packed_here_[0].data());
  for (const CellId own : cells)
    for (const DeviceColumns::Held& held : columns_.all()) {
      held.unpack(at, own, 1, part_.state.cells);
      at += held.bytes_per_cell();
    }
}

std::vector<CellId> BrickState::add_rows(const std::vector<CellId>& cells) {
  const RowPlan rows = plan();
  const auto count = int64_t(cells.size());
  std::vector<CellId> added;
  if (cells.empty()) return added;
  make_room(1, count, rows);
  auto* at = reinterpret_cast<uint8_t*>(packed_here_[1].data());
  for (const CellId own : cells) {
    added.push_back(numbers_.add(own, part_.state.cells.type[own]));
    if (added.back() == kMedium) return {};
    for (const DeviceColumns::Held& held : columns_.all()) {
      held.pack(part_.state.cells, own, at);
      at += held.bytes_per_cell();
    }
  }
  std::copy(added.begin(), added.end(), listed_here_[1].data());
  listed_.upload(listed_here_[1].data(), count, 0, &stream_);
  packed_.upload(packed_here_[1].data(), count * rows.all_words, 0, &stream_);
  scatter_rows_.launch(grid_stride(), stream_, rows, static_cast<const CellId*>(listed_.data()),
                       uint32_t(count), static_cast<const uint32_t*>(packed_.data()));
  return added;
}

bool BrickState::give_rows(const std::vector<CellId>& born, const std::vector<CellId>& of_new_type) {
  for (const CellId own : of_new_type)
    if (row_of(own) != kMedium) numbers_.remove(own);
  bool fits = true;
  for (const std::vector<CellId>* cells : {&of_new_type, &born})
    for (const CellId own : *cells)
      fits = fits && (row_of(own) != kMedium || numbers_.add(own, part_.state.cells.type[own]) != kMedium);
  return fits;
}

void BrickState::change_sites(const std::vector<TouchedSite>& changed) {
  std::vector<StoredChange> changes;
  changes.reserve(changed.size());
  for (const TouchedSite& touched : changed) changes.push_back({touched.site, row_of(touched.cell)});
  const auto count = int64_t(changes.size());
  if (count == 0) return;
  if (changed_.size() < count) changed_ = Buffer<StoredChange>(device_, 2 * count, "the cells");
  changed_.upload(changes.data(), count);
  change_sites_.launch(grid_stride(), stream_, tables_, static_cast<const StoredChange*>(changed_.data()),
                       count, uint32_t(part_.state.mcs));
}

Launch BrickState::grid_stride() const {
  return {{unsigned(device_.info().multiprocessors * kGridStrideBlocks)}, {unsigned(kGridStrideThreads)}};
}

}  // namespace kiln::cuda
