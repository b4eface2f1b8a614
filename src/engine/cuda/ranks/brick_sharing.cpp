#include "engine/cuda/ranks/brick_sharing.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::cuda {
namespace {

// A cell that is shared goes on being so until it is this much farther away than near: borders go to and fro.
constexpr int kStillNear = 3;
constexpr int64_t kFoundAtOnce = 4096;  // changes that are brought with their number

std::vector<Zone> zones_of(const TissuePart& part, const Sharing& sharing) {
  const Box own = part.brick.own_stored();
  Vec3i margin{0, 0, 0};
  for (int axis = 0; axis < 3; ++axis)
    if (part.grid.is_cut(axis)) margin[axis] = kStillNear;
  std::vector<Zone> zones;
  const auto& neighbours = sharing.neighbours();
  for (std::size_t n = 0; n < neighbours.size(); ++n)
    for (const Box& near : neighbours[n].zones)
      zones.push_back({near, Box{near.low - margin, near.high + margin}.within(own), uint32_t(1) << n});
  return zones;
}

}  // namespace

BrickSharing::BrickSharing(const Device& device, const Stream& stream, BrickState& state,
                           const TissuePart& part, const Sharing& sharing, const std::vector<uint32_t>& told)
    : device_(device),
      stream_(stream),
      state_(state),
      part_(part),
      sharing_(sharing),
      numbers_(device, state.rows(), "who shares which cells"),
      sharers_(device, state.rows(), "who shares which cells"),
      here_(device, state.rows(), "who shares which cells"),
      told_(device, state.rows(), "who shares which cells"),
      shared_count_(device, 1, "who shares which cells"),
      found_count_(device, 1, "who shares which cells"),
      count_(device, 1),
      first_found_(device, kFoundAtOnce),
      is_found_(device) {
  found_ = Buffer<FoundChange>(device, 4 * kFoundAtOnce, "who shares which cells");
  store(told);
  const std::vector<Zone> zones = zones_of(part, sharing);
  zone_count_ = int32_t(zones.size());
  zones_ = Buffer<Zone>(device, std::max<int64_t>(1, zone_count_), "who shares which cells");
  zones_.upload(zones.data(), zone_count_);
}

void BrickSharing::store(const std::vector<uint32_t>& told) {
  const auto rows = std::size_t(state_.rows());
  std::vector<CellId> numbers(rows, kNowhere);
  std::vector<uint32_t> sharers(rows, 0);
  std::vector<int32_t> here(rows, 0);
  std::vector<uint32_t> told_by_row(rows, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    const CellId own = state_.own_of(CellId(row));
    if (own == kMedium && row != kMedium) continue;
    numbers[row] = part_.number[own];
    here[row] = part_.here[own];
    sharers[row] = sharing_.set_of(own);
    if (!told.empty()) told_by_row[row] = told[own];
  }
  numbers_.upload(numbers.data(), numbers_.size());
  sharers_.upload(sharers.data(), sharers_.size());
  fit_sets();
  here_.upload(here.data(), here_.size());
  told_.upload(told_by_row.data(), told_.size());
}

void BrickSharing::use(const Module& module) {
  mark_near_ = module.function("mark_near");
  find_changes_ = module.function("find_changes");
  note_told_ = module.function("note_told");
  set_sharing_ = module.function("set_sharing");
  list_shared_ = module.function("list_shared");
}

void BrickSharing::give(BrickTables& tables) const {
  tables.numbers = numbers_.data();
  tables.sharers = sharers_.data();
  tables.sets = sets_.data();
  tables.here = here_.data();
  tables.told = told_.data();
  tables.own_ids = own_ids_.data();
  tables.own_ids_size = uint32_t(own_ids_.size());
  tables.shared = shared_.data();
  tables.shared_count = shared_count_.data();
}

uint64_t BrickSharing::bits_of(uint32_t set) const {
  uint64_t bits = 0;
  for (const int partner : sharing_.sets()[set]) {
    if (partner >= kMostPartners)
      throw Failure(fmt::format("brick {} shares cells with more than {} others: cut the lattice into fewer.",
                                part_.brick.rank, kMostPartners));
    bits |= uint64_t(1) << partner;
  }
  return bits;
}

// Room for the sets that there are; those that came are put there with the cells that they share.
bool BrickSharing::fit_sets() {
  const auto count = int64_t(sharing_.sets().size());
  if (sets_.size() >= count) return false;
  std::vector<uint64_t> bits(std::size_t(2 * count), 0);
  for (int64_t set = 0; set < count; ++set) bits[std::size_t(set)] = bits_of(uint32_t(set));
  sets_ = {};
  sets_ = Buffer<uint64_t>(device_, 2 * count, "who shares which cells");
  sets_.upload(bits.data(), 2 * count);
  return true;
}

void BrickSharing::begin_finding(const BrickTables& tables, Buffer<uint32_t>& scratch) {
  find(tables, scratch, found_.data(), found_.size());
  found_.download(first_found_.data(), kFoundAtOnce, 0, &stream_);
  is_found_.record(stream_);
}

void BrickSharing::find(const BrickTables& tables, Buffer<uint32_t>& scratch, FoundChange* found,
                        int64_t room) {
  auto* const near = reinterpret_cast<uint64_t*>(scratch.data());
  scratch.fill(0, 2 * state_.rows(), &stream_);
  mark_near_.launch(state_.grid_stride(), stream_, state_.tables(), static_cast<const Zone*>(zones_.data()),
                    zone_count_, near);
  found_count_.fill(0, &stream_);
  find_changes_.launch(state_.grid_stride(), stream_, state_.tables(), tables,
                       static_cast<const uint64_t*>(near), found, found_count_.data(), uint32_t(room));
  found_count_.download(count_.data(), 1, 0, &stream_);
}

