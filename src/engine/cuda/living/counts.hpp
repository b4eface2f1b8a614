// What formulas read of cells' neighbours, and of substances in their sites, on a GPU: the values of
// NeighbourCounts and ConcentrationMeans.
#pragma once

#include <vector>

#include "engine/cuda/driver/driver.hpp"
#include "engine/cuda/living/living_tables.hpp"
#include "engine/cuda/state/device_state.hpp"
#include "engine/cuda/substances/substances.hpp"
#include "engine/living/programs.hpp"

namespace kiln::cuda {

class DeviceCounts {
 public:
  DeviceCounts(const Device& device, const Stream& stream, const Model& model,
               const LivingPrograms& programs);

  // In the order of what values() has, by row, for each of them.
  std::vector<formula::Input> inputs() const;
  const double* values() const { return values_.data(); }
  bool any_always() const;

  void use(const Module& module);
  void fit_to(const DeviceState& state);
  // At the end of an MCS; `ruled` where rules are looked at.
  void count(const DeviceState& state, const DeviceSubstances* substances, bool ruled);

  // What newborn cells have of their mothers, and what cells take with them into other rows.
  std::vector<double> fetch(DeviceState& state, std::span<const CellId> rows, const Stream& stream) const;
  void store(DeviceState& state, std::span<const CellId> rows, const std::vector<double>& values,
             const Stream& stream) const;

 private:
  enum class What { contact, neighbours, neighbours_mean, concentration };
  struct Asked {
    formula::Input input;
    bool always;
    What what;
    int32_t number;           // of the type, the property or the substance
    int32_t axis = -1;        // of a gradient
    uint32_t types_with = 0;  // which types have the property
  };
  // Room for a mean.
  struct Mean {
    Buffer<uint64_t> largest;
    Buffer<int64_t> values, sums;
    Buffer<int32_t> pairs;
    MeanTables tables() const { return {largest.data(), values.data(), sums.data(), pairs.data()}; }
  };

  double* values_of(std::size_t which, const DeviceState& state) const;
  void count_neighbours(const DeviceState& state, const std::vector<std::size_t>& which);
  void count_concentration(const DeviceState& state, const DeviceSubstances& substances, std::size_t which);

  const Device& device_;
  const Stream& stream_;
  std::size_t types_;
  std::vector<Asked> asked_;
  std::vector<Mean> means_;  // as many
  Buffer<double> values_;
  Buffer<int32_t> borders_, touched_;
  Buffer<uint64_t> pairs_;
  Buffer<uint32_t> overflow_;
  Buffer<MeanTables> mean_tables_;
  Function find_largest_property_, round_property_, count_neighbours_, work_out_contact_,
      work_out_neighbours_, find_largest_voxel_, round_voxels_, sum_voxels_, work_out_mean_;
};

}  // namespace kiln::cuda
