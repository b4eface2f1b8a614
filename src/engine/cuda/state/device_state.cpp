#include "engine/cuda/state/device_state.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/parallel.hpp"
#include "engine/host/between_mcs.hpp"

namespace kiln::cuda {
namespace {

constexpr int64_t kOverrun = 64;               // bytes behind the last site that kernels may read
constexpr int64_t kPiece = int64_t(16) << 20;  // sites copied up at a time

int copying_threads() { return std::min(all_threads(), 16); }

template <class T>
std::vector<T> downloaded(const Buffer<T>& buffer) {
  std::vector<T> result(std::size_t(buffer.size()));
  buffer.download(result.data(), buffer.size());
  return result;
}

}  // namespace

DeviceState::DeviceState(const Device& device, State state, int types, int max_act, CentroidSums sums)
    : state_(std::move(state)),
      sums_come_(sums),
      mcs_(state_.mcs),
      refreshed_at_(state_.mcs),
      device_(device),
      layout_(site_layout(state_.cells.count(), state_.act.empty() ? 0 : max_act)),
      team_(copying_threads()),
      numbers_(state_, types),
      landing_(device) {
  tables_.cells = state_.cells.count();
  std::copy(std::begin(numbers_.first_of_type), std::end(numbers_.first_of_type), tables_.first_of_type);
  allocate();
  upload();
}

void DeviceState::allocate() {
  const int64_t cells = state_.cells.count();
  sites_ = Buffer<uint8_t>(device_, state_.lattice.sites() * layout_.word_bytes + kOverrun, "the lattice");
  extents_ = Buffer<Extent>(device_, cells, "the cells");
  anchors_ = Buffer<Vec3i>(device_, cells, "the cells");
  sums_ = Buffer<Vec3<int64_t>>(device_, cells, "the cells");
  moved_ = Buffer<uint8_t>(device_, cells, "the cells");
  anchors_moved_ = Buffer<uint32_t>(device_, 1, "the cells");
  host_ids_ = Buffer<CellId>(device_, cells, "the cells");
  device_ids_ = Buffer<CellId>(device_, cells, "the cells");
  if (!state_.cells.direction.empty()) directions_ = Buffer<Direction>(device_, cells, "the cells");
  if (!state_.cells.history.empty())
    history_ = Buffer<Vec3d>(device_, int64_t(state_.cells.history.size()), "the cells' past places");
  tables_.sites = sites_.data();
  tables_.extents = extents_.data();
  tables_.anchors = anchors_.data();
  tables_.sums = sums_.data();
  tables_.directions = directions_.data();
  tables_.history = history_.data();
  tables_.moved = moved_.data();
  tables_.anchors_moved = anchors_moved_.data();
  tables_.host_ids = host_ids_.data();
}

void DeviceState::upload() {
  if (layout_.word_bytes == 4)
    upload_sites<uint32_t>();
  else
    upload_sites<uint64_t>();
  const int64_t count = state_.cells.count();
  extents_.upload(packed_extents(state_, numbers_).data(), count);
  anchors_.upload(packed_anchors(state_, numbers_).data(), count);
  sums_.upload(packed_sums(state_, numbers_).data(), count);
  anchors_moved_.fill(0);
  host_ids_.upload(numbers_.from_device.data(), count);
  device_ids_.upload(numbers_.to_device.data(), count);
  directions_.upload(packed_directions(state_, numbers_).data(), directions_.size());
  history_.upload(packed_history(state_, numbers_).data(), history_.size());
}

template <class Word>
void DeviceState::upload_sites() {
  const int64_t sites = state_.lattice.sites();
  std::vector<Word> piece(std::size_t(std::min(sites, kPiece)));
  for (int64_t first = 0; first < sites; first += kPiece) {
    const int64_t count = std::min(kPiece, sites - first), parts = team_.members();
    team_.run([&](int member) {
      const int64_t begin = count * member / parts, end = count * (member + 1) / parts;
      pack_sites(state_, layout_, numbers_, mcs_, first + begin, end - begin, piece.data() + begin);
    });
    sites_.upload(reinterpret_cast<const uint8_t*>(piece.data()), count * int64_t(sizeof(Word)),
                  first * int64_t(sizeof(Word)));
  }
}

void DeviceState::bring_down(const Buffer<uint64_t>& from, const Stream& stream,
                             const std::function<void(int64_t, std::span<const uint64_t>)>& take) {
  landing_.bring(
      from.size(), sizeof(uint64_t), stream,
      [&](int64_t first, int64_t count, uint8_t* landing) {
        from.download(reinterpret_cast<uint64_t*>(landing), count, first, &stream);
      },
      [&](int64_t first, int64_t count, const uint8_t* landing) {
        take(first, {reinterpret_cast<const uint64_t*>(landing), std::size_t(count)});
      });
}

// Calls work(begin, end) for stretches of [0, count), all at once.
template <class Work>
void DeviceState::share_out(int64_t count, const Work& work) {
  const int64_t parts = team_.members();
  team_.run([&](int member) { work(count * member / parts, count * (member + 1) / parts); });
}

// Calls share_out(count, work) with work(begin, end).
template <class Word, class ShareOut>
void DeviceState::bring_sites(const SitesOnTheirWay& from, State& to, const ShareOut& share_out) const {
  const auto send = [&](int64_t first, int64_t count, uint8_t* landing) {
    from.sites.download(landing, count * int64_t(sizeof(Word)), first * int64_t(sizeof(Word)), &from.stream);
  };
  const auto take_in = [&](int64_t first, int64_t count, const uint8_t* landed) {
    const Word* const words = reinterpret_cast<const Word*>(landed);
    share_out(count, [&](int64_t begin, int64_t end) {
      unpack_sites(words + begin, layout_, numbers_, from.mcs, first + begin, end - begin, to);
    });
  };
  from.landing.bring(to.lattice.sites(), sizeof(Word), from.stream, send, take_in);
}

template <class ShareOut>
void DeviceState::download_sites(const SitesOnTheirWay& from, State& to, const ShareOut& share_out) const {
  if (layout_.word_bytes == 4)
    bring_sites<uint32_t>(from, to, share_out);
  else
    bring_sites<uint64_t>(from, to, share_out);
}

void DeviceState::download_lattice(State& to, const Stream& stream) {
  download_sites({sites_, stream, landing_, mcs_}, to,
                 [&](int64_t count, const auto& work) { share_out(count, work); });
}

void DeviceState::download_cells(State& to, const Stream& stream) {
  Cells& cells = to.cells;
  const auto send = [&](int64_t first, int64_t count, uint8_t* landing) {
    if (ordered_.size() < count) ordered_ = Buffer<HostCell>(device_, count, "the cells");
    put_in_order_.launch(simple(), stream, tables_, device_ids_.data(), first, count, ordered_.data());
    ordered_.download(reinterpret_cast<HostCell*>(landing), count, 0, &stream);
  };
  const auto take_in = [&](int64_t first, int64_t count, const uint8_t* from) {
    const HostCell* const found = reinterpret_cast<const HostCell*>(from);
    share_out(count, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        cells.extent[std::size_t(first + i)] = {found[i].extent.volume, found[i].extent.perimeter};
        cells.centroid[std::size_t(first + i)] = {found[i].anchor, found[i].sum};
      }
    });
  };
  landing_.bring(cells.count(), sizeof(HostCell), stream, send, take_in);
  if (!to.cells.direction.empty()) unpack_directions(downloaded(directions_).data(), numbers_, to);
  if (!to.cells.history.empty()) unpack_history(downloaded(history_).data(), numbers_, to);
  to.mcs = mcs_;
}

