// The `tiles` schedule of a model: its settings, and how many rounds make an MCS.
#pragma once

#include <string>

#include "engine/schedule/tiles.hpp"
#include "model/model.hpp"

namespace kiln::tiles {

// The fastest settings that are faithful for every phase of the model.
Settings settings_for(const Model& model);
// UserError where tiles need numbers of more than 32 bits, as they have on a GPU.
void require_short_numbers(const Model& model);

// A sentence for summaries.
std::string describe(const Settings& settings, int dimension);

// Rounds played by the end of an MCS: one attempt per site and MCS on average, in exact integers.
class Clock {
 public:
  Clock(const Lattice& lattice, const Vec3i& tile);
  uint64_t rounds_after(int64_t mcs) const;

 private:
  uint64_t sites_ = 1, tiles_ = 1;  // rounds per MCS, as a fraction
};

}  // namespace kiln::tiles
