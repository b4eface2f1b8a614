// The tables of Motility. Plain CSV like the others; an empty field is a value that has no meaning there.
#pragma once

#include <filesystem>
#include <span>

#include "measure/speeds.hpp"
#include "model/model.hpp"

namespace kiln {

// speeds.csv: a histogram per phase. The last bin has no end.
void write_speeds(const std::filesystem::path& path, std::span<const SpeedSums> phases, const Model& model);

// motility.csv: a row per phase. `arrest_low` and `arrest_high` are the ends of the Wilson interval (95%) of
// the arrest coefficient, `arrest_by_cell` the mean over cells of each cell's own; `divergence_bits` is that
// from the reference.
void write_motility(const std::filesystem::path& path, std::span<const SpeedSums> phases, const Model& model);

}  // namespace kiln
