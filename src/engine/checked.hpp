// An engine whose books are audited after every MCS: for finding mistakes in engines, not for work.
#pragma once

#include "engine/engine.hpp"

namespace kiln {

class CheckedEngine : public Engine {
 public:
  CheckedEngine(std::unique_ptr<Engine> engine, const Neighbourhood& perimeter,
                std::vector<bool> frozen_types);

  void set_physics(const Physics& physics) override { engine_->set_physics(physics); }
  // Throws Failure, with the MCS and the first cell whose tracked sizes or sums do not equal a recount.
  void advance(int64_t mcs) override;
  const State& state() override { return engine_->state(); }
  const State& state_of_cells() override { return engine_->state_of_cells(); }
  const State& state_of_sizes() override { return engine_->state_of_sizes(); }
  const State& outline() override { return engine_->outline(); }
  CellId cell_count() override { return engine_->cell_count(); }
  void each_slice(const TakeSlice& take) override { engine_->each_slice(take); }
  std::function<void()> begin_copy(State& to) override { return engine_->begin_copy(to); }
  std::string hash() override { return engine_->hash(); }
  LatticeSurvey* survey() override { return engine_->survey(); }
  std::optional<DeviceIds> device_ids() override { return engine_->device_ids(); }
  AttemptCounts counts() const override { return engine_->counts(); }
  std::string name() const override { return engine_->name(); }
  std::string schedule() const override { return engine_->schedule(); }
  std::string settings() const override { return engine_->settings(); }
  std::string gpu() const override { return engine_->gpu(); }
  int threads() const override { return engine_->threads(); }

 private:
  std::unique_ptr<Engine> engine_;
  Neighbourhood perimeter_;
  std::vector<bool> frozen_types_;
};

}  // namespace kiln
