// Substances between two MCS on a GPU: the bits of substances::SubstanceStage on threads.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/cuda/model_source.hpp"
#include "engine/cuda/state/device_state.hpp"
#include "engine/cuda/substances/diffusion.hpp"
#include "engine/cuda/substances/source_tables.hpp"
#include "engine/substances/substance_stage.hpp"

namespace kiln::cuda {

// CUDA C++ for compile().
std::string sources_source(const Physics& physics, const SiteLayout& layout, int history);

class DeviceSubstances {
 public:
  // Of the state as it is.
  DeviceSubstances(const Device& device, const Stream& stream, const Model& model, const Physics& physics,
                   const DeviceState& state);

  // Points a module that was compiled for the model at what copy attempts read.
  void give(const Module& module, const Physics& physics) const;
  // After sites have got another layout.
  void use_layout(const Physics& physics, const DeviceState& state);
  // The end of MCS number `mcs`. secretion(substance) says what every cell secretes per site, by row, where
  // formulas do.
  using Secretion = std::function<const double*(std::size_t substance)>;
  void play(int64_t mcs, const StateTables& tables, const Secretion& secretion);
  // What there is now, until the next MCS.
  struct View {
    const double* values;
    Lattice voxels;
    int32_t coarsen;
  };
  View view(std::size_t substance) const;
  // Throws UserError where there was more of a substance than is computed with.
  void require_success() const;
  // Into the substances of a state on the host.
  void fetch(State& state, DeviceState::More more) const;

 private:
  struct Solver {
    SubstanceData data;
    std::unique_ptr<DeviceDiffusion> diffusion;
    SourceTables sources{};
    bool has_sources = false;
  };

  const Device& device_;
  Launch shape_;
  const Stream& stream_;
  double seconds_per_mcs_;
  std::string source_;  // of the model, for messages
  std::vector<Solver> solvers_;
  Function count_sources_;
};

}  // namespace kiln::cuda
