// A model on its way through time: what `kiln run` and Python drive.
#pragma once

#include <memory>

#include "engine/engine.hpp"
#include "model/model.hpp"

namespace kiln {

class Simulation {
 public:
  // `before`: what was counted in an earlier part of the run.
  Simulation(std::shared_ptr<const Model> model, State state, const EngineOptions& options,
             const AttemptCounts& before = {});

  const Model& model() const { return *model_; }
  std::shared_ptr<const Model> shared_model() const { return model_; }
  Engine& engine() { return *engine_; }
  const Engine& engine() const { return *engine_; }
  // Keeps the memory behind its state, even if the simulation goes on with another.
  std::shared_ptr<Engine> shared_engine() const { return engine_; }
  int64_t mcs() const { return mcs_; }
  AttemptCounts counts() const;                // of the whole run
  double seconds() const { return seconds_; }  // of computing, since it was made

  // Goes through the phases of the model, and on with the last one after its end.
  void advance(int64_t mcs);
  // As many MCS as take about a tenth of a second, but at most `most`; gives back how many. So a caller can
  // show how far it is, and stop.
  int64_t advance_a_while(int64_t most);
  double last_while_seconds() const { return last_while_s_; }

  // Goes on under another model: it may differ in all but the lattice and the names of types.
  void change_model(std::shared_ptr<const Model> model);
  // Goes on with another state of the same model.
  void change_state(State state);

 private:
  void use_phase();

  std::shared_ptr<const Model> model_;
  EngineOptions options_;
  std::shared_ptr<Engine> engine_;
  AttemptCounts before_;
  int64_t mcs_;
  int phase_ = -1;
  int64_t chunk_ = 1;  // MCS
  double seconds_ = 0, last_while_s_ = 0;
};

}  // namespace kiln
