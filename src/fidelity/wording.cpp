#include "fidelity/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kiln {

std::string with_uncertainty(double value, double half_width) {
  if (!(half_width > 1e-9 * std::abs(value)) || !std::isfinite(half_width))
    return fmt::format("{:.6g}", value);
  const int digits = std::clamp(1 - int(std::floor(std::log10(half_width))), 0, 9);
  return fmt::format("{:.{}f} ± {:.{}f}", value, digits, half_width, digits);
}

FidelityRow fidelity_row(const Comparison& comparison, const Judgement& judgement) {
  FidelityRow row;
  row.scenario = comparison.scenario + (comparison.point.empty() ? "" : ", " + comparison.point);
  row.quantity = comparison.quantity;
  row.verdict = verdict_word(judgement.verdict);
  if (judgement.reference.empty()) return row;
  const std::size_t worst = judgement.worst;
  if (worst < comparison.x.size()) row.quantity += fmt::format(" at {:g}", comparison.x[worst]);
  row.reference = with_uncertainty(judgement.reference[worst].mean, judgement.reference_half_width[worst]);
  row.tested = with_uncertainty(judgement.tested[worst].mean, judgement.tested_half_width[worst]);
  row.difference = fmt::format("{:+.2f} ± {:.2f}%", 100 * judgement.difference.value,
                               100 * judgement.difference.half_width);
  row.limit = fmt::format("{:g}%", 100 * comparison.tolerance.limit);
  if (comparison.curve) row.limit += fmt::format(", p {:.2g}", judgement.p);
  return row;
}

}  // namespace kiln
