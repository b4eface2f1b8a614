// What a part of a tissue tells of its own sites, with cells by their numbers in the whole and sites by their
// place there.
#pragma once

#include "engine/lattice_survey.hpp"
#include "engine/ranks/tissue_part.hpp"

namespace kiln {

class PartSurvey {
 public:
  PartSurvey(const TissuePart& part, int threads) : part_(part), threads_(threads) {}

  // As in LatticeSurvey, of pairs whose first site is the part's own.
  std::vector<int64_t> contacts() const;
  // Cells that touch one with another key; keys by number.
  std::vector<CellId> touching(std::span<const uint8_t> keys) const;
  int64_t frozen_sites() const;
  // A bit for each own site, x fastest, 64 in a word: whether it belongs to a tracked cell.
  std::vector<uint64_t> tracked_sites() const;
  LatticeSurvey::ThinnedSites thinned_sites(int32_t step, bool with_act) const;
  std::vector<LatticeSurvey::SiteOfCell> sites_of_sample(int64_t stride) const;
  // Pairs of cells that touch, one of them of the sample (PairSet).
  std::vector<uint64_t> pairs_of_sample(int64_t stride) const;

 private:
  template <class Visit>
  void for_each_own_row(const Visit& visit) const;

  const TissuePart& part_;
  int threads_;
};

}  // namespace kiln
