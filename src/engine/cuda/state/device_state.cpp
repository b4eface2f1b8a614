#include "engine/cuda/state/device_state.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/parallel.hpp"

namespace kiln::cuda {
namespace {

constexpr int64_t kAlignment = 256;
constexpr int64_t kPiece = int64_t(16) << 20;         // sites copied up at a time
constexpr int64_t kVisitedBytes = int64_t(64) << 20;  // of lattices downloaded at a time

int copying_threads() { return std::min(all_threads(), 16); }

}  // namespace

DeviceState::DeviceState(const Device& device, std::vector<State> members, int types, int max_act,
                         const std::function<CellRoom(const State&)>& room)
    : device_(device),
      types_(types),
      max_act_(max_act),
      mcs_(members[0].mcs),
      members_([&] {
        std::vector<Member> all;
        for (State& state : members) {
          const CellRoom spare = room ? room(state) : CellRoom{};
          all.emplace_back(std::move(state), types, spare);
        }
        return all;
      }()),
      team_(copying_threads()),
      staging_(device) {
  allocate();
  upload();
}

void DeviceState::count_rows() {
  first_row_ = first_cell_ = {0};
  for (const Member& m : members_) {
    first_row_.push_back(first_row_.back() + m.numbers.rows());
    first_cell_.push_back(first_cell_.back() + m.state.cells.count());
  }
  numbering_ += 1;
}

SiteLayout DeviceState::layout_for_rows() const {
  uint32_t most = 0;
  for (const Member& m : members_) most = std::max(most, m.numbers.rows());
  return site_layout(most, last_known().act.empty() ? 0 : max_act_);
}

int64_t DeviceState::bytes_of_sites() const {
  const int64_t bytes = lattice().sites() * layout_.word_bytes + kOverrun;
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

void DeviceState::allocate() {
  count_rows();
  layout_ = layout_for_rows();
  columns_ = DeviceColumns(device_, last_known().cells, rows());
  if (sites_.size() != size() * bytes_of_sites()) {
    sites_ = {};
    sites_ = Buffer<uint8_t>(device_, size() * bytes_of_sites(), "the lattice");
  }
  moved_ = Buffer<uint8_t>(device_, rows(), "the cells");
  anchors_moved_ = Buffer<uint32_t>(device_, size(), "the cells");
  host_ids_ = Buffer<CellId>(device_, rows(), "the cells");
  device_ids_ = Buffer<CellId>(device_, cells(), "the cells");
  tables_.clear();
  for (int64_t member = 0; member < size(); ++member) {
    const Member& m = members_[std::size_t(member)];
    StateTables& tables = tables_.emplace_back();
    tables.sites = sites_.data() + member * bytes_of_sites();
    columns_.give(tables, first_row(member));
    tables.moved = moved_.data() + first_row(member);
    tables.anchors_moved = anchors_moved_.data() + member;
    tables.host_ids = host_ids_.data() + first_row(member);
    tables.cells = m.numbers.rows();
    std::copy(std::begin(m.numbers.first_of_type), std::end(m.numbers.first_of_type), tables.first_of_type);
  }
}

void DeviceState::upload() {
  anchors_moved_.fill(0);
  for (int64_t member = 0; member < size(); ++member) {
    Member& m = members_[std::size_t(member)];
    const int64_t first = first_row(member);
    if (layout_.word_bytes == 4)
      upload_sites<uint32_t>(member);
    else
      upload_sites<uint64_t>(member);
    columns_.upload(m.state.cells, m.numbers, first);
    host_ids_.upload(m.numbers.from_device.data(), m.numbers.rows(), first);
    std::vector<CellId> rows = m.numbers.to_device;
    for (CellId& row : rows) row += CellId(first);
    device_ids_.upload(rows.data(), int64_t(rows.size()), first_cell_[std::size_t(member)]);
    if (size() == 1) return;
    m.state.ids = {};
    m.state.act = {};
  }
  shown_ = -1;
}

template <class Word>
void DeviceState::upload_sites(int64_t member) {
  const Member& m = members_[std::size_t(member)];
  const int64_t sites = lattice().sites(), begins = member * bytes_of_sites();
  std::vector<Word> piece(std::size_t(std::min(sites, kPiece)));
  for (int64_t first = 0; first < sites; first += kPiece) {
    const int64_t count = std::min(kPiece, sites - first);
    split_over_team(count, [&](int64_t begin, int64_t end) {
      pack_sites(m.state, layout_, m.numbers, mcs_, first + begin, end - begin, piece.data() + begin);
    });
    sites_.upload(reinterpret_cast<const uint8_t*>(piece.data()), count * int64_t(sizeof(Word)),
                  begins + first * int64_t(sizeof(Word)));
  }
}

void DeviceState::download(const Buffer<uint64_t>& from, const Stream& stream,
                           const std::function<void(int64_t, std::span<const uint64_t>)>& take) {
  staging_.download(
      from.size(), sizeof(uint64_t), stream,
      [&](int64_t first, int64_t count, uint8_t* staging) {
        from.download(reinterpret_cast<uint64_t*>(staging), count, first, &stream);
      },
      [&](int64_t first, int64_t count, const uint8_t* staging) {
        take(first, {reinterpret_cast<const uint64_t*>(staging), std::size_t(count)});
      });
}

// Calls work(begin, end) for a range of [0, count) per thread, all at once.
template <class Work>
void DeviceState::split_over_team(int64_t count, const Work& work) {
  const int64_t parts = team_.members();
  team_.run([&](int member) { work(count * member / parts, count * (member + 1) / parts); });
}

void DeviceState::each(int64_t count, const std::function<void(int64_t)>& work) {
  std::atomic<int64_t> next = 0;
  team_.run([&](int) {
    for (int64_t i = next++; i < count; i = next++) work(i);
  });
}

// `split` is called as split_over_team is.
template <class Word, class Split>
void DeviceState::download_words(const SiteTransfer& from, State& to, const Split& split) const {
  const int64_t begins = from.member * bytes_of_sites();
  const CellNumbers& numbers = from.numbers;
  const auto start_copy = [&](int64_t first, int64_t count, uint8_t* staging) {
    from.sites.download(staging, count * int64_t(sizeof(Word)), begins + first * int64_t(sizeof(Word)),
                        &from.stream);
  };
  const auto unpack_piece = [&](int64_t first, int64_t count, const uint8_t* staged) {
    const Word* const words = reinterpret_cast<const Word*>(staged);
    split(count, [&](int64_t begin, int64_t end) {
      unpack_sites(words + begin, layout_, numbers, from.mcs, first + begin, end - begin, to);
    });
  };
  from.staging.download(to.lattice.sites(), sizeof(Word), from.stream, start_copy, unpack_piece);
}

template <class Split>
void DeviceState::download_sites(const SiteTransfer& from, State& to, const Split& split) const {
  if (layout_.word_bytes == 4)
    download_words<uint32_t>(from, to, split);
  else
    download_words<uint64_t>(from, to, split);
}

void DeviceState::download_cells(const Stream& stream) {
  for (const DeviceColumns::Held& held : columns_.all()) download_column(held, stream);
  for (Member& m : members_) m.state.mcs = mcs_;
}

// In the host's order, the cells of all members one after the other.
void DeviceState::download_column(const DeviceColumns::Held& held, const Stream& stream) {
  const int64_t bytes = held.bytes_per_cell();
  const auto start_copy = [&](int64_t first, int64_t count, uint8_t* staging) {
    if (ordered_.size() < count * bytes) ordered_ = Buffer<uint8_t>(device_, count * bytes, "the cells");
    put_in_order_.launch(grid_stride(), stream, reinterpret_cast<const uint32_t*>(held.rows.data()),
                         uint32_t(bytes / 4), static_cast<const CellId*>(device_ids_.data()), first, count,
                         reinterpret_cast<uint32_t*>(ordered_.data()));
    ordered_.download(staging, count * bytes, 0, &stream);
  };
  const auto unpack_piece = [&](int64_t first, int64_t count, const uint8_t* packed) {
    split_over_team(count, [&](int64_t begin, int64_t end) {
      if (begin < end) unpack_cells(held, packed + begin * bytes, first + begin, end - begin);
    });
  };
  staging_.download(cells(), bytes, stream, start_copy, unpack_piece);
}

// A range of cells may span several members.
void DeviceState::unpack_cells(const DeviceColumns::Held& held, const uint8_t* packed, int64_t first,
                               int64_t count) {
  std::size_t member =
      std::size_t(std::upper_bound(first_cell_.begin(), first_cell_.end(), first) - first_cell_.begin()) - 1;
  while (count > 0) {
    const int64_t here = std::min(count, first_cell_[member + 1] - first);
    Member& m = members_[member];
    const auto cell = CellId(first - first_cell_[member]);
    if (m.state.cells.life.empty()) {
      held.unpack(packed, cell, here, m.state.cells);
    } else {  // those that have ended are known by the host alone
      for (CellId i = 0; i < CellId(here); ++i)
        if (cell + i == kMedium || m.numbers.to_device[cell + i] != kMedium)
          held.unpack(packed + i * held.bytes_per_cell(), cell + i, 1, m.state.cells);
    }
    packed += here * held.bytes_per_cell();
    first += here;
    count -= here;
    member += 1;
  }
}

const State& DeviceState::fetch_cells(const Stream& stream, int64_t member) {
  if (!cells_are_current_) {
    if (count_sums_) count_sums_(stream);
    download_cells(stream);
    if (fetch_more_) fetch_more_(members_[0].state, More::sums);
    cells_are_current_ = sizes_are_current_ = true;
  }
  return members_[std::size_t(member)].state;
}

const State& DeviceState::fetch_sizes(const Stream& stream) {
  if (!sizes_are_current_) download_column(columns_.sizes(), stream);
  sizes_are_current_ = true;
  return outline();
}

const State& DeviceState::outline() {
  known().mcs = mcs_;
  return known();
}

const State& DeviceState::fetch(const Stream& stream, int64_t member) {
  fetch_cells(stream);
  show(member);
  State& state = members_[std::size_t(member)].state;
  if (!lattice_is_current_) {
    download_sites({sites_, stream, staging_, members_[std::size_t(member)].numbers, mcs_, member}, state,
                   [&](int64_t count, const auto& work) { split_over_team(count, work); });
    if (fetch_more_) fetch_more_(state, More::all);
  }
  lattice_is_current_ = true;
  return state;
}

// Gives the member memory for its lattice.
void DeviceState::show(int64_t member) {
  if (shown_ == member) return;
  hide_shown();
  take_room(members_[std::size_t(member)].state, room_);
  shown_ = member;
  lattice_is_current_ = false;
}

void DeviceState::hide_shown() {
  if (shown_ < 0) return;
  State& state = members_[std::size_t(shown_)].state;
  state.ids.swap(room_.ids);
  state.act.swap(room_.act);
  shown_ = -1;
}

void DeviceState::take_room(State& state, Sites& room) const {
  const std::size_t sites = std::size_t(lattice().sites());
  if (room.ids.size() != sites) room.ids = HugeVector<CellId>(sites);
  if (layout_.max_act > 0 && room.act.size() != sites) room.act = HugeVector<ActValue>(sites);
  state.ids.swap(room.ids);
  state.act.swap(room.act);
}

void DeviceState::unpack(int64_t member, const uint8_t* packed) {
  Member& m = members_[std::size_t(member)];
  const int64_t sites = lattice().sites();
  if (layout_.word_bytes == 4)
    unpack_sites(reinterpret_cast<const uint32_t*>(packed), layout_, m.numbers, mcs_, 0, sites, m.state);
  else
    unpack_sites(reinterpret_cast<const uint64_t*>(packed), layout_, m.numbers, mcs_, 0, sites, m.state);
}

// Downloads as many members at a time as fit the pinned memory.
void DeviceState::visit(const Stream& stream, const std::function<void(int64_t, const State&)>& look) {
  fetch_cells(stream);
  if (size() == 1) return look(0, fetch(stream));
  hide_shown();
  const int64_t bytes = bytes_of_sites(), together = std::clamp<int64_t>(kVisitedBytes / bytes, 1, size());
  if (visited_.size() == 0) visited_ = Pinned<uint8_t>(device_, together * bytes);
  for (int64_t first = 0; first < size(); first += together) {
    const int64_t count = std::min(together, size() - first);
    sites_.download(visited_.data(), count * bytes, first * bytes);
    std::mutex lock;
    std::vector<Sites> rooms;  // memory that is free again
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
      take_room(state, room);
      unpack(first + i, visited_.data() + i * bytes);
      look(first + i, state);
      state.ids.swap(room.ids);
      state.act.swap(room.act);
      const std::lock_guard guard(lock);
      rooms.push_back(std::move(room));
    });
  }
}