const State& DeviceState::fetch_cells(const Stream& stream) {
  if (cells_are_current_) return state_;
  if (sums_come_ == CentroidSums::counted) count_all_sums(stream);
  download_cells(state_, stream);
  cells_are_current_ = true;
  return state_;
}

const State& DeviceState::fetch(const Stream& stream) {
  fetch_cells(stream);
  if (!lattice_is_current_) download_lattice(state_, stream);
  lattice_is_current_ = true;
  return state_;
}

std::function<void()> DeviceState::begin_copy(State& to, const Stream& stream) {
  fetch_cells(stream);
  to.lattice = state_.lattice;
  to.mcs = state_.mcs;
  copy_tables(state_, to, team_.members());
  if (to.ids.size() != state_.ids.size()) to.ids = HugeVector<CellId>(state_.ids.size());
  if (to.act.size() != state_.act.size()) to.act = HugeVector<ActValue>(state_.act.size());
  if (!copy_ && device_.free_memory() > 2 * sites_.size()) copy_.emplace(device_, sites_.size());
  if (!copy_) {
    download_lattice(to, stream);
    return [] {};
  }
  copy_->sites.copy(sites_, sites_.size(), &stream);
  copy_->made.record(stream);
  return [this, &to, mcs = mcs_] {
    copy_->made.hold_back(copy_->stream);
    download_sites(
        {copy_->sites, copy_->stream, copy_->landing, mcs}, to, [&](int64_t count, const auto& work) {
          in_parallel(count, copying_threads(), [&](int, int64_t begin, int64_t end) { work(begin, end); });
        });
  };
}

