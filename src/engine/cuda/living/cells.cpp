#include "engine/cuda/living/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "engine/cuda/driver/kernel_cache.hpp"
#include "engine/cuda/driver/nvrtc.hpp"
#include "engine/cuda/living/source.hpp"

namespace kiln::cuda {
namespace {

constexpr std::size_t kLeastRoom = 1024;

template <class T>
void make_room(Buffer<T>& buffer, const Device& device, std::size_t count) {
  if (buffer.size() < int64_t(count))
    buffer = Buffer<T>(device, int64_t(count + count / 2), "what becomes of cells");
}

// Which types rules can give to cells.
std::vector<bool> types_that_come(const Model& model) {
  std::vector<bool> come(model.types.size(), false);
  for (const Rule& rule : model.living->rules) {
    if (rule.new_type) come[*rule.new_type] = true;
    if (rule.deed != Rule::Deed::divide) continue;
    for (const Rule::Daughter& daughter : rule.daughters)
      for (std::size_t type = 1; type < come.size(); ++type)
        if (daughter.type ? type == *daughter.type : rule.types[type]) come[type] = true;
  }
  return come;
}

}  // namespace

CellRoom room_for(const Model& model, const State& state, const std::vector<std::size_t>& at_least) {
  CellRoom room{std::vector<std::size_t>(model.types.size(), 0), model.frozen_types()};
  std::vector<std::size_t> there(model.types.size(), 0);
  for (CellId cell = 1; cell < state.cells.count(); ++cell)
    if (state.cells.life[cell].end == Cells::End::none) there[state.cells.type[cell]] += 1;
  const std::vector<bool> come = types_that_come(model);
  for (std::size_t type = 1; type < come.size(); ++type)
    if (come[type]) room.spare[type] = std::max(kLeastRoom, there[type] / 2);
  for (std::size_t type = 0; type < at_least.size(); ++type)
    room.spare[type] = std::max(room.spare[type], 2 * at_least[type]);
  return room;
}

std::function<CellRoom(const State&)> room_of(const Model* model) {
  if (model == nullptr || model->living == nullptr) return {};
  return [model](const State& state) { return room_for(*model, state); };
}

DeviceCells::DeviceCells(const Device& device, const Stream& stream, const Model& model,
                         const Physics& physics, DeviceState& state, LivingHooks hooks)
    : device_(device),
      stream_(stream),
      model_(model),
      physics_(physics),
      living_(model.living),
      state_(state),
      hooks_(std::move(hooks)),
      programs_(model),
      counts_(device, stream, model, programs_),
      carry_out_(model),
      event_count_(device, 1, "what becomes of cells"),
      failure_(device, 1, "what becomes of cells"),
      secretion_(model.substances.size()),
      found_count_(device, 1, "what becomes of cells") {
  for (std::size_t type = 1; type < programs_.types.size(); ++type) {
    has_equations_ = has_equations_ || living_->types[type].equations != nullptr;
    changes_targets_ = changes_targets_ || living_->types[type].growth != kNoFormula;
  }
  const auto shrinks = [](const Cells::Life& life) { return life.shrinks > 0; };
  const std::vector<Cells::Life>& lives = state.known().cells.life;
  changes_targets_ = changes_targets_ || std::any_of(lives.begin(), lives.end(), shrinks);
  for (const Rule& rule : living_->rules) changes_targets_ = changes_targets_ || rule.dies_over_mcs > 0;
  failure_.fill(0);
  use_rows();
}

// Whenever cells have got other rows.
void DeviceCells::use_rows() {
  const std::string source =
      living_source(model_, programs_, physics_, state_.layout(), state_.history_length(), counts_.inputs());
  const Module module(device_, compile_cached(source, "living.cu", architecture_for(device_.info())).cubin);
  live_ = module.function("live");
  grow_ = module.function("grow");
  work_out_secretion_ = module.function("work_out_secretion");
  mark_rows_ = module.function("mark_rows");
  find_touched_ = module.function("find_touched");
  change_sites_ = module.function("change_sites");
  count_perimeters_ = module.function("count_perimeters_of_born");
  counts_.use(module);
  counts_.fit_to(state_);
  const int64_t rows = state_.rows();
  const auto most_set = int64_t(std::max<std::size_t>(1, programs_.most_set));
  listed_ = Buffer<ListedEvent>(device_, rows, "what becomes of cells");
  set_ = Buffer<double>(device_, rows * most_set, "what becomes of cells");
  marked_ = Buffer<uint8_t>(device_, rows, "what becomes of cells");
  for (const LivingPrograms::Secretion& secretion : programs_.secretions)
    if (secretion_[secretion.substance].size() < rows)
      secretion_[secretion.substance] = Buffer<double>(device_, rows, "what cells secrete");
  tables_ = {model_.seed, counts_.values(),    listed_.data(),
             set_.data(), event_count_.data(), failure_.data()};
}

void DeviceCells::count(int64_t mcs, const DeviceSubstances* substances) {
  if (programs_.read_places) state_.bring_sums_up_to_date(stream_);
  counts_.count(state_, substances, is_ruled(mcs));
}

const double* DeviceCells::secretion(std::size_t substance, int64_t mcs) {
  Buffer<double>& rates = secretion_[substance];
  if (rates.size() == 0) return nullptr;
  work_out_secretion_.launch(state_.grid_stride(), stream_, state_.tables(), tables_, mcs, int32_t(substance),
                             rates.data());
  return rates.data();
}

void DeviceCells::play(int64_t mcs) {
  now_ = mcs;
  const bool ruled = is_ruled(mcs);
  if (ruled) event_count_.fill(0, &stream_);
  if (ruled || has_equations_)
    live_.launch(state_.grid_stride(), stream_, state_.tables(), tables_, mcs, ruled);
  if (ruled) {
    require_success();
    take_events();
    if (!events_.empty() || !vanished_.empty()) carry_out_events(mcs);
  }
  if (changes_targets_)
    grow_.launch(state_.grid_stride(), stream_, state_.tables(), tables_, mcs);
}

void DeviceCells::require_success() {
  stream_.synchronize();
  LivingFailure failure;
  failure_.download(&failure, 1);
  if (failure.taken == 0) return;
  const auto type = std::size_t(failure.type), number = std::size_t(failure.number);
  const auto tell = [&](const std::string& what, const formula::Program& program) {
    std::vector<double> inputs(failure.inputs, failure.inputs + kMostFailureInputs);
    inputs.resize(std::max(inputs.size(), program.inputs().size()));
    return failure_text(failure.cell, failure.mcs, what, program, inputs);
  };
  std::string text;
  switch (failure.kind) {
    case LivingFailure::equation:
      text = equation_failure_text(failure.cell, model_.types[type].name, failure.mcs + 1,
                                   living_->properties[number].name, failure.value, failure.before);
      break;
    case LivingFailure::rate:
      text = tell(fmt::format("{}.rate is {}", living_->rules[number].name, failure.value),
                  programs_.types[type].rules);
      break;
    case LivingFailure::set:
      text = tell(fmt::format("{} sets {}", living_->rules[number].name, failure.value),
                  programs_.types[type].rules);
      break;
    case LivingFailure::growth:
      text = tell(fmt::format("its growth is {} sites/s", failure.value), programs_.types[type].growth);
      break;
    default:
      text = tell(fmt::format("what it secretes is {}", failure.value), programs_.secretions[number].rate);
      break;
  }
  throw UserError(fmt::format("{}: {}", model_.source, text));
}

// In the order of their cells.
void DeviceCells::take_events() {
  events_.clear();
  vanished_.clear();
  uint32_t count = 0;
  event_count_.download(&count, 1);
  if (count == 0) return;
  const std::size_t most_set = std::max<std::size_t>(1, programs_.most_set);
  std::vector<ListedEvent> listed(count);
  std::vector<double> set(count * most_set);
  listed_.download(listed.data(), count);
  set_.download(set.data(), int64_t(set.size()));
  for (std::size_t i = 0; i < count; ++i) {
    if (listed[i].rule == kVanished) {
      vanished_.push_back(listed[i].cell);
      continue;
    }
    CellEvent event{listed[i].cell, nullptr, {}};
    if (listed[i].rule >= 0) {
      event.rule = &living_->rules[std::size_t(listed[i].rule)];
      std::size_t sets = event.rule->sets.size();
      for (const Rule::Daughter& daughter : event.rule->daughters) sets += daughter.sets.size();
      event.values.assign(set.begin() + std::ptrdiff_t(i * most_set),
                          set.begin() + std::ptrdiff_t(i * most_set + sets));
    }
    events_.push_back(std::move(event));
  }
  std::sort(events_.begin(), events_.end(),
            [](const CellEvent& a, const CellEvent& b) { return a.cell < b.cell; });
  std::sort(vanished_.begin(), vanished_.end());
  if (uint64_t(state_.cells()) + 2 * events_.size() >= uint64_t(kNowhere))
    throw UserError(fmt::format("{}: {}", model_.source, too_many_cells()));
}

void DeviceCells::free_row(CellId cell) { freed_rows_.push_back(state_.numbers().remove(cell)); }

void DeviceCells::end_vanished(int64_t mcs) {
  for (const CellId cell : vanished_) {
    Cells& cells = state_.known().cells;
    cells.life[cell].end = Cells::End::vanished;
    cells.life[cell].ended = mcs;
    cells.centroid[cell].sum = {};  // it may have been counted long ago
    if (!cells.moments.empty()) cells.moments[cell] = {};
    free_row(cell);
  }
}

void DeviceCells::make_room_for_events() {
  const Cells& cells = state_.known().cells;
  std::vector<std::size_t> needed(model_.types.size(), 0);
  for (const CellEvent& event : events_) {
    if (event.rule == nullptr) continue;
    if (event.rule->new_type) needed[*event.rule->new_type] += 1;
    if (event.rule->deed != Rule::Deed::divide) continue;
    for (const Rule::Daughter& daughter : event.rule->daughters)
      needed[daughter.type.value_or(cells.type[event.cell])] += 1;
  }
  bool fits = true;
  for (std::size_t type = 0; type < needed.size(); ++type)
    fits = fits && needed[type] <= state_.numbers().free_rows(TypeId(type));
  if (fits) return;
  std::vector<CellId> all(cells.count());
  std::iota(all.begin(), all.end(), kMedium);
  const std::vector<double> counted = counts_.fetch(state_, state_.numbers().rows_of(all), stream_);
  state_.make_room(room_for(model_, state_.known(), needed), stream_);
  use_rows();
  counts_.store(state_, state_.numbers().rows_of(all), counted, stream_);
  hooks_.rows_changed();
}

std::vector<TouchedSite> DeviceCells::find_sites() {
  std::vector<CellId> moving;
  std::size_t room = 0;
  for (const CellEvent& event : events_) {
    if (!CellEvents::moves_sites(event)) continue;
    moving.push_back(event.cell);
    room += std::size_t(state_.known().cells.extent[event.cell].volume);
  }
  if (room == 0) return {};
  const std::vector<CellId> rows = state_.numbers().rows_of(moving);
  make_room(found_, device_, room);
  make_room(to_mark_, device_, rows.size());
  to_mark_.upload(rows.data(), int64_t(rows.size()));
  marked_.fill(0, &stream_);
  found_count_.fill(0, &stream_);
  mark_rows_.launch(state_.grid_stride(), stream_, static_cast<const CellId*>(to_mark_.data()),
                    int64_t(rows.size()), marked_.data());
  find_touched_.launch(state_.grid_stride(), stream_, state_.tables(),
                       static_cast<const uint8_t*>(marked_.data()), found_.data(), uint64_t(room),
                       found_count_.data());
  stream_.synchronize();
  uint64_t count = 0;
  found_count_.download(&count, 1);
  if (count != room) throw Failure(fmt::format("cells with {} sites were found to have {}", room, count));
  std::vector<TouchedSite> found(room);
  found_.download(found.data(), int64_t(room));
  return found;
}

void DeviceCells::carry_out_events(int64_t mcs) {
  Cells& cells = state_.known().cells;
  freed_rows_.clear();
  make_room_for_events();
  std::vector<CellId> touched;
  for (const CellEvent& event : events_) touched.push_back(event.cell);
  touched.insert(touched.end(), vanished_.begin(), vanished_.end());
  state_.fetch_rows(touched, stream_);
  // What was counted for cells goes with them into other rows, and to their daughters, until it is counted
  // anew.
  std::vector<double> counted;
  if (counts_.any_always()) {
    touched.resize(events_.size());
    counted = counts_.fetch(state_, state_.numbers().rows_of(touched), stream_);
  }
  const std::vector<TouchedSite> sites = find_sites();
  end_vanished(mcs);
  const CellChanges& changes = carry_out_.carry_out(cells, state_.lattice(), events_, sites, mcs, *this);
  store_changed(changes);
  if (!counted.empty()) {
    std::vector<CellId> heirs = changes.of_new_type;
    heirs.insert(heirs.end(), changes.born.begin(), changes.born.end());
    const std::size_t inputs = counted.size() / touched.size();
    std::vector<double> values(inputs * heirs.size());
    for (std::size_t h = 0; h < heirs.size(); ++h) {
      const CellId from = h < changes.of_new_type.size() ? heirs[h] : CellId(cells.life[heirs[h]].parent);
      const auto at = std::size_t(std::lower_bound(touched.begin(), touched.end(), from) - touched.begin());
      for (std::size_t k = 0; k < inputs; ++k)
        values[k * heirs.size() + h] = counted[k * touched.size() + at];
    }
    counts_.store(state_, state_.numbers().rows_of(heirs), values, stream_);
  }
  if (!changes.sites.empty()) hooks_.sites_changed(changed_.data(), int64_t(changes.sites.size()));
}

// Rows are taken and given before sites get their new numbers.
void DeviceCells::change(const Cells& cells, const CellChanges& changes) {
  CellNumbers& numbers = state_.numbers();
  for (const CellId cell : changes.ended) free_row(cell);
  for (const CellId cell : changes.of_new_type) {
    free_row(cell);
    numbers.add(cell, cells.type[cell]);
  }
  for (const CellId cell : changes.born) numbers.add(cell, cells.type[cell]);
  std::vector<ChangedSite> changed;
  changed.reserve(changes.sites.size());
  const CellId first_born = changes.born.empty() ? kNowhere : changes.born.front();
  for (const TouchedSite& touched : changes.sites)
    changed.push_back({touched.site, numbers.to_device[touched.cell],
                       touched.cell >= first_born ? int32_t(touched.cell - first_born) : -1});
  if (changed.empty()) return;
  make_room(changed_, device_, changed.size());
  changed_.upload(changed.data(), int64_t(changed.size()));
  change_sites_.launch(state_.grid_stride(), stream_, state_.tables(),
                       static_cast<const ChangedSite*>(changed_.data()), int64_t(changed.size()),
                       uint32_t(now_));
}

void DeviceCells::count_perimeters(Cells& cells, const CellChanges& changes) {
  if (changes.born.empty()) return;
  make_room(perimeters_, device_, changes.born.size());
  perimeters_.fill(0, &stream_);
  count_perimeters_.launch(state_.grid_stride(), stream_, state_.tables(),
                           static_cast<const ChangedSite*>(changed_.data()), int64_t(changes.sites.size()),
                           perimeters_.data());
  stream_.synchronize();
  std::vector<int32_t> perimeters(changes.born.size());
  perimeters_.download(perimeters.data(), int64_t(perimeters.size()));
  for (std::size_t b = 0; b < perimeters.size(); ++b) cells.extent[changes.born[b]].perimeter = perimeters[b];
}

// Rows that are free now, and those of all cells that something happened to.
void DeviceCells::store_changed(const CellChanges& changes) {
  const CellNumbers& numbers = state_.numbers();
  std::vector<CellId> freed;
  for (const CellId row : freed_rows_)
    if (numbers.from_device[row] == kMedium) freed.push_back(row);
  std::sort(freed.begin(), freed.end());
  freed.erase(std::unique(freed.begin(), freed.end()), freed.end());
  std::vector<CellId> stored;
  for (const CellEvent& event : events_)
    if (numbers.to_device[event.cell] != kMedium) stored.push_back(event.cell);
  stored.insert(stored.end(), changes.born.begin(), changes.born.end());
  state_.store_rows(stored, stream_);
  state_.clear_rows(freed, stream_);
}

}  // namespace kiln::cuda
