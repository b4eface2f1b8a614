// The tables of Motility. Columns are defined in columns.hpp.
#pragma once

#include <span>

#include "measure/motility/motility.hpp"
#include "model/model.hpp"
#include "output/table/columns.hpp"
#include "output/table/table.hpp"

namespace kiln {

// speeds.csv; `phases` are by phase, then by interval.
Rows speed_rows(std::span<const SpeedSums> phases, const Model& model);

// motility.csv; fields are those of motility_columns(), without the phase.
std::vector<TableValue> motility_fields(const SpeedSums& sums, const Model& model);
Rows motility_rows(std::span<const SpeedSums> phases, const Model& model);

// direction_correlation.csv.
Rows correlation_rows(int64_t mcs, std::span<const IntervalCorrelation> intervals, const Model& model);

}  // namespace kiln
