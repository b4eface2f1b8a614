// A row of the findings of `kiln fidelity`, in words; shared by the screen and the page.
#pragma once

#include <string>
#include <vector>

#include "fidelity/verdict.hpp"

namespace kiln {

struct FidelityRow {
  std::string scenario, quantity, reference, tested, difference, limit, verdict;
};
// A curve's row shows the point with the largest difference.
FidelityRow fidelity_row(const Comparison& comparison, const Judgement& judgement);

// "18.53 ± 0.12": as many digits as the uncertainty leaves meaning to.
std::string with_uncertainty(double value, double half_width);

}  // namespace kiln
