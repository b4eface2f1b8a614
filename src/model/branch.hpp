// A run that begins with a state that another run has come to, under a model that may differ in all but the
// lattice and the types' names.
#pragma once

#include <string>
#include <vector>

#include "model/model.hpp"

namespace kiln {

// What has to be known of a type to read the state of a run.
struct TypeMemory {
  std::string name;
  int64_t persistence_lag = 0;  // MCS, the same in all phases; how State::history is laid out
  bool operator==(const TypeMemory&) const = default;
};
std::vector<TypeMemory> type_memories(const Model& model);
// In the order in which a state has them.
std::vector<std::string> property_names(const Model& model);

// Recounts a state whose cells have been counted before. Those without a track so far, because they
// were frozen or had no site, get an anchor.
void count_cells(const Model& model, State& state);

// The state as the model's run begins with it, at the same MCS; the very same one where nothing differs. What
// the model has and the other run had not starts as in a first state: Act, directions, properties. `file`,
// where the state comes from, is for messages: UserError where it does not fit the model. `properties` are
// those of the state.
State branched_state(const Model& model, State state, const std::vector<TypeMemory>& types,
                     const std::string& file, const std::vector<std::string>& properties = {});

}  // namespace kiln
