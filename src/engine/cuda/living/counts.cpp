#include "engine/cuda/living/counts.hpp"

#include <algorithm>
#include <bit>

namespace kiln::cuda {
namespace {

constexpr int64_t kFirstPairSlots = 32;  // per cell, of which about half are used in a full tissue

template <class T>
std::size_t place_of(const std::vector<T>& all, const std::string& name) {
  return std::size_t(std::find_if(all.begin(), all.end(), [&](const T& one) { return one.name == name; }) -
                     all.begin());
}

}  // namespace

DeviceCounts::DeviceCounts(const Device& device, const Stream& stream, const Model& model,
                           const LivingPrograms& programs)
    : device_(device), stream_(stream), types_(model.types.size()) {
  std::vector<formula::Input> all = programs.asked_always;
  const std::size_t always = all.size();
  for (const formula::Input& input : programs.asked_by_rules)
    if (std::find(all.begin(), all.end(), input) == all.end()) all.push_back(input);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const formula::Input& input = all[i];
    Asked asked{input, i < always, What::concentration, 0};
    if (input.name == kAskContact || input.name == kAskNeighbours) {
      asked.what = input.name == kAskContact ? What::contact : What::neighbours;
      asked.number = int32_t(place_of(model.types, input.of));
    } else if (input.name == kAskNeighboursMean) {
      asked.what = What::neighbours_mean;
      asked.number = int32_t(place_of(model.living->properties, input.of));
      for (std::size_t type = 1; type < types_; ++type)
        if (model.living->types[type].starts[std::size_t(asked.number)] != kNoFormula)
          asked.types_with |= uint32_t(1) << type;
    } else {
      asked.number = int32_t(place_of(model.substances, input.of));
      for (int axis = 0; axis < 3; ++axis)
        if (input.name == kAskGradient[axis]) asked.axis = axis;
    }
    asked_.push_back(asked);
  }
  means_.resize(asked_.size());
}

std::vector<formula::Input> DeviceCounts::inputs() const {
  std::vector<formula::Input> result;
  for (const Asked& asked : asked_) result.push_back(asked.input);
  return result;
}

bool DeviceCounts::any_always() const {
  return std::any_of(asked_.begin(), asked_.end(), [](const Asked& asked) { return asked.always; });
}

void DeviceCounts::use(const Module& module) {
  find_largest_property_ = module.function("find_largest_property");
  round_property_ = module.function("round_property");
  count_neighbours_ = module.function("count_neighbours");
  work_out_contact_ = module.function("work_out_contact");
  work_out_neighbours_ = module.function("work_out_neighbours");
  find_largest_voxel_ = module.function("find_largest_voxel");
  round_voxels_ = module.function("round_voxels");
  sum_voxels_ = module.function("sum_voxels");
  work_out_mean_ = module.function("work_out_mean");
}

void DeviceCounts::fit_to(const DeviceState& state) {
  const int64_t rows = state.rows();
  const auto asks = [&](What what) {
    return std::any_of(asked_.begin(), asked_.end(), [&](const Asked& asked) { return asked.what == what; });
  };
  const char* const purpose = "what formulas read";
  values_ = Buffer<double>(device_, int64_t(asked_.size()) * rows, purpose);
  if (asks(What::contact) || asks(What::neighbours) || asks(What::neighbours_mean))
    borders_ = Buffer<int32_t>(device_, rows * int64_t(types_), purpose);
  if (asks(What::neighbours)) {
    touched_ = Buffer<int32_t>(device_, rows * int64_t(types_), purpose);
    pairs_ = Buffer<uint64_t>(device_, kFirstPairSlots * rows, purpose);
    overflow_ = Buffer<uint32_t>(device_, 1, purpose);
  }
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    if (asked_[i].what != What::neighbours_mean && asked_[i].what != What::concentration) continue;
    means_[i].largest = Buffer<uint64_t>(device_, 1, purpose);
    means_[i].sums = Buffer<int64_t>(device_, rows, purpose);
    if (asked_[i].what == What::concentration) continue;  // voxels are known later
    means_[i].values = Buffer<int64_t>(device_, rows, purpose);
    means_[i].pairs = Buffer<int32_t>(device_, rows, purpose);
  }
  mean_tables_ = Buffer<MeanTables>(device_, int64_t(asked_.size()), purpose);
}

double* DeviceCounts::values_of(std::size_t which, const DeviceState& state) const {
  return values_.data() + int64_t(which) * state.rows();
}

