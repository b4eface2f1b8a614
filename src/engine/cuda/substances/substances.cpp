#include "engine/cuda/substances/substances.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/cuda/driver/kernel_cache.hpp"
#include "engine/cuda/driver/nvrtc.hpp"

namespace kiln::cuda {
namespace {

// A share is a number of sites by all sites of a voxel.
Shares shares_of(const SubstanceData& data) {
  const bool is_power_of_two = (data.coarsen & (data.coarsen - 1)) == 0 && data.coarsen <= 256;
  return is_power_of_two && !data.has_obstacles() ? Shares::fit_floats : Shares::any;
}

// The one type that secretes, by the same rate in all its sites; -1: none, or not so.
int32_t lone_secreter(const SubstanceData& data) {
  constexpr double kLeast = 1e-200;  // products with shares have all their bits
  int32_t lone = -1;
  for (std::size_t type = 0; type < data.uses.size(); ++type) {
    const SubstanceUse& use = data.uses[type];
    if (!use.secretes_anything()) continue;
    if (lone >= 0 || use.per == SubstanceUse::Per::cell || use.secretes_formula >= 0 || use.secretes < kLeast)
      return -1;
    lone = int32_t(type);
  }
  return lone;
}

SourceForm form_of(const SubstanceData& data) {
  const Shares shares = shares_of(data);
  const int32_t secreter = shares == Shares::fit_floats ? lone_secreter(data) : -1;
  return {shares, secreter < 0 ? 0.0 : data.uses[std::size_t(secreter)].secretes};
}

SourceTables tables_of(const SubstanceData& data, const DeviceDiffusion& diffusion) {
  SourceTables tables{};
  tables.voxels = data.voxels;
  tables.coarsen = data.coarsen;
  for (std::size_t type = 0; type < data.uses.size(); ++type) {
    const SubstanceUse& use = data.uses[type];
    (use.per == SubstanceUse::Per::cell ? tables.per_cell : tables.per_site)[type] = use.secretes;
    tables.by_formula[type] = use.secretes_formula >= 0;
    tables.any_per_cell = tables.any_per_cell || tables.by_formula[type] || tables.per_cell[type] != 0;
    tables.holds[type] = use.holds.has_value();
    tables.held[type] = use.holds.value_or(0);
    if (use.takes_up > 0) tables.taker[tables.takers++] = int32_t(type);
  }
  tables.volume = diffusion.open_parts();
  tables.secretion = diffusion.secretion();
  tables.secreter = form_of(data).secreted != 0 ? lone_secreter(data) : -1;
  tables.is_held = diffusion.held();
  tables.held_at = diffusion.held_at();
  for (int32_t k = 0; k < tables.takers; ++k) tables.share[k] = diffusion.share(std::size_t(k));
  tables.shares_fit_floats = shares_of(data) == Shares::fit_floats;
  return tables;
}

}  // namespace

std::string sources_source(const Physics& physics, const SiteLayout& layout, int history) {
  return model_prologue(physics, layout, history, Numbers::folded, all_sites(physics.lattice)) +
         "#include \"engine/cuda/substances/sources.cuh\"\n";
}

DeviceSubstances::DeviceSubstances(const Device& device, const Stream& stream, const Model& model,
                                   const Physics& physics, const DeviceState& state)
    : device_(device),
      shape_(state.grid_stride()),
      stream_(stream),
      seconds_per_mcs_(model.units.seconds_per_mcs),
      source_(model.source) {
  use_layout(physics, state);
  const State& host = state.last_known();
  for (std::size_t s = 0; s < model.substances.size(); ++s) {
    const SubstanceData& data = model.substances[s];
    const substances::SourceCounter counter(model, data);
    substances::Sources like;
    counter.prepare(like);
    Solver& solver = solvers_.emplace_back();
    solver.data = data;
    solver.has_sources = counter.is_needed();
    solver.diffusion = std::make_unique<DeviceDiffusion>(
        device, stream,
        substances::Equation(data.voxels, data.coarsen * model.units.voxel_um, data.like,
                             substances::openness_for(data, host)),
        like, form_of(data));
    solver.diffusion->set(host.substances[s].values);
    solver.diffusion->set(host.substances[s].budget, host.substances[s].total);
    solver.sources = tables_of(data, *solver.diffusion);
  }
}

void DeviceSubstances::use_layout(const Physics& physics, const DeviceState& state) {
  const Module module(device_, compile_cached(sources_source(physics, state.layout(), state.history_length()),
                                              "sources.cu", architecture_for(device_.info()))
                                   .cubin);
  count_sources_ = module.function("count_sources");
}

DeviceSubstances::View DeviceSubstances::view(std::size_t substance) const {
  const Solver& solver = solvers_[substance];
  return {solver.diffusion->values(), solver.data.voxels, solver.data.coarsen};
}

void DeviceSubstances::give(const Module& module, const Physics& physics) const {
  const int count = used_substances(physics);
  if (count == 0) return;
  std::vector<const float*> values;
  for (int s = 0; s < count; ++s) values.push_back(solvers_[std::size_t(s)].diffusion->shown());
  module.set_global("kSubstanceValues", values);
}

void DeviceSubstances::play(int64_t mcs, const StateTables& tables, const Secretion& secretion) {
  for (std::size_t s = 0; s < solvers_.size(); ++s) {
    Solver& solver = solvers_[s];
    if (!solver.data.is_due(mcs)) continue;
    if (solver.has_sources) {
      solver.sources.rates = secretion(s);
      count_sources_.launch(shape_, stream_, tables, solver.sources);
      solver.diffusion->hold(!solver.data.steady);
    }
    if (solver.data.steady)
      solver.diffusion->settle(substances::kSteadyError, mcs);
    else
      solver.diffusion->advance(seconds_per_mcs_ * double(solver.data.update_every), mcs);
    solver.diffusion->show();
  }
}

void DeviceSubstances::require_success() const {
  for (const Solver& solver : solvers_) {
    const auto overflow = solver.diffusion->overflow();
    if (!overflow) continue;
    throw UserError(fmt::format("{}: {}", source_,
                                substances::overflow_text(solver.data.name, overflow->mcs, overflow->total)));
  }
}

void DeviceSubstances::fetch(State& state, DeviceState::More more) const {
  for (std::size_t s = 0; s < solvers_.size(); ++s) {
    Substance& substance = state.substances[s];
    substance.budget = solvers_[s].diffusion->budget();
    substance.total = solvers_[s].diffusion->total();
    if (more == DeviceState::More::sums) continue;
    substance.values = solvers_[s].diffusion->concentration();
    substance.show();
  }
}

}  // namespace kiln::cuda
