#include "engine/cuda/substances/diffusion.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/driver/kernel_cache.hpp"
#include "engine/cuda/driver/nvrtc.hpp"

namespace kiln::cuda {
namespace {

Buffer<double> on_device(const Device& device, const std::vector<double>& values) {
  Buffer<double> buffer(device, int64_t(values.size()), "substances");
  buffer.upload(values.data(), int64_t(values.size()));
  return buffer;
}

}  // namespace

std::string diffusion_source(int dimension) {
  return fmt::format(
      "namespace kiln::device {{\nconstexpr int kDim = {};\n}}\n"
      "#include \"engine/cuda/substances/diffusion.cuh\"\n",
      dimension);
}

DeviceDiffusion::DeviceDiffusion(const Device& device, const Stream& stream,
                                 const substances::Equation& equation)
    : device_(device), stream_(stream), equation_(equation) {
  const Module module(device_, compile_cached(diffusion_source(equation.voxels.dimension), "diffusion.cu",
                                              architecture_for(device_.info()))
                                   .cubin);
  diffuse_ = module.function("diffuse");
  sum_rows_ = module.function("sum_rows");
  tables_.voxels = equation.voxels;
  tables_.exchange = equation.exchange;
  tables_.decay = equation.properties.decay;
  for (std::size_t side = 0; side < 6; ++side) {
    const auto kind = equation.properties.sides[side].kind;
    tables_.ghosts[side] = equation.ghosts[side];
    tables_.inflow[side] = equation.inflow[side];
    tables_.is_value[side] = kind == substances::Side::Kind::value;
    tables_.is_flux[side] = kind == substances::Side::Kind::flux;
  }
  if (equation.has_obstacles()) {
    volume_ = on_device(device_, equation.open.volume);
    tables_.volume = volume_.data();
    for (int axis = 0; axis < equation.voxels.dimension; ++axis) {
      low_[axis] = on_device(device_, equation.open.low[std::size_t(axis)]);
      tables_.low[axis] = low_[axis].data();
    }
  }
}

void DeviceDiffusion::set(const std::vector<double>& concentration) {
  now_ = on_device(device_, concentration);
  before_ = Buffer<double>(device_, now_.size(), "substances");
}

void DeviceDiffusion::set(const substances::Sources& sources) {
  if (sources.uptake.size() > std::size_t(kMostUptakes))
    throw UserError(fmt::format("{} types of cells take a substance up, but on a GPU at most {} can.",
                                sources.uptake.size(), kMostUptakes));
  sources_ = sources;
  secretion_ = on_device(device_, sources.secretion);
  tables_.secretion = sources.secretion.empty() ? nullptr : secretion_.data();
  secreted_ = sources.secretion.empty() ? 0.0 : substances::total_of(equation_, sources.secretion);
  held_ = Buffer<uint8_t>(device_, int64_t(sources.held.size()), "substances");
  held_.upload(sources.held.data(), held_.size());
  tables_.held = sources.held.empty() ? nullptr : held_.data();
  tables_.uptakes = int32_t(sources.uptake.size());
  for (std::size_t k = 0; k < sources.uptake.size(); ++k) {
    share_[k] = on_device(device_, sources.uptake[k].share);
    tables_.share[k] = share_[k].data();
    tables_.rate[k] = sources.uptake[k].rate;
    tables_.at_most[k] = sources.uptake[k].at_most;
  }
}

std::vector<double> DeviceDiffusion::concentration() const {
  stream_.synchronize();
  std::vector<double> result(std::size_t(now_.size()));
  now_.download(result.data(), now_.size());
  return result;
}

void DeviceDiffusion::advance(double seconds, substances::Budget* budget) {
  const Launch shape{{unsigned(device_.info().multiprocessors * 8)}, {256}};
  const substances::Stages stages = substances::stages_for(equation_.rates(sources_), seconds);
  substances::Ledger ledger;
  for (int step = 0; step < stages.steps; ++step) {
    for (const substances::Stage& stage : stages.stages) {
      if (budget != nullptr) ledger.next(stage, flows());
      diffuse_.launch(shape, stream_, tables_, stage, static_cast<const double*>(now_.data()),
                      before_.data());
      std::swap(now_, before_);
    }
    if (budget != nullptr) ledger.end_step(*budget);
  }
}

// Per second.
substances::Budget DeviceDiffusion::flows() {
  const Vec3i& size = equation_.voxels.size;
  const int64_t rows = int64_t(size.y) * size.z;
  if (row_sums_.size() == 0) row_sums_ = Buffer<double>(device_, 4 * rows, "substances");
  sum_rows_.launch({{unsigned(device_.info().multiprocessors * 8)}, {256}}, stream_, tables_,
                   static_cast<const double*>(now_.data()), rows, row_sums_.data());
  std::vector<double> sums(std::size_t(4 * rows));
  row_sums_.download(sums.data(), 4 * rows, 0, &stream_);
  stream_.synchronize();
  std::vector<substances::RowSums> of_rows(static_cast<std::size_t>(rows));
  for (std::size_t r = 0; r < of_rows.size(); ++r)
    of_rows[r] = {sums[r], sums[r + of_rows.size()], sums[r + 2 * of_rows.size()],
                  sums[r + 3 * of_rows.size()]};
  return substances::flows_of(equation_, secreted_, of_rows);
}

}  // namespace kiln::cuda
