#include "engine/living/surroundings.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "engine/host/survey/counts.hpp"
#include "engine/living/fixed_point.hpp"

namespace kiln {
namespace {

template <class T>
void add(T& to, T by) {
  std::atomic_ref<T>(to).fetch_add(by, std::memory_order_relaxed);
}

}  // namespace

NeighbourCounts::NeighbourCounts(const Model& model, std::vector<formula::Input> inputs)
    : inputs_(std::move(inputs)),
      living_(model.living),
      perimeter_(model.perimeter_neighbours),
      frozen_(model.frozen_types()) {
  std::erase_if(inputs_, [](const formula::Input& input) {
    return input.name != kAskContact && input.name != kAskNeighbours && input.name != kAskNeighboursMean;
  });
  for (const CellType& type : model.types) types_.push_back(type.name);
  for (const formula::Input& input : inputs_) {
    counts_cells_ = counts_cells_ || input.name == kAskNeighbours;
    if (input.name != kAskNeighboursMean) continue;
    const auto& all = living_->properties;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Property& p) { return p.name == input.of; });
    means_.push_back({std::size_t(found - all.begin()), 1, {}, {}, {}});
  }
}

void NeighbourCounts::count(const State& state, SharedTissue& tissue, Team& team, int member) {
  if (member == 0) prepare(state.cells, tissue);
  team.wait();
  count_rows(state, tissue.share().frame(), member, team.members());
  if (member == 0 && counts_cells_) count_cells_touched(state, tissue);
  team.wait();
  if (!tissue.share().is_whole()) {
    if (member == 0) unite(tissue);
    team.wait();
  }
  work_out(state.cells, member, team.members());
  team.wait();
}

void NeighbourCounts::prepare(const Cells& cells, SharedTissue& tissue) {
  const std::size_t count = cells.count(), properties = living_->properties.size();
  borders_.assign(count * types_.size(), 0);
  for (Mean& mean : means_) {
    const auto has_it = [&](CellId cell) {
      return living_->types[cells.type[cell]].starts[mean.property] != kNoFormula &&
             !cells.is_gone(cell, frozen_);
    };
    double largest = 0;
    for (CellId cell = 1; cell < count; ++cell)
      if (has_it(cell))
        largest = std::max(largest, std::abs(cells.property[cell * properties + mean.property]));
    tissue.speak([&](TissueShare& share) { largest = share.largest(largest); });
    mean.unit = fixed_point_unit(largest);
    mean.of_cell.assign(count, kUnknown);
    mean.sum.assign(count, 0);
    mean.pairs.assign(count, 0);
    for (CellId cell = 1; cell < count; ++cell)
      if (has_it(cell))
        mean.of_cell[cell] = std::llround(cells.property[cell * properties + mean.property] / mean.unit);
  }
  for (const formula::Input& input : inputs_) values_[input].assign(count, 0);
}

void NeighbourCounts::count_rows(const State& state, const SiteFrame& frame, int member, int members) {
  const Lattice& lattice = state.lattice;
  const int64_t rows = frame.rows();
  std::vector<uint16_t> unlike(std::size_t(lattice.size.x));
  std::vector<Site> offsets;
  for (int k = 0; k < perimeter_.count; ++k) {
    const Vec3i o{perimeter_.offset[k].x, perimeter_.offset[k].y, perimeter_.offset[k].z};
    offsets.push_back(lattice.index(o));
  }
  const auto is_inner = [&](int axis, int32_t at) {
    return at >= perimeter_.reach && at < lattice.size[axis] - perimeter_.reach;
  };
  for (int64_t row = rows * member / members; row < rows * (member + 1) / members; ++row) {
    Vec3i place = frame.row(row);
    count_unlike_in_row(state, perimeter_, place.y, place.z, unlike);
    const bool inner_row = is_inner(1, place.y) && (lattice.dimension == 2 || is_inner(2, place.z));
    for (; place.x < frame.own.high.x; ++place.x) {
      if (unlike[std::size_t(place.x)] == 0) continue;
      const Site site = lattice.index(place);
      const CellId cell = state.ids[std::size_t(site)];
      if (cell == kMedium) continue;
      if (inner_row && is_inner(0, place.x)) {
        for (const Site offset : offsets) count_pair(state, cell, state.ids[std::size_t(site + offset)]);
        continue;
      }
      for (int k = 0; k < perimeter_.count; ++k) {
        Vec3i there = place + Vec3i{perimeter_.offset[k].x, perimeter_.offset[k].y, perimeter_.offset[k].z};
        if (lattice.wrap(there)) count_pair(state, cell, state.ids[std::size_t(lattice.index(there))]);
      }
    }
  }
}