std::function<void()> DeviceState::begin_copy(State& to, const Stream& stream) {
  const State& now = fetch_cells(stream);
  to.lattice = now.lattice;
  to.mcs = now.mcs;
  to.substances = now.substances;
  if (fetch_more_) fetch_more_(to, More::all);
  copy_tables(now, to, team_.members());
  if (to.ids.size() != now.ids.size()) to.ids = HugeVector<CellId>(now.ids.size());
  if (to.act.size() != now.act.size()) to.act = HugeVector<ActValue>(now.act.size());
  if (!copy_ && device_.free_memory() > 2 * sites_.size()) copy_.emplace(device_, sites_.size());
  if (!copy_) {
    download_sites({sites_, stream, staging_, numbers(), mcs_, 0}, to,
                   [&](int64_t count, const auto& work) { split_over_team(count, work); });
    return [] {};
  }
  copy_->sites.copy(sites_, sites_.size(), &stream);
  copy_->made.record(stream);
  // Cells that come and go meanwhile take other numbers.
  std::shared_ptr<const CellNumbers> then;
  if (!now.cells.life.empty()) then = std::make_shared<const CellNumbers>(numbers());
  return [this, &to, then, mcs = mcs_] {
    copy_->made.hold_back(copy_->stream);
    download_sites({copy_->sites, copy_->stream, copy_->staging, then ? *then : numbers(), mcs, 0}, to,
                   [&](int64_t count, const auto& work) {
                     in_parallel(count, copying_threads(),
                                 [&](int, int64_t begin, int64_t end) { work(begin, end); });
                   });
  };
}

