// The tables of Motility. Plain CSV like the others; an empty field is a value that has no meaning there.
#pragma once

#include <span>

#include "measure/motility/direction_correlation.hpp"
#include "measure/motility/speeds.hpp"
#include "model/model.hpp"
#include "output/table/table.hpp"

namespace kiln {

// speeds.csv: a histogram per phase. The last bin has no end.
Rows speed_rows(std::span<const SpeedSums> phases, const Model& model);

// motility.csv: a row per phase. `arrest_low` and `arrest_high` are the ends of the Wilson interval (95%) of
// the arrest coefficient, `arrest_by_cell` the mean over cells of each cell's own; `divergence_bits` is that
// from the reference.
std::vector<std::string> motility_columns();  // all but the phase
std::vector<Field> motility_fields(const SpeedSums& sums, const Model& model);
Rows motility_rows(std::span<const SpeedSums> phases, const Model& model);

// direction_correlation.csv: a row per bin of distances and time, in micrometres.
std::vector<std::string> correlation_columns();
Rows correlation_rows(int64_t mcs, std::span<const CorrelationBin> bins, const Model& model);

}  // namespace kiln
