// The part of the report on how cells move: speeds and arrest, phase by phase.
#pragma once

#include <string>
#include <vector>

#include "measure/motility/speeds.hpp"
#include "model/model.hpp"
#include "output/report/plot.hpp"

namespace kiln {

struct ReportMotility {
  std::vector<std::string> phases;  // their names, with the interval where there are several
  std::vector<SpeedSums> speeds;    // of these phases
  std::vector<double> divergence;   // in bits, from the reference; undefined without one
  std::string intervals;            // "120 s", or several
  double arrest_below_um_per_min = 0;
};
ReportMotility report_motility(const std::vector<SpeedSums>& speeds, const Model& model);

// How often each speed was seen, as steps; only phases with speeds. No series where there are none.
Plot speed_histogram(const ReportMotility& motility);

// HTML; "" where no speed was taken.
std::string motility_section(const ReportMotility& motility);

}  // namespace kiln