inline void NeighbourCounts::count_pair(const State& state, CellId cell, CellId other) {
  if (other == cell) return;
  add(borders_[cell * types_.size() + state.cells.type[other]], 1);
  for (Mean& mean : means_)
    if (mean.of_cell[other] != kUnknown) {
      add(mean.sum[cell], mean.of_cell[other]);
      add(mean.pairs[cell], 1);
    }
}

// Two ranks may see the same two cells touch.
void NeighbourCounts::count_cells_touched(const State& state, SharedTissue& tissue) {
  const std::size_t types = types_.size();
  const TissueShare& here = tissue.share();
  touched_.assign(state.cells.count() * types, 0);
  const std::vector<uint8_t> all(state.cells.count(), 1);
  const PairSet pairs = touching_pairs(state, here.frame().own, all, 1);
  std::vector<Touch> touches;
  pairs.for_each([&](uint64_t pair) {
    const CellId a = CellId(pair >> 32), b = CellId(pair);
    for (const auto& [cell, other] : {std::pair(a, b), std::pair(b, a)})
      touches.push_back({cell, here.number_of(other), state.cells.type[other]});
  });
  tissue.speak([&](TissueShare& share) { share.unite(touches); });
  for (const Touch& touch : touches) touched_[touch.cell * types + touch.type] += 1;
}

void NeighbourCounts::unite(SharedTissue& tissue) {
  tissue.speak([&](TissueShare& share) {
    share.unite(borders_, types_.size());
    for (Mean& mean : means_) {
      share.unite(mean.sum, 1);
      share.unite(mean.pairs, 1);
    }
  });
}

void NeighbourCounts::work_out(const Cells& cells, int member, int members) {
  const uint64_t count = cells.count();
  const std::size_t types = types_.size();
  std::size_t next_mean = 0;
  for (const formula::Input& input : inputs_) {
    std::vector<double>& values = values_[input];
    const auto type = std::size_t(std::find(types_.begin(), types_.end(), input.of) - types_.begin());
    const Mean* const mean = input.name == kAskNeighboursMean ? &means_[next_mean++] : nullptr;
    for (uint64_t cell = count * uint64_t(member) / uint64_t(members);
         cell < count * uint64_t(member + 1) / uint64_t(members); ++cell) {
      if (mean != nullptr) {
        if (mean->pairs[cell] > 0)
          values[cell] = double(mean->sum[cell]) * mean->unit / double(mean->pairs[cell]);
      } else if (input.name == kAskNeighbours) {
        values[cell] = touched_[cell * types + type];
      } else {
        int64_t border = 0;
        for (std::size_t other = 0; other < types; ++other) border += borders_[cell * types + other];
        if (border > 0) values[cell] = double(borders_[cell * types + type]) / double(border);
      }
    }
  }
}

void NeighbourCounts::inherit(const Cells& cells, const std::vector<CellId>& born, const TissueShare& share) {
  for (auto& [input, values] : values_) {
    values.resize(cells.count());
    for (const CellId cell : born) values[cell] = values[share.row_of(CellId(cells.life[cell].parent))];
  }
}

}  // namespace kiln
