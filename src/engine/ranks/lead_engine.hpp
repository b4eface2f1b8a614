// The `tiles` schedule on a tissue whose bricks are played by processes, as the first of them sees it: it
// plays one brick itself. The bits are those of ThreadsEngine.
#pragma once

#include <optional>

#include "engine/engine.hpp"
#include "engine/ranks/id_slices.hpp"
#include "engine/ranks/lead_survey.hpp"
#include "engine/ranks/part_transfer.hpp"
#include "engine/schedule/tiles_plan.hpp"
#include "engine/state_parts.hpp"

namespace kiln {

class LeadEngine : public Engine, private StateParts {
 public:
  // Hands out the bricks. `first` is the physics of the state's MCS. Without a store, others write nothing.
  LeadEngine(const State& whole, const Physics& first, const tiles::Settings& settings, const Vec3i& bricks,
             const MakeRank& ranks, int threads, Crew& crew, PartStore* store);

  // All read the state from a checkpoint, or build that of a model.
  LeadEngine(const Model& model, std::vector<std::string>* notes, const tiles::Settings& settings,
             const Vec3i& bricks, const MakeRank& ranks, int threads, Crew& crew, PartStore* store);
  LeadEngine(const std::string& checkpoint, const Physics& first, const tiles::Settings& settings,
             const Vec3i& bricks, const MakeRank& ranks, int threads, Crew& crew, PartStore& store);

  // Everybody knows the phases of the model: no others are allowed.
  void set_physics(const Physics& physics) override { brick_->set_physics(physics); }
  void advance(int64_t mcs) override;
  // All of it comes to this process, into memory that stays.
  const State& state() override;
  const State& state_of_cells() override;
  const State& outline() override;
  CellId cell_count() override { return brick_->tissue().cells_in_all; }
  void each_slice(const TakeSlice& take) override;
  std::string hash() override;
  LatticeSurvey* survey() override { return survey_.get(); }
  StateParts* parts() override { return store_ == nullptr ? nullptr : this; }
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
  const Lattice& lattice() const override { return grid_.lattice(); }
  int64_t mcs() const override { return brick_->tissue().state.mcs; }
  std::vector<PartPlace> places() const override;
  bool has_act() const override { return !brick_->tissue().state.act.empty(); }
  const Cells& like() const override { return brick_->tissue().state.cells; }
  const std::vector<Substance>& substances() const override { return brick_->tissue().state.substances; }
  Box bounds(const std::vector<uint8_t>& types) override;
  State sites_of(const Box& box) override;
  void show_box(const Box& box, const ShowBox& show) override;
  void write(PartFile kind, const std::string& folder) override;

  void bring(PartOf what, int64_t& of_mcs);
  std::function<void(const TakeSlice&)> slices() {
    return [this](const TakeSlice& take) { each_slice(take); };
  }
  void take_part(StateSource& stored, const Physics& first, const MakeRank& ranks, int threads);

  tiles::Settings settings_;
  Crew& crew_;
  PartStore* store_;
  BrickGrid grid_;
  int reach_;
  // What was brought together here: cells as they were at cells_mcs_, sites at sites_mcs_.
  State whole_;
  int64_t cells_mcs_ = -1, sites_mcs_ = -1;
  std::optional<SliceOfMoment> slice_;  // the own one
  AttemptCounts counts_;
  Traffic traffic_;
  int threads_ = 0, signal_ = 0;
  std::unique_ptr<RankPlayer> brick_;
  std::unique_ptr<LeadSurvey> survey_;
};

// What is wrong with a checkpoint's parts, each looked at by one of the processes; "": nothing.
std::string check_together(Crew& crew, PartStore& store, const std::string& checkpoint);

// What the other processes do: whatever the first one orders, until they may leave. `signal` tells of one
// that came to this process, 0: none.
void follow(Crew& crew, const Model& model, const MakeRank& ranks, int threads,
            const std::function<int()>& signal, PartStore* store = nullptr);

}  // namespace kiln
