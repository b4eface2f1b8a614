// How the engines on a processor show a State to the terms (see terms/hamiltonian.hpp).
#pragma once

#include <algorithm>
#include <cstring>

#include "core/state.hpp"
#include "terms/hamiltonian.hpp"

namespace kiln {

// Four lanes of a patch in a vector register (GCC and Clang, any processor). Writing them one by one and
// reading them back as a vector would stall.
using IdRow [[gnu::vector_size(16)]] = CellId;
using ActRow [[gnu::vector_size(8)]] = ActValue;

// Read access to a State: sizes, strides and raw pointers, which do not change during an MCS.
template <int Dim>
class StateReader {
 public:
  explicit StateReader(State& state)
      : lattice_(state.lattice),
        ids_(state.ids.data()),
        act_(state.act.empty() ? nullptr : state.act.data()),
        types_(state.cells.type.data()),
        extents_(state.cells.extent.data()),
        centroids_(state.cells.centroid.data()),
        moments_(state.cells.moments.data()),
        targets_(state.cells.targets.data()),
        own_lambdas_(state.cells.own_lambdas.data()),
        directions_(state.cells.direction.data()) {
    for (int axis = 0; axis < 3; ++axis) inner_[axis] = uint32_t(std::max(lattice_.size[axis] - 2, 0));
    const Site row = lattice_.size.x, layer = row * lattice_.size.y;
    for (int k = 0; k < Patch<Dim>::kRows; ++k)
      row_offset_[k] = (Dim == 3 ? (k / 3 - 1) * layer : 0) + (k % 3 - 1) * row - 1;
    for (int k = 0; k < Moore<Dim>::kCount; ++k) {
      const Vec3i o = Moore<Dim>::offset(k);
      step_[k] = o * -1;
      neighbour_offset_[k] = o.z * layer + o.y * row + o.x;
    }
  }

  const Lattice& lattice() const { return lattice_; }
  const CellId* ids() const { return ids_; }
  ActValue act(Site site) const { return act_[site]; }
  TypeId type(CellId cell) const { return types_[cell]; }
  int32_t volume(CellId cell) const { return extents_[cell].volume; }
  int32_t perimeter(CellId cell) const { return extents_[cell].perimeter; }
  const Vec3i& anchor(CellId cell) const { return centroids_[cell].anchor; }
  const Vec3<int64_t>& sum(CellId cell) const { return centroids_[cell].sum; }
  const Moments& moments(CellId cell) const { return moments_[cell]; }
  const Cells::Targets& targets(CellId cell) const { return targets_[cell]; }
  const OwnLambdas& own_lambdas(CellId cell) const { return own_lambdas_[cell]; }
  const Vec3f& direction(CellId cell) const { return directions_[cell]; }
  // From a neighbour to the site.
  const Vec3i& step_from(int neighbour) const { return step_[neighbour]; }
  Site neighbour_offset(int direction) const { return neighbour_offset_[direction]; }

  // The neighbour of any place; the place itself where the neighbour lies beyond a closed wall.
  [[gnu::noinline]] Site neighbour_anywhere(const Vec3i& place, int direction) const {
    Vec3i there = place + Moore<Dim>::offset(direction);
    return lattice_.index(lattice_.wrap(there) ? there : place);
  }

  // Places 1 to this along an axis have both neighbours inside.
  uint32_t places_inside(int axis) const { return inner_[axis]; }
  bool is_inner(int axis, int32_t at) const { return uint32_t(at - 1) < inner_[axis]; }
  // True where all Moore neighbours lie inside the box, so that no wrapping is needed.
  bool is_interior(const Vec3i& p) const {
    return (uint32_t(p.x - 1) < inner_.x) & (uint32_t(p.y - 1) < inner_.y) &
           (Dim == 2 || uint32_t(p.z - 1) < inner_.z);
  }

  void prefetch_cell(CellId cell) const {
    __builtin_prefetch(extents_ + cell);
    __builtin_prefetch(centroids_ + cell);
  }
  void prefetch_rows(Site site) const {
    for (int k = 0; k < Patch<Dim>::kRows; ++k) __builtin_prefetch(ids_ + site + row_offset_[k]);
  }

  // Rows are read whole, four sites; the last lane and the centre are then filled with ones: kNowhere.
  void load_interior(Patch<Dim>& patch, Site site) const {
    for (int k = 0; k < Patch<Dim>::kRows; ++k) store_row(patch, k, row_around(site, k));
  }
  // As load_interior; also counts winner and loser neighbours while they are in registers.
  Tally load_and_tally(Patch<Dim>& patch, Site site, CellId winner, CellId loser) const {
    using Counts [[gnu::vector_size(16)]] = int32_t;
    Counts winners = {}, losers = {};  // a lane that is equal compares as -1
    for (int k = 0; k < Patch<Dim>::kRows; ++k) {
      const IdRow row = row_around(site, k);
      store_row(patch, k, row);
      winners -= row == winner;
      losers -= row == loser;
    }
    const auto sum = [](const Counts& c) { return c[0] + c[1] + c[2] + c[3]; };
    return {Moore<Dim>::kCount, sum(winners), sum(losers)};
  }
  void load_act_interior(uint32_t* values, Site site) const {
    for (int k = 0; k < Patch<Dim>::kRows; ++k) {
      ActRow row;
      std::memcpy(&row, act_ + site + row_offset_[k], sizeof row);
      const IdRow wide = __builtin_convertvector(row, IdRow);
      std::memcpy(values + 4 * k, &wide, sizeof wide);
    }
  }

