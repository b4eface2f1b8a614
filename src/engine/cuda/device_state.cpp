#include "engine/cuda/device_state.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/parallel.hpp"
#include "engine/bookkeeping.hpp"
#include "engine/cuda/model_source.hpp"

namespace kiln::cuda {
namespace {

constexpr int64_t kOverrun = 64;               // bytes behind the last site that kernels may read
constexpr int64_t kPiece = int64_t(16) << 20;  // sites copied up at a time

int copying_threads() { return std::min(all_threads(), 16); }

// Between the host's order of cells and the device's.
template <class T, class Get>
std::vector<T> in_device_order(const std::vector<CellId>& from_device, const Get& get) {
  std::vector<T> result;
  result.reserve(from_device.size());
  for (const CellId cell : from_device) result.push_back(get(cell));
  return result;
}
template <class T>
std::vector<T> downloaded(const Buffer<T>& buffer) {
  std::vector<T> result(std::size_t(buffer.size()));
  buffer.download(result.data(), buffer.size());
  return result;
}

// A number that rises with the place of a cell: row by row, a row being kWide sites high and deep.
uint64_t place_in_order(const State& state, CellId cell) {
  constexpr int32_t kWide = 8;
  const int32_t volume = state.cells.extent[cell].volume;
  if (volume == 0) return 0;
  const Cells::Centroid& centroid = state.cells.centroid[cell];
  Vec3i place = centroid.anchor;
  for (int axis = 0; axis < state.lattice.dimension; ++axis) {
    const int32_t length = state.lattice.size[axis];
    place[axis] = int32_t((place[axis] + centroid.sum[axis] / volume) % length);
    if (place[axis] < 0) place[axis] += length;
  }
  const uint64_t rows = uint64_t(state.lattice.size.y / kWide + 1);
  return (uint64_t(place.z / kWide) * rows + uint64_t(place.y / kWide)) * uint64_t(state.lattice.size.x) +
         uint64_t(place.x);
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
      landing_(device) {
  number_cells(types);
  allocate();
  upload();
}

// Cells of one type come in the order of their places, so that neighbours lie close together in the tables,
// too.
void DeviceState::number_cells(int types) {
  const std::vector<TypeId>& type = state_.cells.type;
  const CellId cells = state_.cells.count();
  if (types > kMostTypesByRange)
    throw UserError(fmt::format("the model has {} types, but the CUDA engine takes at most {}.", types,
                                kMostTypesByRange));
  std::vector<std::pair<uint64_t, CellId>> order(cells);
  for (CellId cell = 0; cell < cells; ++cell)
    order[cell] = {uint64_t(type[cell]) << 56 | place_in_order(state_, cell), cell};
  std::sort(order.begin(), order.end());
  from_device_.resize(cells);
  std::transform(order.begin(), order.end(), from_device_.begin(), [](const auto& o) { return o.second; });
  to_device_.resize(cells);
  for (CellId i = 0; i < cells; ++i) to_device_[from_device_[i]] = i;
  tables_.cells = cells;
  for (int k = 0; k <= kMostTypesByRange; ++k)
    tables_.first_of_type[k] =
        uint32_t(std::count_if(type.begin(), type.end(), [&](TypeId t) { return t < k; }));
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
  if (!state_.direction.empty()) directions_ = Buffer<Vec3f>(device_, cells, "the cells");
  if (!state_.history.empty())
    history_ = Buffer<Vec3d>(device_, int64_t(state_.history.size()), "the cells' past places");
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
  const Cells& cells = state_.cells;
  const int64_t count = cells.count();
  const auto extents = in_device_order<Extent>(from_device_, [&](CellId c) {
    return Extent{cells.extent[c].volume, cells.extent[c].perimeter};
  });
  const auto anchors =
      in_device_order<Vec3i>(from_device_, [&](CellId c) { return cells.centroid[c].anchor; });
  const auto sums =
      in_device_order<Vec3<int64_t>>(from_device_, [&](CellId c) { return cells.centroid[c].sum; });
  extents_.upload(extents.data(), count);
  anchors_.upload(anchors.data(), count);
  sums_.upload(sums.data(), count);
  anchors_moved_.fill(0);
  host_ids_.upload(from_device_.data(), count);
  device_ids_.upload(to_device_.data(), count);
  if (!state_.direction.empty()) {
    const auto directions =
        in_device_order<Vec3f>(from_device_, [&](CellId c) { return state_.direction[c]; });
    directions_.upload(directions.data(), count);
  }
  if (!state_.history.empty()) {
    const std::size_t slots = std::size_t(state_.history_length);
    std::vector<Vec3d> history(state_.history.size());
    for (std::size_t i = 0; i < from_device_.size(); ++i)
      std::copy_n(state_.history.data() + from_device_[i] * slots, slots, history.data() + i * slots);
    history_.upload(history.data(), int64_t(history.size()));
  }
}

template <class Word>
void DeviceState::upload_sites() {
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
void DeviceState::unpack_sites(const SitesOnTheirWay& from, State& to, const ShareOut& share_out) const {
  const uint64_t stamp_mask = (uint64_t(1) << layout_.stamp_bits()) - 1;
  const uint64_t id_mask = (uint64_t(1) << layout_.id_bits) - 1;
  const auto send = [&](int64_t first, int64_t count, uint8_t* landing) {
    from.sites.download(landing, count * int64_t(sizeof(Word)), first * int64_t(sizeof(Word)), &from.stream);
  };
  const auto take_in = [&](int64_t first, int64_t count, const uint8_t* landed) {
    const Word* const words = reinterpret_cast<const Word*>(landed);
    share_out(count, [&](int64_t begin, int64_t end) {
      CellId* const ids = to.ids.data() + first;
      for (int64_t i = begin; i < end; ++i) ids[i] = from_device_[std::size_t(words[i] & id_mask)];
      if (layout_.max_act == 0) return;
      ActValue* const act = to.act.data() + first;
      for (int64_t i = begin; i < end; ++i) {
        const uint64_t ahead = ((words[i] >> layout_.id_bits) - uint64_t(from.mcs)) & stamp_mask;
        act[i] = ActValue(ahead <= uint64_t(layout_.max_act) ? ahead : 0);
      }
    });
  };
  from.landing.bring(to.lattice.sites(), sizeof(Word), from.stream, send, take_in);
}

template <class ShareOut>
void DeviceState::download_sites(const SitesOnTheirWay& from, State& to, const ShareOut& share_out) const {
  if (layout_.word_bytes == 4)
    unpack_sites<uint32_t>(from, to, share_out);
  else
    unpack_sites<uint64_t>(from, to, share_out);
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
  if (!to.direction.empty()) {
    const auto directions = downloaded(directions_);
    for (std::size_t i = 0; i < from_device_.size(); ++i) to.direction[from_device_[i]] = directions[i];
  }
  if (!to.history.empty()) {
    const std::size_t slots = std::size_t(to.history_length);
    const auto history = downloaded(history_);
    for (std::size_t i = 0; i < from_device_.size(); ++i)
      std::copy_n(history.data() + i * slots, slots, to.history.data() + from_device_[i] * slots);
  }
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

void DeviceState::use(const Module& module, const Physics& physics) {
  turn_ = module.function("turn");
  move_anchors_ = module.function("move_anchors");
  count_sums_ = module.function("count_sums");
  put_in_order_ = module.function("put_in_order");
  refresh_stamps_ = module.function("refresh_stamps");
  const int count = stored_fields(physics);
  if (count == 0) return;
  std::vector<VectorField> fields(physics.fields, physics.fields + count);
  for (VectorField& field : fields)
    if (field.shape == VectorField::Shape::stored) field.data = values_of(field);
  module.set_global("kFields", fields);
}

const float* DeviceState::values_of(const VectorField& field) {
  Buffer<float>& values = field_values_[field.data];
  if (values.size() == 0) {
    values = Buffer<float>(device_, state_.lattice.sites() * field.components, "a field");
    values.upload(field.data, values.size());
  }
  return values.data();
}

Launch DeviceState::simple() const {
  return {{unsigned(device_.info().multiprocessors) * 8}, {unsigned(kSimpleThreads)}};
}

void DeviceState::begin(int64_t mcs, const Stream& stream) {
  lattice_is_current_ = cells_are_current_ = false;
  if (layout_.max_act == 0 || mcs_ + mcs - refreshed_at_ <= layout_.mcs_between_refreshes()) return;
  refresh_stamps_.launch(simple(), stream, tables_, uint32_t(mcs_));
  refreshed_at_ = mcs_;
}

void DeviceState::finish(int64_t mcs, const Stream& stream) {
  mcs_ += mcs;
  if (mcs_ % mcs_between_anchor_checks(state_.lattice) == 0) move_anchors(stream);
  if (state_.history_length > 0) turn_.launch(simple(), stream, tables_, mcs_);
}

void DeviceState::count_all_sums(const Stream& stream) {
  sums_.fill(0, &stream);
  count_sums_.launch(simple(), stream, tables_, false);
}

void DeviceState::move_anchors(const Stream& stream) {
  const Vec3<bool>& periodic = state_.lattice.periodic;
  if (!periodic.x && !periodic.y && !periodic.z) return;
  if (sums_come_ == CentroidSums::counted) count_all_sums(stream);
  move_anchors_.launch(simple(), stream, tables_);
  uint32_t any = 0;
  anchors_moved_.download(&any, 1);
  if (any == 0) return;
  count_sums_.launch(simple(), stream, tables_, true);
  anchors_moved_.fill(0);
}

}  // namespace kiln::cuda
