#include "engine/living/concentrations.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "engine/living/fixed_point.hpp"

namespace kiln {

ConcentrationMeans::ConcentrationMeans(const Model& model, const std::vector<formula::Input>& inputs) {
  for (const formula::Input& input : inputs) {
    const auto gradient = std::find(std::begin(kAskGradient), std::end(kAskGradient), input.name);
    if (input.name != kAskMean && gradient == std::end(kAskGradient)) continue;
    const auto found = std::find_if(model.substances.begin(), model.substances.end(),
                                    [&](const SubstanceData& s) { return s.name == input.of; });
    means_.push_back({input,
                      std::size_t(found - model.substances.begin()),
                      input.name == kAskMean ? -1 : int(gradient - std::begin(kAskGradient)),
                      1,
                      {},
                      {}});
  }
}

// Per site; one-sided before a wall.
double ConcentrationMeans::value_at(const Substance& substance, std::size_t voxel, int axis) {
  if (axis < 0) return substance.values[voxel];
  const Lattice& voxels = substance.voxels;
  const Vec3i here = voxels.position(Site(voxel));
  int32_t apart = 0;
  const auto beside = [&](int32_t step) {
    Vec3i there = here;
    there[axis] += step;
    const bool inside = voxels.wrap(there);
    apart += inside ? 1 : 0;
    return substance.values[std::size_t(voxels.index(inside ? there : here))];
  };
  const double change = beside(+1) - beside(-1);
  return apart == 0 ? 0.0 : change / double(apart * substance.coarsen);
}

void ConcentrationMeans::count(const State& state, SharedTissue& tissue, Team& team, int member) {
  if (member == 0) prepare(state);
  team.wait();
  for (Mean& mean : means_) add_rows(state, tissue.share().frame(), mean, member, team.members());
  team.wait();
  if (!tissue.share().is_whole()) {
    if (member == 0)
      tissue.speak([&](TissueShare& share) {
        for (Mean& mean : means_) share.unite(mean.sum, 1);
      });
    team.wait();
  }
  const uint64_t cells = state.cells.count(), members = uint64_t(team.members());
  for (const Mean& mean : means_) {
    std::vector<double>& values = values_.at(mean.input);
    for (uint64_t cell = cells * uint64_t(member) / members; cell < cells * uint64_t(member + 1) / members;
         ++cell)
      if (const int32_t volume = state.cells.extent[cell].volume; volume > 0)
        values[cell] = double(mean.sum[cell]) * mean.unit / double(volume);
  }
  team.wait();
}

void ConcentrationMeans::prepare(const State& state) {
  for (Mean& mean : means_) {
    const Substance& substance = state.substances[mean.substance];
    double largest = 0;
    for (std::size_t voxel = 0; voxel < substance.values.size(); ++voxel)
      largest = std::max(largest, std::abs(value_at(substance, voxel, mean.axis)));
    mean.unit = fixed_point_unit(largest);
    mean.of_voxel.resize(substance.values.size());
    for (std::size_t voxel = 0; voxel < substance.values.size(); ++voxel)
      mean.of_voxel[voxel] = std::llround(value_at(substance, voxel, mean.axis) / mean.unit);
    mean.sum.assign(state.cells.count(), 0);
    values_[mean.input].assign(state.cells.count(), 0);
  }
}

// Sites of one cell in a row are added up before they are added to the others'.
void ConcentrationMeans::add_rows(const State& state, const SiteFrame& frame, Mean& mean, int member,
                                  int members) {
  const Substance& substance = state.substances[mean.substance];
  const int32_t edge = substance.coarsen, deep = frame.lattice.dimension == 3 ? edge : 1;
  const int64_t rows = frame.rows();
  const int32_t length = frame.own.size().x;
  for (int64_t row = rows * member / members; row < rows * (member + 1) / members; ++row) {
    const Vec3i first = frame.row(row), place = first + frame.origin;
    const CellId* const ids = state.ids.data() + state.lattice.index(first);
    const int64_t* const values =
        mean.of_voxel.data() + substance.voxels.index({0, place.y / edge, place.z / deep});
    for (int32_t x = 0; x < length;) {
      const CellId cell = ids[x];
      int64_t sum = 0;
      for (; x < length && ids[x] == cell; ++x) sum += values[(place.x + x) / edge];
      if (cell != kMedium) std::atomic_ref<int64_t>(mean.sum[cell]).fetch_add(sum, std::memory_order_relaxed);
    }
  }
}

void ConcentrationMeans::inherit(const Cells& cells, const std::vector<CellId>& born,
                                 const TissueShare& share) {
  for (auto& [input, values] : values_) {
    values.resize(cells.count());
    for (const CellId cell : born) values[cell] = values[share.row_of(CellId(cells.life[cell].parent))];
  }
}

}  // namespace kiln
