#include "engine/substances/sources.hpp"

#include <algorithm>

namespace kiln::substances {
namespace {

bool is_of_cells(const SubstanceUse& use) {
  return use.secretes_formula >= 0 || (use.secretes != 0 && use.per == SubstanceUse::Per::cell);
}

}  // namespace

// Of the voxels of a row.
struct SourceCounter::Row {
  std::vector<int32_t> counts;  // by voxel and type
  std::vector<double> of_cells;
};

SourceCounter::SourceCounter(const Model& model, const SubstanceData& substance)
    : sites_(model.lattice), voxels_(substance.voxels), coarsen_(substance.coarsen), uses_(substance.uses) {
  for (std::size_t type = 0; type < uses_.size(); ++type) {
    needed_ = needed_ || uses_[type].does_anything();
    secretes_ = secretes_ || uses_[type].secretes_anything();
    of_cells_ = of_cells_ || is_of_cells(uses_[type]);
    holds_ = holds_ || uses_[type].holds.has_value();
    if (uses_[type].takes_up > 0) takers_.push_back(TypeId(type));
  }
}

void SourceCounter::prepare(Sources& sources) const {
  const auto voxels = std::size_t(voxels_.sites());
  sources.secretion.resize(secretes_ ? voxels : 0);
  sources.held.resize(holds_ ? voxels : 0);
  sources.uptake.resize(takers_.size());
  for (std::size_t k = 0; k < takers_.size(); ++k) {
    sources.uptake[k].rate = uses_[takers_[k]].takes_up;
    sources.uptake[k].at_most = uses_[takers_[k]].at_most;
    sources.uptake[k].share.resize(voxels);
  }
}

double SourceCounter::rate_of(const State& state, CellId cell, const SubstanceUse& use,
                              std::span<const double> rates) const {
  if (use.secretes_formula >= 0) return rates[cell];
  return use.secretes / double(state.cells.extent[cell].volume);
}

void SourceCounter::count_rows(const State& state, const Openness& open, std::span<const double> rates,
                               int64_t first, int64_t end, Sources& sources,
                               std::vector<double>& held_at) const {
  const int32_t width = voxels_.size.x, edge = coarsen_, deep = sites_.dimension == 3 ? edge : 1;
  const std::size_t types = uses_.size();
  std::vector<bool> single(types);
  for (std::size_t type = 0; type < types; ++type) single[type] = is_of_cells(uses_[type]);
  const double sites_of_voxel = double(edge) * edge * deep;
  Row row;
  for (int64_t number = first; number < end; ++number) {
    const auto y = int32_t(number % voxels_.size.y), z = int32_t(number / voxels_.size.y);
    row.counts.assign(std::size_t(width) * types, 0);
    row.of_cells.assign(of_cells_ ? std::size_t(width) : 0, 0.0);
    for (int32_t dz = 0; dz < deep; ++dz)
      for (int32_t dy = 0; dy < edge; ++dy) {
        const CellId* id = state.ids.data() + sites_.index({0, y * edge + dy, z * deep + dz});
        for (int32_t x = 0; x < width; ++x)
          for (int32_t dx = 0; dx < edge; ++dx, ++id) {
            const TypeId type = state.cells.type[*id];
            row.counts[std::size_t(x) * types + type] += 1;
            if (single[type])
              row.of_cells[std::size_t(x)] =
                  row.of_cells[std::size_t(x)] + rate_of(state, *id, uses_[type], rates);
          }
      }
    for (int32_t x = 0; x < width; ++x) {
      const auto voxel = std::size_t(voxels_.index({x, y, z}));
      const int32_t* const counts = row.counts.data() + std::size_t(x) * types;
      const double here = open.volume.empty() ? sites_of_voxel : open.volume[voxel] * sites_of_voxel;
      if (secretes_) {
        double sum = of_cells_ ? row.of_cells[std::size_t(x)] : 0.0;
        for (std::size_t type = 0; type < types; ++type)
          if (!single[type] && uses_[type].secretes != 0)
            sum = sum + uses_[type].secretes * double(counts[type]);
        sources.secretion[voxel] = here > 0 ? sum / here : 0.0;
      }
      for (std::size_t k = 0; k < takers_.size(); ++k)
        sources.uptake[k].share[voxel] = here > 0 ? double(counts[takers_[k]]) / here : 0.0;
      if (!holds_) continue;
      sources.held[voxel] = 0;
      for (std::size_t type = 0; type < types; ++type)
        if (uses_[type].holds && sources.held[voxel] == 0 && 2.0 * double(counts[type]) >= here && here > 0) {
          sources.held[voxel] = 1;
          held_at[voxel] = *uses_[type].holds;
        }
    }
  }
}

}  // namespace kiln::substances
