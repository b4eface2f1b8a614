// What a living stage knows of a tissue beyond its table of cells: which sites are its own, and who plays the
// rest. This one plays all of it; a brick (engine/ranks/brick_share.hpp) has others beside it, who know some
// of its cells as well. What all of them know of a cell is the same: sums are united before anything follows
// from them.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "engine/living/sites_of_state.hpp"
#include "engine/site_frame.hpp"
#include "engine/substances/voxel_share.hpp"

namespace kiln {

// Two cells that touch each other, as one of them sees it.
struct Touch {
  CellId cell;   // a row
  CellId other;  // a number: that of a cell which may not be known here
  TypeId type;   // of the other
  auto operator<=>(const Touch&) const = default;
};

class TissueShare {
 public:
  explicit TissueShare(const SiteFrame& frame) : frame_(frame) {}
  virtual ~TissueShare() = default;

  const SiteFrame& frame() const { return frame_; }
  virtual bool is_whole() const { return true; }
  // Cells have numbers in the tissue, and rows in the table.
  virtual CellId number_of(CellId row) const { return row; }
  virtual CellId row_of(CellId number) const { return number; }
  virtual uint64_t cells_in_all(const Cells& cells) const { return cells.count(); }
  // By row; nullptr: rows are numbers.
  virtual const CellId* numbers() const { return nullptr; }
  virtual std::unique_ptr<TissueSites> sites(State& state, const Neighbourhood& perimeter) {
    return std::make_unique<SitesOfState>(state, perimeter);
  }
  // Called by one member of the team before sites are looked at, where they are kept elsewhere.
  virtual bool brings_sites() const { return false; }
  virtual void bring_sites() {}

  // All who play the tissue call these at the same time, each by one member of its team. They throw where
  // another one has gone.
  virtual double largest(double here) { return here; }
  virtual bool any(bool here) { return here; }
  // Adds what others counted of their sites, `width` numbers per row.
  virtual void unite(std::vector<int32_t>&, std::size_t) {}
  virtual void unite(std::vector<int64_t>&, std::size_t) {}
  // Afterwards each touch is there once.
  virtual void unite(std::vector<Touch>&) {}
  // Adds others' sites of cells that they share.
  virtual void unite(std::vector<TouchedSite>&) {}
  // The sentence of the first rank that has one; "": none.
  virtual std::string first_of(const std::string& here) { return here; }
  virtual substances::VoxelShare& voxels() { return all_voxels_; }

 private:
  SiteFrame frame_;
  substances::VoxelShare all_voxels_;
};

// A share as a team uses it: one member speaks with the other ranks. After a failure nothing more is sent;
// the team plays its stage to the end, so that no member waits at a barrier, and the result is discarded.
class SharedTissue {
 public:
  explicit SharedTissue(std::unique_ptr<TissueShare> share) : share_(std::move(share)), voxels_(*this) {}

  TissueShare& share() { return *share_; }
  const TissueShare& share() const { return *share_; }
  substances::VoxelShare& voxels() { return voxels_; }
  template <class Work>
  void speak(const Work& work) {
    if (failure_) return;
    try {
      work(*share_);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  const std::exception_ptr& failure() const { return failure_; }

 private:
  // The share's, with the same handling of failures.
  class Voxels : public substances::VoxelShare {
   public:
    explicit Voxels(SharedTissue& tissue) : tissue_(tissue) {}
    bool is_whole() const override { return tissue_.share_->voxels().is_whole(); }
    substances::Rows rows(const Lattice& voxels) const override {
      return tissue_.share_->voxels().rows(voxels);
    }
    // Asked before anything is played: a failure goes to the caller.
    std::vector<bool> sites_of_types(const State& state, const std::vector<bool>& types) override {
      return tissue_.share_->voxels().sites_of_types(state, types);
    }
    void swap_edges(const Lattice& voxels, std::vector<double>& values) override {
      tissue_.speak([&](TissueShare& share) { share.voxels().swap_edges(voxels, values); });
    }
    void gather(const Lattice& voxels, double* values, std::size_t per_row) override {
      tissue_.speak([&](TissueShare& share) { share.voxels().gather(voxels, values, per_row); });
    }
    void unite(const Lattice& voxels, std::vector<substances::RowPiece>& pieces) override {
      tissue_.speak([&](TissueShare& share) { share.voxels().unite(voxels, pieces); });
    }

   private:
    SharedTissue& tissue_;
  };

  std::unique_ptr<TissueShare> share_;
  Voxels voxels_;
  std::exception_ptr failure_;
};

}  // namespace kiln