DeviceIds DeviceState::plain_ids(const Stream& stream) {
  // Somebody may still look at the last ones.
  if (plain_ids_ == nullptr || plain_ids_.use_count() > 1)
    plain_ids_ = std::make_shared<Buffer<CellId>>(device_, state_.lattice.sites(), "a copy of the lattice");
  unpack_ids_.launch(simple(), stream, tables_, host_ids_.data(), plain_ids_->data());
  stream.synchronize();
  return {reinterpret_cast<uint64_t>(plain_ids_->data()), device_.info().index, plain_ids_};
}

void DeviceState::use(const Module& module, const Physics& physics) {
  turn_ = module.function("turn");
  move_anchors_ = module.function("move_anchors");
  count_sums_ = module.function("count_sums");
  put_in_order_ = module.function("put_in_order");
  refresh_stamps_ = module.function("refresh_stamps");
  unpack_ids_ = module.function("unpack_ids");
  fields_.give(device_, module, physics);
}

Launch DeviceState::simple() const {
  return {{unsigned(device_.info().multiprocessors * kSimpleBlocks)}, {unsigned(kSimpleThreads)}};
}

void DeviceState::begin(int64_t mcs, const Stream& stream) {
  lattice_is_current_ = cells_are_current_ = false;
  if (layout_.max_act == 0 || mcs_ + mcs - refreshed_at_ <= layout_.mcs_between_refreshes()) return;
  refresh_stamps_.launch(simple(), stream, tables_, uint32_t(mcs_));
  refreshed_at_ = mcs_;
}

void DeviceState::finish(int64_t mcs, const Stream& stream) {
  mcs_ += mcs;
  const Vec3<bool>& periodic = state_.lattice.periodic;
  const bool drifts =
      (periodic.x || periodic.y || periodic.z) && mcs_ % mcs_between_anchor_checks(state_.lattice) == 0;
  const bool turns = state_.cells.history_length > 0;
  if (sums_come_ == CentroidSums::counted && (drifts || turns)) count_all_sums(stream);
  if (drifts) move_anchors(stream);
  if (turns) turn_.launch(simple(), stream, tables_, mcs_);
}

void DeviceState::count_all_sums(const Stream& stream) {
  sums_.fill(0, &stream);
  count_sums_.launch(simple(), stream, tables_, false);
}

void DeviceState::move_anchors(const Stream& stream) {
  move_anchors_.launch(simple(), stream, tables_);
  uint32_t any = 0;
  anchors_moved_.download(&any, 1);
  if (any == 0) return;
  count_sums_.launch(simple(), stream, tables_, true);
  anchors_moved_.fill(0);
}

}  // namespace kiln::cuda