// For a kernel that brings them to `ordered_`, or from there, which has room for so many bytes.
void DeviceState::name_rows(std::span<const CellId> rows, int64_t bytes) {
  const auto count = int64_t(rows.size());
  if (some_rows_.size() < count) some_rows_ = Buffer<CellId>(device_, 2 * count, "the cells");
  if (ordered_.size() < bytes) ordered_ = Buffer<uint8_t>(device_, 2 * bytes, "the cells");
  some_rows_.upload(rows.data(), count);
}

void DeviceState::gather(const void* rows, int words, std::span<const CellId> of, void* to,
                         const Stream& stream) {
  const auto count = int64_t(of.size()), bytes = count * words * 4;
  if (count == 0) return;
  name_rows(of, bytes);
  put_in_order_.launch(grid_stride(), stream, static_cast<const uint32_t*>(rows), uint32_t(words),
                       static_cast<const CellId*>(some_rows_.data()), int64_t(0), count,
                       reinterpret_cast<uint32_t*>(ordered_.data()));
  ordered_.download(static_cast<uint8_t*>(to), bytes);
}

void DeviceState::scatter(const void* from, int words, std::span<const CellId> to, void* rows,
                          const Stream& stream) {
  const auto count = int64_t(to.size()), bytes = count * words * 4;
  if (count == 0) return;
  name_rows(to, bytes);
  ordered_.upload(static_cast<const uint8_t*>(from), bytes);
  put_back_.launch(grid_stride(), stream, reinterpret_cast<const uint32_t*>(ordered_.data()), uint32_t(words),
                   static_cast<const CellId*>(some_rows_.data()), count, static_cast<uint32_t*>(rows));
}

