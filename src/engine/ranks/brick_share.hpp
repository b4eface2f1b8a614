// A brick's share of a tissue, as its living stage sees it (engine/living/tissue_share.hpp): all who share a
// cell work out the same of it, from sums over the sites of all.
#pragma once

#include <functional>

#include "engine/engine.hpp"
#include "engine/living/tissue_share.hpp"
#include "engine/ranks/brick_voxels.hpp"
#include "engine/ranks/sharing.hpp"

namespace kiln {

class BrickShare : public TissueShare {
 public:
  // What the last events changed here: rows, and sites as stored, with the rows that have them now.
  struct Changes {
    std::vector<CellId> born, of_new_type;
    std::vector<TouchedSite> sites;
  };

  // `bring_sites` puts the sites into the part, where they are kept elsewhere.
  BrickShare(TissuePart& part, Sharing& sharing, Exchange& exchange, Traffic& traffic,
             std::function<void()> bring_sites = {});

  const Changes& changes() const { return changes_; }

  bool is_whole() const override { return false; }
  CellId number_of(CellId row) const override { return part_.number[row]; }
  CellId row_of(CellId number) const override { return part_.own_id.find(number); }
  uint64_t cells_in_all(const Cells&) const override { return part_.cells_in_all; }
  const CellId* numbers() const override { return part_.number.data(); }
  std::unique_ptr<TissueSites> sites(State& state, const Neighbourhood& perimeter) override;
  bool brings_sites() const override { return bool(bring_sites_); }
  void bring_sites() override {
    if (bring_sites_) bring_sites_();
  }

  double largest(double here) override;
  bool any(bool here) override { return exchange_.any(here); }
  void unite(std::vector<int32_t>& values, std::size_t width) override { unite_rows(values, width); }
  void unite(std::vector<int64_t>& values, std::size_t width) override { unite_rows(values, width); }
  void unite(std::vector<Touch>& touches) override;
  void unite(std::vector<TouchedSite>& sites) override;
  std::string first_of(const std::string& here) override;
  substances::VoxelShare& voxels() override { return voxels_; }

 private:
  class Sites;
  template <class T>
  void unite_rows(std::vector<T>& values, std::size_t width);
  // For all who share a cell.
  template <class Record>
  void tell(CellId own, const Record& record) {
    for (const int partner : sharing_.sharers_of(own)) append(out_[std::size_t(partner)], record);
  }
  void start_telling();
  // Then take(reading) gets what came.
  template <class Take>
  void hear(const Take& take);

  TissuePart& part_;
  Sharing& sharing_;
  Exchange& exchange_;
  Traffic& traffic_;
  BrickVoxels voxels_;
  std::function<void()> bring_sites_;
  Changes changes_;
  std::vector<Message> out_, in_;  // by partner
};

}  // namespace kiln