  // The same anywhere, one neighbour after another. `values` may be null.
  [[gnu::noinline]] void load_anywhere(Patch<Dim>& patch, uint32_t* values, const Vec3i& place) const {
    for (CellId& id : patch.ids) id = kNowhere;
    if (values != nullptr)
      for (int lane = 0; lane < Patch<Dim>::kLanes; ++lane) values[lane] = 0;
    for (int k = 0; k < Moore<Dim>::kCount; ++k) {
      Vec3i p = place + Moore<Dim>::offset(k);
      if (!lattice_.wrap(p)) continue;
      const int lane = Patch<Dim>::lane_of(k);
      patch.ids[lane] = ids_[lattice_.index(p)];
      if (values != nullptr) values[lane] = act_[lattice_.index(p)];
    }
  }

  [[gnu::noinline]] void load_far(FarPatch& patch, const Neighbourhood& n, const Vec3i& place) const {
    patch.count = n.count;
    for (int k = 0; k < n.count; ++k) {
      Vec3i p = place + Vec3i{n.offset[k].x, n.offset[k].y, n.offset[k].z};
      patch.ids[k] = lattice_.wrap(p) ? ids_[lattice_.index(p)] : kNowhere;
    }
  }

 private:
  IdRow row_around(Site site, int k) const {
    constexpr IdRow kPadding = {0, 0, 0, kNowhere}, kMiddle = {0, kNowhere, 0, kNowhere};
    IdRow row;
    std::memcpy(&row, ids_ + site + row_offset_[k], sizeof row);
    return row | (k == Patch<Dim>::kRows / 2 ? kMiddle : kPadding);
  }
  static void store_row(Patch<Dim>& patch, int k, const IdRow& row) {
    std::memcpy(patch.ids + 4 * k, &row, sizeof row);
  }

  Lattice lattice_;
  const CellId* ids_;
  const ActValue* act_;
  const TypeId* types_;
  const Cells::Extent* extents_;
  const Cells::Centroid* centroids_;
  const Moments* moments_;
  const Cells::Targets* targets_;
  const OwnLambdas* own_lambdas_;
  const Vec3f* directions_;
  Vec3i step_[Moore<Dim>::kCount];
  Vec3<uint32_t> inner_;  // how many places along an axis have both neighbours inside
  Site row_offset_[Patch<Dim>::kRows];
  Site neighbour_offset_[Moore<Dim>::kCount];
};

// One attempt's view of the state.
template <int Dim>
class HostWorld {
 public:
  struct Place {
    Site site;
    Vec3i at;
    bool interior;  // may be false for an interior place: slower, same result
  };

  // Scratch memory for the neighbours. Apart from the world, so that a compiler can keep the rest of it in
  // registers.
  struct Scratch {
    Patch<Dim> patch;
    FarPatch far;
  };

  HostWorld(const StateReader<Dim>& reader, const Physics& physics, const Copy& copy, const Place& target,
            const Place& source, Scratch& scratch)
      : reader_(reader), physics_(physics), copy_(copy), target_(target), source_(source), scratch_(scratch) {
    if (target_.interior) {
      tally_ = reader_.load_and_tally(scratch_.patch, target_.site, copy.winner, copy.loser);
    } else {
      reader_.load_anywhere(scratch_.patch, nullptr, target_.at);
      tally_ = kiln::tally(scratch_.patch, copy.winner, copy.loser);
    }
  }

  TypeId type(CellId cell) const { return reader_.type(cell); }
  int32_t volume(CellId cell) const { return reader_.volume(cell); }
  int32_t perimeter(CellId cell) const { return reader_.perimeter(cell); }
  const Vec3i& anchor(CellId cell) const { return reader_.anchor(cell); }
  const Vec3<int64_t>& sum(CellId cell) const { return reader_.sum(cell); }
  const Moments& moments(CellId cell) const { return reader_.moments(cell); }
  const Cells::Targets& targets(CellId cell) const { return reader_.targets(cell); }
  const OwnLambdas& own_lambdas(CellId cell) const { return reader_.own_lambdas(cell); }
  const Vec3f& direction(CellId cell) const { return reader_.direction(cell); }

  const Vec3i& target_place() const { return target_.at; }
  const Patch<Dim>& around_target() const { return scratch_.patch; }
  const Tally& tally() const { return tally_; }
  const FarPatch& far_around_target(const Neighbourhood& n) {
    reader_.load_far(scratch_.far, n, target_.at);
    return scratch_.far;
  }

  float mean_act_at_target() const {
    if (copy_.loser == kMedium || own_act(target_) == 0) return 0.0f;
    return mean_act(target_, copy_.loser, scratch_.patch);
  }
  float mean_act_at_source() const {
    if (copy_.winner == kMedium || own_act(source_) == 0) return 0.0f;
    Patch<Dim> patch;
    if (source_.interior) reader_.load_interior(patch, source_.site);
    return mean_act(source_, copy_.winner, patch);
  }

 private:
  ActValue own_act(const Place& place) const { return reader_.act(place.site); }

  // `patch` must hold the place's neighbours already where it is interior.
  float mean_act(const Place& place, CellId cell, Patch<Dim> patch) const {
    alignas(16) uint32_t values[Patch<Dim>::kLanes];
    if (place.interior)
      reader_.load_act_interior(values, place.site);
    else
      reader_.load_anywhere(patch, values, place.at);
    return act::geometric_mean(patch, values, cell, own_act(place), physics_.act_logs);
  }

  const StateReader<Dim>& reader_;
  const Physics& physics_;
  const Copy& copy_;
  const Place &target_, &source_;
  Scratch& scratch_;
  Tally tally_;
};

}  // namespace kiln
