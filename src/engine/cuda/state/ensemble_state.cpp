#include "engine/cuda/state/ensemble_state.hpp"

#include <algorithm>
#include <mutex>

#include "base/parallel.hpp"

namespace kiln::cuda {
namespace {

constexpr int64_t kOverrun = 64;  // bytes behind the last site that kernels may read
constexpr int64_t kAlignment = 256;
constexpr int64_t kLandingBytes = int64_t(64) << 20;

template <class T>
std::vector<T> downloaded(const Buffer<T>& buffer) {
  std::vector<T> result(std::size_t(buffer.size()));
  buffer.download(result.data(), buffer.size());
  return result;
}

}  // namespace

EnsembleState::EnsembleState(const Device& device, std::vector<State> states, int types, int max_act)
    : device_(device), mcs_(states[0].mcs) {
  uint32_t most_cells = 0;
  for (State& state : states) {
    most_cells = std::max(most_cells, state.cells.count());
    first_cell_.push_back(first_cell_.empty() ? 0 : first_cell_.back() + members_.back().state.cells.count());
    members_.emplace_back(std::move(state), types);
  }
  first_cell_.push_back(first_cell_.back() + members_.back().state.cells.count());
  layout_ = site_layout(most_cells, members_[0].state.act.empty() ? 0 : max_act);
  allocate();
  upload();
}

int64_t EnsembleState::bytes_of_sites() const {
  const int64_t bytes = lattice().sites() * layout_.word_bytes + kOverrun;
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

void EnsembleState::allocate() {
  const State& first = members_[0].state;
  sites_ = Buffer<uint8_t>(device_, size() * bytes_of_sites(), "the lattices");
  extents_ = Buffer<Extent>(device_, cells(), "the cells");
  anchors_ = Buffer<Vec3i>(device_, cells(), "the cells");
  sums_ = Buffer<Vec3<int64_t>>(device_, cells(), "the cells");
  moved_ = Buffer<uint8_t>(device_, cells(), "the cells");
  anchors_moved_ = Buffer<uint32_t>(device_, size(), "the cells");
  host_ids_ = Buffer<CellId>(device_, cells(), "the cells");
  if (!first.direction.empty()) directions_ = Buffer<Direction>(device_, cells(), "the cells");
  if (!first.cells.history.empty())
    history_ = Buffer<Vec3d>(device_, cells() * history_length(), "the cells' past places");
}

void EnsembleState::upload() {
  anchors_moved_.fill(0);
  auto packed = std::vector<uint8_t>(std::size_t(bytes_of_sites()));
  for (int64_t member = 0; member < size(); ++member) {
    Member& m = members_[std::size_t(member)];
    const int64_t count = m.state.cells.count(), first = first_cell(member);
    upload_sites(member, packed);
    extents_.upload(packed_extents(m.state, m.numbers).data(), count, first);
    anchors_.upload(packed_anchors(m.state, m.numbers).data(), count, first);
    sums_.upload(packed_sums(m.state, m.numbers).data(), count, first);
    host_ids_.upload(m.numbers.from_device.data(), count, first);
    if (directions_.size() > 0)
      directions_.upload(packed_directions(m.state, m.numbers).data(), count, first);
    if (history_.size() > 0)
      history_.upload(packed_history(m.state, m.numbers).data(), count * history_length(),
                      first * history_length());
    m.state.ids = {};
    m.state.act = {};
  }
}

void EnsembleState::upload_sites(int64_t member, std::vector<uint8_t>& packed) {
  const Member& m = members_[std::size_t(member)];
  const int64_t sites = lattice().sites();
  if (layout_.word_bytes == 4)
    pack_sites(m.state, layout_, m.numbers, mcs_, 0, sites, reinterpret_cast<uint32_t*>(packed.data()));
  else
    pack_sites(m.state, layout_, m.numbers, mcs_, 0, sites, reinterpret_cast<uint64_t*>(packed.data()));
  sites_.upload(packed.data(), sites * layout_.word_bytes, member * bytes_of_sites());
}

StateTables EnsembleState::tables(int64_t member) const {
  const Member& m = members_[std::size_t(member)];
  const int64_t first = first_cell(member);
  StateTables tables{};
  tables.sites = sites_.data() + member * bytes_of_sites();
  tables.extents = extents_.data() + first;
  tables.anchors = anchors_.data() + first;
  tables.sums = sums_.data() + first;
  if (directions_.size() > 0) tables.directions = directions_.data() + first;
  if (history_.size() > 0) tables.history = history_.data() + first * history_length();
  tables.moved = moved_.data() + first;
  tables.anchors_moved = anchors_moved_.data() + member;
  tables.host_ids = host_ids_.data() + first;
  tables.cells = m.state.cells.count();
  std::copy(std::begin(m.numbers.first_of_type), std::end(m.numbers.first_of_type), tables.first_of_type);
  return tables;
}

void EnsembleState::advanced(int64_t mcs) {
  mcs_ += mcs;
  has_cells_ = false;
  hide_shown();
}

void EnsembleState::hide_shown() {
  if (shown_ < 0) return;
  State& state = members_[std::size_t(shown_)].state;
  state.ids.swap(shown_sites_.ids);
  state.act.swap(shown_sites_.act);
  shown_ = -1;
}

void EnsembleState::fetch_cells() {
  const auto extents = downloaded(extents_);
  const auto anchors = downloaded(anchors_);
  const auto sums = downloaded(sums_);
  const auto directions = downloaded(directions_);
  const auto history = downloaded(history_);
  for (int64_t member = 0; member < size(); ++member) {
    auto& [state, numbers] = members_[std::size_t(member)];
    const std::size_t first = std::size_t(first_cell(member));
    state.mcs = mcs_;
    for (std::size_t i = 0; i < numbers.from_device.size(); ++i) {
      const CellId cell = numbers.from_device[i];
      state.cells.extent[cell] = {extents[first + i].volume, extents[first + i].perimeter};
      state.cells.centroid[cell] = {anchors[first + i], sums[first + i]};
    }
    if (!directions.empty()) unpack_directions(directions.data() + first, numbers, state);
    if (!history.empty())
      unpack_history(history.data() + first * std::size_t(history_length()), numbers, state);
  }
  has_cells_ = true;
}

// Gives the member the memory in `room`, and fills it.
void EnsembleState::unpack(int64_t member, const uint8_t* packed, Sites& room) {
  Member& m = members_[std::size_t(member)];
  const std::size_t sites = std::size_t(lattice().sites());
  if (room.ids.size() != sites) room.ids = HugeVector<CellId>(sites);
  if (layout_.max_act > 0 && room.act.size() != sites) room.act = HugeVector<ActValue>(sites);
  m.state.ids.swap(room.ids);
  m.state.act.swap(room.act);
  if (layout_.word_bytes == 4)
    unpack_sites(reinterpret_cast<const uint32_t*>(packed), layout_, m.numbers, mcs_, 0, int64_t(sites),
                 m.state);
  else
    unpack_sites(reinterpret_cast<const uint64_t*>(packed), layout_, m.numbers, mcs_, 0, int64_t(sites),
                 m.state);
}

const State& EnsembleState::fetch(int64_t member) {
  if (shown_ != member) {
    hide_shown();
    auto packed = std::vector<uint8_t>(std::size_t(bytes_of_sites()));
    sites_.download(packed.data(), bytes_of_sites(), member * bytes_of_sites());
    unpack(member, packed.data(), shown_sites_);
    shown_ = member;
  }
  return members_[std::size_t(member)].state;
}

// As many members at a time as fit the memory where they arrive.
void EnsembleState::visit(const std::function<void(int64_t, const State&)>& look) {
  hide_shown();
  const int64_t bytes = bytes_of_sites(), together = std::clamp<int64_t>(kLandingBytes / bytes, 1, size());
  if (landing_.size() == 0) landing_ = Pinned<uint8_t>(device_, together * bytes);
  for (int64_t first = 0; first < size(); first += together) {
    const int64_t count = std::min(together, size() - first);
    sites_.download(landing_.data(), count * bytes, first * bytes);
    std::mutex lock;
    std::vector<Sites> rooms;  // memory that nobody uses now
    parallel_for(count, 0, [&](int64_t i) {
      Sites room;
      {
        const std::lock_guard guard(lock);
        if (!rooms.empty()) {
          room = std::move(rooms.back());
          rooms.pop_back();
        }
      }
      State& state = members_[std::size_t(first + i)].state;
      unpack(first + i, landing_.data() + i * bytes, room);
      look(first + i, state);
      state.ids.swap(room.ids);
      state.act.swap(room.act);
      const std::lock_guard guard(lock);
      rooms.push_back(std::move(room));
    });
  }
}

}  // namespace kiln::cuda
