// How often and how evenly a schedule tries the sites, against the serial chain.
#pragma once

#include <string>
#include <vector>

#include "fidelity/ensembles.hpp"

namespace kiln {

// The distance of two distributions.
struct UpdateFinding {
  std::string what;            // "attempts per site and MCS, 2-D"
  double total_variation = 0;  // between the tested schedule and the serial one
  double kl_bits = 0;
  double limit = 0;  // of the total variation
  bool passes() const { return total_variation <= limit; }
};

std::vector<UpdateFinding> compare_updates(const TestedSchedule& tested);

std::string updates_table(const std::vector<UpdateFinding>& findings);

}  // namespace kiln