std::vector<Sharing::Change> BrickSharing::found(const BrickTables& tables, Buffer<uint32_t>& scratch) {
  is_found_.synchronize();
  const FoundChange* found = found_.data();
  std::vector<FoundChange> all;
  all.resize(count_[0]);
  if (count_[0] > found_.size()) {  // what is found now is as good, and there is room for every cell
    const int64_t behind_near = 2 * state_.rows();
    found = reinterpret_cast<const FoundChange*>(scratch.data() + behind_near);
    find(tables, scratch, const_cast<FoundChange*>(found), state_.rows());
    stream_.synchronize();
    all.resize(count_[0]);
    scratch.download(reinterpret_cast<uint32_t*>(all.data()), 2 * int64_t(all.size()), behind_near, &stream_);
    stream_.synchronize();
  } else if (count_[0] > kFoundAtOnce) {
    found_.download(all.data(), count_[0], 0, &stream_);
    stream_.synchronize();
  } else {
    std::copy_n(first_found_.data(), all.size(), all.data());
  }
  if (!all.empty()) note_told_.launch(state_.grid_stride(), stream_, tables, found, uint32_t(all.size()));
  std::vector<Sharing::Change> changes;
  for (const auto& [row, told] : all)
    changes.push_back({state_.own_of(row), (told & kOwner) != 0, told & ~kOwner});
  // The order of a GPU's atomics is any; that of ids is not.
  std::sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) { return a.own < b.own; });
  return changes;
}

void BrickSharing::pack(NewSharing::Kind kind, CellId row, CellId own) {
  const uint32_t set = sharing_.set_of(own);
  pack({row, kind, bits_of(set), part_.number[own], set});
}

void BrickSharing::pack(const NewSharing& entry) {
  if (packed_count_ == packed_.size()) {
    Pinned<NewSharing> roomier(device_, 2 * packed_.size() + 1024);
    std::copy(packed_.data(), packed_.data() + packed_count_, roomier.data());
    packed_ = std::move(roomier);
  }
  packed_[packed_count_++] = entry;
}

void BrickSharing::prepare() {
  packed_count_ = 0;
  std::vector<CellId> left = sharing_.left();
  std::sort(left.begin(), left.end());
  for (const CellId own : sharing_.changed())
    if (!std::binary_search(left.begin(), left.end(), own))
      pack(NewSharing::changed, state_.row_of(own), own);
}

bool BrickSharing::take_over(BrickTables& tables, Buffer<uint32_t>& scratch) {
  if (sharing_.changed().empty() && sharing_.came().empty()) return true;
  std::vector<CellId> freed;
  for (const CellId own : sharing_.left()) freed.push_back(state_.remove_row(own));
  const std::vector<CellId>& came = sharing_.came();
  const std::vector<CellId> added = state_.add_rows(came);
  if (added.size() != came.size()) return false;
  for (std::size_t i = 0; i < came.size(); ++i) pack(NewSharing::came, added[i], came[i]);
  for (const CellId row : freed)
    if (state_.own_of(row) == kMedium) pack({row, NewSharing::left, 0, kNowhere, 0});
  if (fit_sets()) give(tables);
  const int64_t words = int64_t(sizeof(NewSharing) / sizeof(uint32_t)), at_once = scratch.size() / words;
  for (int64_t first = 0; first < packed_count_; first += at_once) {
    const int64_t count = std::min(at_once, packed_count_ - first);
    scratch.upload(reinterpret_cast<const uint32_t*>(packed_.data() + first), count * words, 0, &stream_);
    set_sharing_.launch(state_.grid_stride(), stream_, state_.tables(), tables,
                        reinterpret_cast<const NewSharing*>(scratch.data()), uint32_t(count));
  }
  list_shared(tables);
  return true;
}

void BrickSharing::list_shared(BrickTables& tables) {
  const int64_t cells = sharing_.shared_cells();
  if (shared_.size() < cells || shared_.size() == 0) {
    shared_ = {};
    own_ids_ = {};
    shared_ = Buffer<CellId>(device_, cells + cells / 16 + 256, "who shares which cells");
    own_ids_ = Buffer<uint64_t>(device_, shared_.size() * 3 / 2, "who shares which cells");
    give(tables);
  }
  own_ids_.fill(0, &stream_);
  shared_count_.fill(0, &stream_);
  list_shared_.launch(state_.grid_stride(), stream_, state_.tables(), tables, own_ids_.data(), shared_.data(),
                      shared_count_.data());
}

std::vector<uint32_t> BrickSharing::told() const {
  std::vector<uint32_t> by_row(std::size_t(state_.rows()));
  told_.download(by_row.data(), state_.rows());
  const Cells& cells = part_.state.cells;
  std::vector<uint32_t> result(cells.count(), 0);
  for (CellId own = 1; own < CellId(result.size()); ++own) {
    if (!sharing_.is_shared(own)) continue;
    CellId row = state_.row_of(own);
    if (row == kMedium && !cells.life.empty()) row = state_.row_of(part_.own_id.find(cells.life[own].parent));
    result[own] = by_row[row];
  }
  for (const CellId own : sharing_.came()) result[own] = 0;
  return result;
}

void BrickSharing::fetch_here(std::vector<int32_t>& here) const {
  std::vector<int32_t> by_row(std::size_t(state_.rows()));
  here_.download(by_row.data(), state_.rows());
  for (CellId own = 1; own < CellId(here.size()); ++own)
    here[own] = sharing_.is_shared(own) ? by_row[state_.row_of(own)] : part_.state.cells.extent[own].volume;
}

}  // namespace kiln::cuda
