// What papers on motile cells report, phase by phase: speeds and arrest. Each measure is a small unit of its
// own; this hands the states of a run to them.
#pragma once

#include <vector>

#include "core/state.hpp"
#include "measure/named_arrays.hpp"
#include "measure/speeds.hpp"
#include "model/model.hpp"

namespace kiln {

struct MotilityData {
  SpeedData speeds;
};

class Motility {
 public:
  // With `data` it goes on where a run was interrupted.
  explicit Motility(const Model& model, MotilityData data = {});

  // To be called with every state at which a run stops. `phase` is the one that the next MCS belongs to, -1
  // where it is not measured.
  void watch(const State& state, int phase);
  // The first MCS after `mcs` that watch() has to see within this phase; -1 where there is none.
  int64_t next_due(int64_t mcs) const { return speeds_.next_end(mcs); }

  const Speeds& speeds() const { return speeds_; }
  MotilityData data() const { return {speeds_.data()}; }

 private:
  std::vector<bool> frozen_;
  Speeds speeds_;
};

void add_arrays(const MotilityData& data, NamedArrays& arrays);
MotilityData motility_from_arrays(const NamedArrays& arrays);

}  // namespace kiln
