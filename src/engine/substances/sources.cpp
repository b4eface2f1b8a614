#include "engine/substances/sources.hpp"

#include <algorithm>

namespace kiln::substances {
namespace {

bool is_of_cells(const SubstanceUse& use) {
  return use.secretes_formula >= 0 || (use.secretes != 0 && use.per == SubstanceUse::Per::cell);
}

}  // namespace

SourceCounter::SourceCounter(const Model& model, const SubstanceData& substance)
    : sites_(model.lattice), voxels_(substance.voxels), coarsen_(substance.coarsen), uses_(substance.uses) {
  for (std::size_t type = 0; type < uses_.size(); ++type) {
    needed_ = needed_ || uses_[type].does_anything();
    secretes_ = secretes_ || uses_[type].secretes_anything();
    single_.push_back(is_of_cells(uses_[type]));
    of_cells_ = of_cells_ || single_.back() != 0;
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

std::vector<int64_t> SourceCounter::rows_of(const SiteFrame& frame) const {
  const Box own = frame.own.shifted(frame.origin);
  std::vector<int64_t> rows;
  for (int32_t z = own.low.z / deep(); z * deep() < own.high.z; ++z)
    for (int32_t y = own.low.y / coarsen_; y * coarsen_ < own.high.y; ++y)
      rows.push_back(int64_t(z) * voxels_.size.y + y);
  return rows;
}

void SourceCounter::count(const State& state, const SiteFrame& frame, std::span<const double> rates,
                          int64_t row, RowPiece& piece) const {
  const int32_t edge = coarsen_;
  const std::size_t types = uses_.size();
  const Box own = frame.own.shifted(frame.origin);
  const Vec3i low{0, int32_t(row % voxels_.size.y) * edge, int32_t(row / voxels_.size.y) * deep()};
  const Box sites = Box{low, low + Vec3i{sites_.size.x, edge, deep()}}.within(own);
  piece.row = row;
  piece.first = sites.low.x / edge;
  piece.voxels = (sites.high.x + edge - 1) / edge - piece.first;
  piece.counts.assign(std::size_t(piece.voxels) * types, 0);
  piece.of_cells.assign(of_cells_ ? std::size_t(piece.voxels) : 0, 0.0);
  piece.single.clear();
  const bool whole_rows = sites.size().y == edge && sites.size().z == deep();
  for (int32_t z = sites.low.z; z < sites.high.z; ++z)
    for (int32_t y = sites.low.y; y < sites.high.y; ++y) {
      const CellId* id = state.ids.data() + state.lattice.index(Vec3i{sites.low.x, y, z} - frame.origin);
      for (int32_t v = 0; v < piece.voxels; ++v) {
        const int32_t voxel = piece.first + v, begin = std::max(sites.low.x, voxel * edge),
                      end = std::min(sites.high.x, (voxel + 1) * edge);
        const bool whole = whole_rows && end - begin == edge;
        for (int32_t x = begin; x < end; ++x, ++id) {
          const TypeId type = state.cells.type[*id];
          piece.counts[std::size_t(v) * types + type] += 1;
          if (!single_[type]) continue;
          const double rate = rate_of(state, *id, uses_[type], rates);
          if (whole)
            piece.of_cells[std::size_t(v)] = piece.of_cells[std::size_t(v)] + rate;
          else
            piece.single.push_back(
                {voxel, ((z - low.z) * edge + (y - low.y)) * edge + x - voxel * edge, rate});
        }
      }
    }
}

RowPiece SourceCounter::put_together(std::span<const RowPiece* const> pieces) const {
  const std::size_t types = uses_.size();
  RowPiece row;
  row.row = pieces.front()->row;
  row.voxels = voxels_.size.x;
  row.counts.assign(std::size_t(row.voxels) * types, 0);
  row.of_cells.assign(of_cells_ ? std::size_t(row.voxels) : 0, 0.0);
  std::vector<SiteRate> single;
  for (const RowPiece* const piece : pieces) {
    for (std::size_t i = 0; i < piece->counts.size(); ++i)
      row.counts[std::size_t(piece->first) * types + i] += piece->counts[i];
    for (std::size_t v = 0; v < piece->of_cells.size(); ++v)
      row.of_cells[std::size_t(piece->first) + v] += piece->of_cells[v];
    single.insert(single.end(), piece->single.begin(), piece->single.end());
  }
  std::sort(single.begin(), single.end(), [](const SiteRate& a, const SiteRate& b) {
    return a.voxel != b.voxel ? a.voxel < b.voxel : a.offset < b.offset;
  });
  for (const SiteRate& site : single)
    row.of_cells[std::size_t(site.voxel)] = row.of_cells[std::size_t(site.voxel)] + site.rate;
  return row;
}

void SourceCounter::work_out(const RowPiece& row, const Openness& open, Sources& sources,
                             std::vector<double>& held_at) const {
  const std::size_t types = uses_.size();
  const double sites_of_voxel = double(coarsen_) * coarsen_ * deep();
  for (int32_t x = 0; x < voxels_.size.x; ++x) {
    const std::size_t voxel = std::size_t(row.row) * std::size_t(voxels_.size.x) + std::size_t(x);
    const int32_t* const counts = row.counts.data() + std::size_t(x) * types;
    const double here = open.volume.empty() ? sites_of_voxel : open.volume[voxel] * sites_of_voxel;
    if (secretes_) {
      double sum = of_cells_ ? row.of_cells[std::size_t(x)] : 0.0;
      for (std::size_t type = 0; type < types; ++type)
        if (!single_[type] && uses_[type].secretes != 0)
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

}  // namespace kiln::substances
