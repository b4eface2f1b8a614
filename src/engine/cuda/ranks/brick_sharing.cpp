#include "engine/cuda/ranks/brick_sharing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

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
      numbers_(device, state.rows(), "the cells"),
      partners_(device, state.rows(), "the cells"),
      near_(device, state.rows(), "the cells"),
      here_(device, state.rows(), "the cells"),
      told_(device, state.rows(), "the cells"),
      shared_count_(device, 1, "the cells"),
      found_count_(device, 1, "the cells"),
      count_(device, 1),
      first_found_(device, kFoundAtOnce),
      is_found_(device) {
  found_ = Buffer<FoundChange>(device, 4 * kFoundAtOnce, "the cells");
  const auto rows = std::size_t(state.rows());
  std::vector<CellId> numbers(rows, kNowhere);
  std::vector<uint64_t> partners(rows, 0);
  std::vector<int32_t> here(rows, 0);
  std::vector<uint32_t> told_by_row(rows, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    const CellId own = state.own_of(CellId(row));
    if (own == kMedium && row != kMedium) continue;
    numbers[row] = part.number[own];
    here[row] = part.here[own];
    partners[row] = bits_of(own);
    if (!told.empty()) told_by_row[row] = told[own];
  }
  numbers_.upload(numbers.data(), numbers_.size());
  partners_.upload(partners.data(), partners_.size());
  here_.upload(here.data(), here_.size());
  told_.upload(told_by_row.data(), told_.size());
  near_.fill(0);
  const std::vector<Zone> zones = zones_of(part, sharing);
  zone_count_ = int32_t(zones.size());
  zones_ = Buffer<Zone>(device, std::max<int64_t>(1, zone_count_), "the cells");
  zones_.upload(zones.data(), zone_count_);
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
  tables.partners = partners_.data();
  tables.here = here_.data();
  tables.told = told_.data();
  tables.own_ids = own_ids_.data();
  tables.own_ids_mask = own_ids_.size() > 0 ? uint32_t(own_ids_.size() - 1) : 0;
  tables.shared = shared_.data();
  tables.shared_count = shared_count_.data();
}

uint64_t BrickSharing::bits_of(CellId own) const {
  uint64_t bits = 0;
  for (const int partner : sharing_.sharers_of(own)) {
    if (partner >= kMostPartners)
      throw Failure(fmt::format("brick {} shares cells with more than {} others: cut the lattice into fewer.",
                                part_.brick.rank, kMostPartners));
    bits |= uint64_t(1) << partner;
  }
  return bits;
}

void BrickSharing::begin_finding(const BrickTables& tables) {
  mark_near_.launch(state_.grid_stride(), stream_, state_.tables(), static_cast<const Zone*>(zones_.data()),
                    zone_count_, near_.data());
  found_count_.fill(0, &stream_);
  find_changes_.launch(state_.grid_stride(), stream_, state_.tables(), tables,
                       static_cast<const uint64_t*>(near_.data()), found_.data(), found_count_.data(),
                       uint32_t(found_.size()));
  found_count_.download(count_.data(), 1, 0, &stream_);
  found_.download(first_found_.data(), kFoundAtOnce, 0, &stream_);
  near_.fill(0, &stream_);
  is_found_.record(stream_);
}

std::vector<Sharing::Change> BrickSharing::found(const BrickTables& tables) {
  is_found_.synchronize();
  int64_t count = count_[0];
  while (count > found_.size()) {  // what is found now is as good
    found_ = {};
    found_ = Buffer<FoundChange>(device_, 2 * count, "the cells");
    begin_finding(tables);
    is_found_.synchronize();
    count = count_[0];
  }
  std::vector<FoundChange> all(first_found_.data(), first_found_.data() + std::min(count, kFoundAtOnce));
  if (count > kFoundAtOnce) {
    all.resize(std::size_t(count));
    found_.download(all.data(), count, 0, &stream_);
    stream_.synchronize();
  }
  if (count > 0)
    note_told_.launch(state_.grid_stride(), stream_, tables, static_cast<const FoundChange*>(found_.data()),
                      uint32_t(count));
  std::vector<Sharing::Change> changes;
  for (const auto& [row, told] : all)
    changes.push_back({state_.own_of(row), (told & kOwner) != 0, told & ~kOwner});
  // The order of a GPU's atomics is any; that of ids is not.
  std::sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) { return a.own < b.own; });
  return changes;
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
      pack({state_.row_of(own), NewSharing::changed, bits_of(own), part_.number[own], 0});
}

bool BrickSharing::take_over(BrickTables& tables) {
  if (sharing_.changed().empty() && sharing_.came().empty()) return true;
  std::vector<CellId> freed;
  for (const CellId own : sharing_.left()) freed.push_back(state_.remove_row(own));
  const std::vector<CellId>& came = sharing_.came();
  const std::vector<CellId> added = state_.add_rows(came);
  if (added.size() != came.size()) return false;
  for (std::size_t i = 0; i < came.size(); ++i)
    pack({added[i], NewSharing::came, bits_of(came[i]), part_.number[came[i]], 0});
  for (const CellId row : freed)
    if (state_.own_of(row) == kMedium) pack({row, NewSharing::left, 0, kNowhere, 0});
  if (resettled_.size() < packed_count_)
    resettled_ = Buffer<NewSharing>(device_, packed_.size(), "the cells");
  resettled_.upload(packed_.data(), packed_count_, 0, &stream_);
  set_sharing_.launch(state_.grid_stride(), stream_, state_.tables(), tables,
                      static_cast<const NewSharing*>(resettled_.data()), uint32_t(packed_count_));
  list_shared(tables);
  return true;
}

void BrickSharing::list_shared(BrickTables& tables) {
  const std::vector<int64_t> shared_with = sharing_.shared_with();
  const int64_t most = std::accumulate(shared_with.begin(), shared_with.end(), int64_t(0));
  if (shared_.size() < most || shared_.size() == 0) {
    shared_ = Buffer<CellId>(device_, most + most / 4 + 256, "the cells");
    own_ids_ = Buffer<uint64_t>(device_, int64_t(std::bit_ceil(uint64_t(2 * shared_.size()))), "the cells");
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
  std::vector<uint32_t> result(part_.state.cells.count(), 0);
  for (CellId own = 1; own < CellId(result.size()); ++own)
    if (sharing_.is_shared(own)) result[own] = by_row[state_.row_of(own)];
  for (const CellId own : sharing_.came()) result[own] = 0;
  return result;
}

}  // namespace kiln::cuda