void DeviceState::fetch_rows(std::span<const CellId> cells, const Stream& stream) {
  const std::vector<CellId> rows = numbers().rows_of(cells);
  std::vector<uint8_t> packed;
  for (const DeviceColumns::Held& held : columns_.all()) {
    const auto bytes = std::size_t(held.bytes_per_cell());
    packed.resize(cells.size() * bytes);
    gather(held.rows.data(), int(bytes / 4), rows, packed.data(), stream);
    for (std::size_t i = 0; i < cells.size(); ++i)
      held.unpack(packed.data() + i * bytes, cells[i], 1, known().cells);
  }
}

void DeviceState::store_rows(std::span<const CellId> cells, const Stream& stream) {
  const std::vector<CellId> rows = numbers().rows_of(cells);
  std::vector<uint8_t> packed;
  for (const DeviceColumns::Held& held : columns_.all()) {
    const auto bytes = std::size_t(held.bytes_per_cell());
    packed.resize(cells.size() * bytes);
    for (std::size_t i = 0; i < cells.size(); ++i)
      held.pack(known().cells, cells[i], packed.data() + i * bytes);
    scatter(packed.data(), int(bytes / 4), rows, held.rows.data(), stream);
  }
  count_rows();
  if (device_ids_.size() < this->cells()) {
    const std::vector<CellId>& all = numbers().to_device;
    stream.synchronize();
    device_ids_ = Buffer<CellId>(device_, this->cells() + this->cells() / 4 + 1024, "the cells");
    device_ids_.upload(all.data(), int64_t(all.size()));
  }
  scatter(rows.data(), 1, cells, device_ids_.data(), stream);
  scatter(cells.data(), 1, rows, host_ids_.data(), stream);
  stream.synchronize();
}

