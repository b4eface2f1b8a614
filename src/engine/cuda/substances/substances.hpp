// Substances between two MCS on a GPU: the bits of substances::SubstanceStage on threads.
#pragma once

#include <memory>
#include <vector>

#include "engine/cuda/between/tick.hpp"
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
  // The end of MCS number `mcs`.
  void play(int64_t mcs, const StateTables& tables);
  // Into the substances of a state on the host.
  void fetch(State& state) const;

 private:
  struct Solver {
    SubstanceData data;
    std::unique_ptr<DeviceDiffusion> diffusion;
    SourceTables sources{};
    bool has_sources = false;
  };

  Launch shape_;
  const Stream& stream_;
  double seconds_per_mcs_;
  std::vector<Solver> solvers_;
  Function count_sources_;
};

// Those of a model, if it has any, as a part of the tick and of the state; else nullptr.
std::unique_ptr<DeviceSubstances> substances_of(const Model* model, const Physics& physics,
                                                const Device& device, const Stream& stream,
                                                DeviceState& state, DeviceTick& tick);

}  // namespace kiln::cuda
