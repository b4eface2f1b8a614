#include "engine/cuda/substances/diffusion.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/driver/kernel_cache.hpp"
#include "engine/cuda/driver/nvrtc.hpp"

namespace kiln::cuda {
namespace {

constexpr int64_t kSumBytes = int64_t(64) << 20;  // of rows' sums at a time

Buffer<double> on_device(const Device& device, const std::vector<double>& values) {
  Buffer<double> buffer(device, int64_t(values.size()), "substances");
  buffer.upload(values.data(), int64_t(values.size()));
  return buffer;
}

// Uploads values / unit, as Number.
template <class Number>
void upload_as(Buffer<uint8_t>& to, const std::vector<double>& values, double unit = 1) {
  std::vector<Number> numbers(values.size());
  std::transform(values.begin(), values.end(), numbers.begin(),
                 [unit](double value) { return Number(value / unit); });
  to.upload(reinterpret_cast<const uint8_t*>(numbers.data()), to.size());
}

}  // namespace

std::string diffusion_source(const substances::Equation& equation, const substances::Sources& like,
                             const SourceForm& form) {
  const Lattice& voxels = equation.voxels;
  std::string sides;
  for (const substances::Side& side : equation.properties.sides) {
    using Kind = substances::Side::Kind;
    sides += side.kind == Kind::value  ? "cuda::SideKind::value, "
             : side.kind == Kind::flux ? "cuda::SideKind::flux, "
                                       : "cuda::SideKind::closed, ";
  }
  return fmt::format(
      "#include \"engine/cuda/substances/diffusion_tables.hpp\"\n"
      "namespace kiln::form {{\n"
      "constexpr int kDim = {};\nconstexpr Vec3i kSize{{{}, {}, {}}};\n"
      "constexpr Vec3<bool> kPeriodic{{{}, {}, {}}};\nconstexpr cuda::SideKind kSides[] = {{{}}};\n"
      "constexpr bool kObstacles = {}, kSecretes = {}, kHolds = {};\nconstexpr int kUptakes = {};\n"
      "constexpr bool kSecretesByShare = {};\n"
      "using Share = {};\nusing Secretion = {};\n"
      "}}  // namespace kiln::form\n"
      "#include \"engine/cuda/substances/diffusion.cuh\"\n",
      voxels.dimension, voxels.size.x, voxels.size.y, voxels.size.z, voxels.periodic.x, voxels.periodic.y,
      voxels.periodic.z, sides, equation.has_obstacles(), !like.secretion.empty(), !like.held.empty(),
      like.uptake.size(), form.secreted != 0, form.shares == Shares::fit_floats ? "float" : "double",
      form.secreted != 0 ? "float" : "double");
}

DeviceDiffusion::DeviceDiffusion(const Device& device, const Stream& stream,
                                 const substances::Equation& equation, const substances::Sources& like,
                                 const SourceForm& form)
    : device_(device), stream_(stream), equation_(equation), form_(form) {
  reserve_sources(like);
  const Module module(device_, compile_cached(diffusion_source(equation, like, form), "diffusion.cu",
                                              architecture_for(device_.info()))
                                   .cubin);
  diffuse_ = module.function("diffuse");
  sum_groups_ = module.function("sum_groups");
  hold_rows_ = module.function("hold_rows");
  keep_books_ = module.function("keep_books");
  show_values_ = module.function("show_values");
  tables_.exchange = equation.exchange;
  tables_.decay = equation.properties.decay;
  tables_.secretion_rate = form.secreted;
  for (std::size_t side = 0; side < 6; ++side) {
    tables_.ghosts[side] = equation.ghosts[side];
    tables_.inflow[side] = equation.inflow[side];
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
  shown_ = Buffer<float>(device_, padded(equation_.voxels).sites(), "substances");
  slots_together_ = std::clamp<int64_t>(kSumBytes / (kRowSums * rows() * int64_t(sizeof(double))), 1, 64);
  row_sums_ = Buffer<double>(device_, slots_together_ * kRowSums * rows(), "substances");
  plane_sums_ =
      Buffer<double>(device_, slots_together_ * kRowSums * int64_t(equation_.voxels.size.z), "substances");
  added_ = Buffer<double>(device_, 1, "substances");
  books_ = Buffer<double>(device_, kBooks, "substances");
  books_.fill(0);
  show();
}

void DeviceDiffusion::set(const substances::Sources& sources) {
  if (!sources.secretion.empty()) {
    if (form_.secreted != 0)
      upload_as<float>(secretion_, sources.secretion, form_.secreted);
    else
      upload_as<double>(secretion_, sources.secretion);
  }
  if (!sources.held.empty()) held_.upload(sources.held.data(), held_.size());
  for (std::size_t k = 0; k < sources.uptake.size(); ++k) {
    if (form_.shares == Shares::fit_floats)
      upload_as<float>(share_[k], sources.uptake[k].share);
    else
      upload_as<double>(share_[k], sources.uptake[k].share);
  }
}

void DeviceDiffusion::set(const substances::Budget& budget, double total) {
  const double books[] = {budget.secreted,      budget.taken_up, budget.decayed,
                          budget.crossed_walls, budget.held,     total};
  books_.upload(books, kAccounts + 1);
}

void DeviceDiffusion::reserve_sources(const substances::Sources& like) {
  if (like.uptake.size() > std::size_t(kMostUptakes))
    throw UserError(fmt::format("{} types of cells take a substance up, but on a GPU at most {} can.",
                                like.uptake.size(), kMostUptakes));
  const int64_t voxels = equation_.voxels.sites();
  const auto room = [&](auto& buffer, bool wanted, int64_t each = 1) {
    buffer = std::remove_reference_t<decltype(buffer)>(device_, wanted ? voxels * each : 0, "substances");
  };
  room(secretion_, !like.secretion.empty(), form_.secreted != 0 ? sizeof(float) : sizeof(double));
  room(held_, !like.held.empty());
  room(held_at_, !like.held.empty());
  tables_.secretion = like.secretion.empty() ? nullptr : secretion_.data();
  tables_.held = like.held.empty() ? nullptr : held_.data();
  for (std::size_t k = 0; k < like.uptake.size(); ++k) {
    room(share_[k], true, form_.shares == Shares::fit_floats ? sizeof(float) : sizeof(double));
    tables_.share[k] = share_[k].data();
    tables_.rate[k] = like.uptake[k].rate;
    tables_.at_most[k] = like.uptake[k].at_most;
    fastest_uptake_ = std::max(fastest_uptake_, like.uptake[k].rate);
  }
}

std::vector<double> DeviceDiffusion::concentration() const {
  stream_.synchronize();
  std::vector<double> result(std::size_t(now_.size()));
  now_.download(result.data(), now_.size());
  return result;
}

substances::Budget DeviceDiffusion::budget() const {
  stream_.synchronize();
  double accounts[kAccounts];
  books_.download(accounts, kAccounts);
  return {accounts[0], accounts[1], accounts[2], accounts[3], accounts[4]};
}

double DeviceDiffusion::total() const {
  stream_.synchronize();
  double total = 0;
  books_.download(&total, 1, kTotal);
  return total;
}

std::optional<DeviceDiffusion::Overflow> DeviceDiffusion::overflow() const {
  stream_.synchronize();
  double noted[2];
  books_.download(noted, 2, kOverflowMcs);
  if (noted[0] == 0) return std::nullopt;
  return Overflow{int64_t(noted[0]), noted[1]};
}

// Arrays of sums of rows.
void DeviceDiffusion::sum_up(int64_t arrays, double* to) {
  const int64_t planes = equation_.voxels.size.z;
  const Launch wide{{unsigned(device_.info().multiprocessors)}, {256}};
  sum_groups_.launch(wide, stream_, static_cast<const double*>(row_sums_.data()), arrays * planes,
                     int64_t(equation_.voxels.size.y), plane_sums_.data());
  sum_groups_.launch(wide, stream_, static_cast<const double*>(plane_sums_.data()), arrays, planes, to);
}

void DeviceDiffusion::hold(bool in_books) {
  if (tables_.held == nullptr) return;
  hold_rows_.launch(warp_per_row(), stream_, tables_, static_cast<const double*>(held_at_.data()),
                    now_.data(), row_sums_.data());
  holds_in_books_ = in_books;
  if (in_books) sum_up(1, added_.data());
}

Launch DeviceDiffusion::warp_per_row() const {
  constexpr int64_t kWarps = 8;  // of a block
  return {{unsigned((rows() + kWarps - 1) / kWarps)}, {32 * kWarps}};
}

void DeviceDiffusion::play(const substances::Stages& stages, bool in_books, int64_t mcs) {
  const Launch shape = warp_per_row();
  const auto count = int64_t(stages.stages.size()), slots = count * stages.steps + 1;
  if (flows_.size() < slots * kRowSums) flows_ = Buffer<double>(device_, slots * kRowSums, "substances");
  int64_t slot = 0, summed = 0;  // sets of sums: begun, and added up
  const auto sums_to_fill = [&] { return row_sums_.data() + (slot++ - summed) * kRowSums * rows(); };
  const auto add_up = [&] {
    sum_up((slot - summed) * kRowSums, flows_.data() + summed * kRowSums);
    summed = slot;
  };
  for (int step = 0; step < stages.steps; ++step)
    for (const substances::Stage& stage : stages.stages) {
      diffuse_.launch(shape, stream_, tables_, stage, static_cast<const double*>(now_.data()), before_.data(),
                      in_books ? sums_to_fill() : static_cast<double*>(nullptr));
      std::swap(now_, before_);
      if (slot - summed == slots_together_) add_up();
    }
  diffuse_.launch(shape, stream_, tables_, substances::Stage{}, static_cast<const double*>(now_.data()),
                  static_cast<double*>(nullptr), sums_to_fill());
  add_up();
  if (stages_.size() == 0) {  // they follow from what never changes
    stages_ = Buffer<substances::Stage>(device_, count, "substances");
    stages_.upload(stages.stages.data(), count);
  }
  // Without books, the total alone.
  const double* const added = holds_in_books_ ? added_.data() : nullptr;
  keep_books_.launch({{1}, {32}}, stream_, static_cast<const substances::Stage*>(stages_.data()),
                     in_books ? int32_t(count) : 0, int32_t(stages.steps),
                     static_cast<const double*>(flows_.data()), added, equation_.properties.decay,
                     double(mcs), books_.data());
  holds_in_books_ = false;
}

void DeviceDiffusion::advance(double seconds, int64_t mcs) {
  substances::Rates rates = equation_.rates({});
  rates.loss += fastest_uptake_;
  play(substances::stages_for(rates, seconds), true, mcs);
}

void DeviceDiffusion::settle(double error, int64_t mcs) {
  substances::Rates rates = equation_.rates({});
  rates.loss += fastest_uptake_;
  play(substances::sweeps_for(rates, equation_.slowest(), error), false, mcs);
}

void DeviceDiffusion::show() {
  show_values_.launch({{unsigned(device_.info().multiprocessors * 8)}, {256}}, stream_,
                      static_cast<const double*>(now_.data()), shown_.data());
}

}  // namespace kiln::cuda