void DeviceState::clear_rows(std::span<const CellId> rows, const Stream& stream) {
  const std::vector<Extent> none(rows.size(), Extent{0, 0});
  scatter(none.data(), sizeof(Extent) / 4, rows, tables().extents, stream);
  const std::vector<CellId> no_cell(rows.size(), kMedium);
  scatter(no_cell.data(), 1, rows, host_ids_.data(), stream);
  stream.synchronize();
}

void DeviceState::make_room(const CellRoom& room, const Stream& stream) {
  cells_are_current_ = sizes_are_current_ = lattice_is_current_ = false;
  fetch(stream);
  Member& m = members_[0];
  m.numbers = CellNumbers(m.state, types_, room.spare, room.frozen);
  allocate();
  upload();
  cells_are_current_ = sizes_are_current_ = lattice_is_current_ = false;  // something is about to change
}

DeviceIds DeviceState::plain_ids(const Stream& stream) {
  // The last ones may still be in use.
  if (plain_ids_ == nullptr || plain_ids_.use_count() > 1)
    plain_ids_ = std::make_shared<Buffer<CellId>>(device_, lattice().sites(), "a copy of the lattice");
  unpack_ids_.launch(grid_stride(), stream, tables(), host_ids_.data(), plain_ids_->data());
  stream.synchronize();
  return {reinterpret_cast<uint64_t>(plain_ids_->data()), device_.info().index, plain_ids_};
}

void DeviceState::use(const Module& module) {
  put_in_order_ = module.function("put_in_order");
  put_back_ = module.function("put_back");
  unpack_ids_ = module.function("unpack_ids");
}

Launch DeviceState::grid_stride() const {
  return {{unsigned(device_.info().multiprocessors * kGridStrideBlocks)}, {unsigned(kGridStrideThreads)}};
}

void DeviceState::advanced(int64_t mcs) {
  mcs_ += mcs;
  cells_are_current_ = sizes_are_current_ = lattice_is_current_ = false;
}

}  // namespace kiln::cuda
