// Replicas of a model, played together and measured as `kiln run` does it. Each has the result that it would
// have alone.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/ensemble.hpp"
#include "measure/watch.hpp"

namespace kiln {

struct ReplicaResult {
  std::vector<MeasureRow> rows;   // of measures.csv
  std::vector<SpeedSums> speeds;  // per phase, where the model asks for them
  std::string hash;               // of the last state
};

class Replicas {
 public:
  // A first state and a seed per replica.
  Replicas(const Model& model, std::vector<State> states, const std::vector<uint64_t>& seeds,
           const EngineOptions& options);
  Replicas(const Replicas&) = delete;
  Replicas& operator=(const Replicas&) = delete;

  const Model& model() const { return model_; }
  // To the end of the model. Every now and then go_on(mcs) is told how far all are; where it says no, play()
  // gives up and returns false.
  bool play(const std::function<bool(int64_t)>& go_on);
  // Once played.
  const std::vector<ReplicaResult>& results() const { return results_; }

 private:
  void look(bool last);
  int64_t advance(int64_t most);

  const Model model_;
  std::unique_ptr<Ensemble> ensemble_;
  std::vector<Watch> watches_;
  std::vector<ReplicaResult> results_;
  int64_t mcs_, chunk_ = 1;
};

}  // namespace kiln
