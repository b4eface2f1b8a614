// A survey of a tissue whose parts lie in several processes: each counts its own sites, and the first one
// adds up.
#pragma once

#include <functional>

#include "core/cell_slice.hpp"
#include "engine/ranks/crew.hpp"
#include "engine/ranks/part_survey.hpp"
#include "engine/ranks/rank_player.hpp"

namespace kiln {

class LeadSurvey : public LatticeSurvey {
 public:
  // `each_slice` goes through the rows of all cells; it gives an order of its own.
  LeadSurvey(Crew& crew, RankPlayer& rank, std::function<void(const TakeSlice&)> each_slice, int threads)
      : crew_(crew), rank_(rank), each_slice_(std::move(each_slice)), threads_(threads) {}

  std::vector<int64_t> contacts() override;
  std::vector<uint8_t> touching(std::span<const uint8_t> keys) override;
  std::optional<int64_t> frozen_sites() override;
  void tracked_sites(const TakeBits& take) override;
  ThinnedSites thinned_sites(int32_t step, bool with_act) override;
  std::vector<SiteOfCell> sites_of_sample(int64_t stride) override;
  std::vector<int32_t> neighbours_of_sample(int64_t stride) override;
  std::optional<int64_t> fragmented_cells() override;
  std::optional<int64_t> wide_cells() override;

 private:
  // Behind an order: all ranks fetch at once.
  PartSurvey own() const {
    rank_.fetch(PartOf::all);
    return {rank_.tissue(), threads_};
  }
  CellId cell_count() const { return rank_.tissue().cells_in_all; }
  int64_t sum_of_answers(int64_t own);
  template <class T, class Add>
  void add_answers(const std::vector<T>& own, const Add& add);

  Crew& crew_;
  RankPlayer& rank_;
  std::function<void(const TakeSlice&)> each_slice_;
  int threads_;
};

// By another rank: does what an order of the first one asks for.
void survey_part(Crew& crew, Order order, int64_t value, const TissuePart& part, int threads);

}  // namespace kiln