void DeviceCounts::count(const DeviceState& state, const DeviceSubstances* substances, bool ruled) {
  std::vector<std::size_t> of_neighbours;
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    if (!asked_[i].always && !ruled) continue;
    if (asked_[i].what == What::concentration)
      count_concentration(state, *substances, i);
    else
      of_neighbours.push_back(i);
  }
  if (!of_neighbours.empty()) count_neighbours(state, of_neighbours);
}

void DeviceCounts::count_neighbours(const DeviceState& state, const std::vector<std::size_t>& which) {
  const StateTables& rows = state.tables();
  const Launch shape = state.grid_stride();
  bool cells = false;
  std::vector<MeanTables> means;
  for (const std::size_t i : which) {
    const Asked& asked = asked_[i];
    cells = cells || asked.what == What::neighbours;
    if (asked.what != What::neighbours_mean) continue;
    Mean& mean = means_[i];
    mean.largest.fill(0, &stream_);
    mean.sums.fill(0, &stream_);
    mean.pairs.fill(0, &stream_);
    find_largest_property_.launch(shape, stream_, rows, asked.types_with, asked.number, mean.largest.data());
    round_property_.launch(shape, stream_, rows, asked.types_with, asked.number, mean.tables());
    means.push_back(mean.tables());
  }
  if (!means.empty()) mean_tables_.upload(means.data(), int64_t(means.size()));
  NeighbourTables tables{borders_.data(), nullptr, nullptr, 0, nullptr};
  for (;;) {
    borders_.fill(0, &stream_);
    if (cells) {
      touched_.fill(0, &stream_);
      pairs_.fill(0, &stream_);
      overflow_.fill(0, &stream_);
      tables = {borders_.data(), touched_.data(), pairs_.data(), uint64_t(pairs_.size()), overflow_.data()};
    }
    count_neighbours_.launch(shape, stream_, rows, tables,
                             static_cast<const MeanTables*>(mean_tables_.data()), int32_t(means.size()));
    if (!cells) break;
    uint32_t crowded = 0;
    stream_.synchronize();
    overflow_.download(&crowded, 1);
    if (crowded == 0) break;
    pairs_ = Buffer<uint64_t>(device_, 2 * pairs_.size(), "what formulas read");
    for (const std::size_t i : which) {
      if (asked_[i].what != What::neighbours_mean) continue;
      means_[i].sums.fill(0, &stream_);
      means_[i].pairs.fill(0, &stream_);
    }
  }
  for (const std::size_t i : which) {
    const Asked& asked = asked_[i];
    double* const to = values_of(i, state);
    if (asked.what == What::contact)
      work_out_contact_.launch(shape, stream_, rows, tables, asked.number, to);
    else if (asked.what == What::neighbours)
      work_out_neighbours_.launch(shape, stream_, rows, tables, asked.number, to);
    else
      work_out_mean_.launch(shape, stream_, rows, means_[i].tables(), to);
  }
}

void DeviceCounts::count_concentration(const DeviceState& state, const DeviceSubstances& substances,
                                       std::size_t which) {
  const Asked& asked = asked_[which];
  const DeviceSubstances::View view = substances.view(std::size_t(asked.number));
  Mean& mean = means_[which];
  if (mean.values.size() == 0)
    mean.values = Buffer<int64_t>(device_, view.voxels.sites(), "what formulas read");
  const Launch shape = state.grid_stride();
  mean.largest.fill(0, &stream_);
  mean.sums.fill(0, &stream_);
  find_largest_voxel_.launch(shape, stream_, view.values, view.voxels, view.coarsen, asked.axis,
                             mean.largest.data());
  round_voxels_.launch(shape, stream_, view.values, view.voxels, view.coarsen, asked.axis, mean.tables());
  sum_voxels_.launch(shape, stream_, state.tables(), view.voxels, view.coarsen, mean.tables());
  work_out_mean_.launch(shape, stream_, state.tables(), mean.tables(), values_of(which, state));
}

std::vector<double> DeviceCounts::fetch(DeviceState& state, std::span<const CellId> rows,
                                        const Stream& stream) const {
  std::vector<double> result(asked_.size() * rows.size());
  for (std::size_t i = 0; i < asked_.size(); ++i)
    state.gather(values_of(i, state), sizeof(double) / 4, rows, result.data() + i * rows.size(), stream);
  return result;
}

void DeviceCounts::store(DeviceState& state, std::span<const CellId> rows, const std::vector<double>& values,
                         const Stream& stream) const {
  for (std::size_t i = 0; i < asked_.size(); ++i)
    state.scatter(values.data() + i * rows.size(), sizeof(double) / 4, rows, values_of(i, state), stream);
}

}  // namespace kiln::cuda
