// The part of the report on who came from whom: births and ends, ages at division, and the largest family as
// a tree.
#pragma once

#include <span>
#include <string>

#include "core/cells.hpp"
#include "output/report/plot.hpp"

namespace kiln {

struct ReportLineage {
  // By id, with the medium. Empty where cells do not live, or none came or went.
  std::span<const Cells::Life> lives;
  int64_t mcs = 0;  // now
  double seconds_per_mcs = 1;
};
// Looks at the table, which has to stay.
ReportLineage report_lineage(const Cells& cells, int64_t mcs, double seconds_per_mcs);

// How old cells were when they divided, as steps. No series where none did.
Plot division_ages(const ReportLineage& lineage);
// Of those that live.
Plot cells_by_generation(const ReportLineage& lineage);

// Descent over time, as SVG: of the cell of the first state with the most descendants, down to the generation
// that is the last with no more than so many branches.
struct FamilyTree {
  CellId founder = kMedium;
  int generations = 0;  // that are shown, behind the founder's
  bool is_whole = true;
  std::string svg;
};
FamilyTree largest_family(const ReportLineage& lineage, int most_branches = 96);

// HTML; "" where there is nothing to tell.
std::string lineage_section(const ReportLineage& lineage);

}  // namespace kiln
