// The `tiles` schedule on a tissue whose bricks are played by processes, as the first of them sees it: it
// plays one brick itself. The bits are those of ThreadsEngine.
#pragma once

#include "engine/engine.hpp"
#include "engine/ranks/lead_survey.hpp"
#include "engine/ranks/part_transfer.hpp"
#include "engine/schedule/tiles_plan.hpp"

namespace kiln {

class LeadEngine : public Engine {
 public:
  // Hands out the bricks. `first` is the physics of the state's MCS.
  LeadEngine(const State& whole, const Physics& first, const tiles::Settings& settings, const Vec3i& bricks,
             const MakeRank& ranks, int threads, Crew& crew);

  // Everybody knows the phases of the model: no others are allowed.
  void set_physics(const Physics& physics) override { brick_->set_physics(physics); }
  void advance(int64_t mcs) override;
  // All of it comes to this process, into memory that stays.
  const State& state() override;
  const State& state_of_cells() override;
  std::string hash() override;
  LatticeSurvey* survey() override { return survey_.get(); }
  AttemptCounts counts() const override { return counts_; }
  std::string name() const override { return gpu().empty() ? "threads" : "cuda"; }
  std::string gpu() const override { return brick_->gpu(); }
  int threads() const override { return threads_; }
  int processes() const override { return crew_.ranks(); }
  int signal() const override { return signal_; }
  Traffic traffic() const override { return traffic_; }
  std::string schedule() const override { return "tiles"; }
  std::string settings() const override { return tiles::describe(settings_, whole_.lattice.dimension); }

 private:
  void bring(PartOf what, int64_t& of_mcs);

  tiles::Settings settings_;
  Crew& crew_;
  BrickGrid grid_;
  int reach_;
  State whole_;  // its tables are of cells_mcs_, its sites of sites_mcs_
  int64_t cells_mcs_ = -1, sites_mcs_ = -1;
  AttemptCounts counts_;
  Traffic traffic_;
  int threads_ = 0, signal_ = 0;
  std::unique_ptr<RankPlayer> brick_;
  std::unique_ptr<LeadSurvey> survey_;
};

// What the other processes do: whatever the first one orders, until they may leave. `signal` tells of one
// that came to this process, 0: none.
void follow(Crew& crew, const Model& model, const MakeRank& ranks, int threads,
            const std::function<int()>& signal);

}  // namespace kiln
