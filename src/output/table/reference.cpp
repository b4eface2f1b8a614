#include <fmt/format.h>

#include "output/table/columns.hpp"

namespace kiln {
namespace {

constexpr const char* kIntroduction =
    R"(# The tables

<!-- Written from the tables in src/output/table/columns.cpp and tables.cpp; a test compares the two. -->

Every column of every file that a run or a sweep leaves. `kiln info --tables` prints this page. Tables are CSV with a
header; an empty field is a value that has no meaning there. In Python the same columns, with the same names and
units, are in the DataFrames that are named with each file.

- Units are in the names (`t_min`, `speed_um_per_min`), but for the tracks, where celltrackR and others expect `t`, `x`, `y`, `z`: seconds and
  micrometres. Sizes without a unit in their name are in lattice units: sites, and pairs of sites.
- Tables that hold times share the column `mcs`, by which they can be joined.
- Lengths and times follow from `units.voxel_um` and `units.seconds_per_mcs` of the [model](model-file.md).
)";

}  // namespace

std::string tables_reference() {
  std::string text = kIntroduction;
  for (const TableInfo& table : all_tables()) {
    text += fmt::format("\n## {}\n\n{}\n", table.file, table.about);
    if (!table.python.empty()) text += fmt::format("\nIn Python: {}.\n", table.python);
    for (const auto& [file, group] : table.included)
      text += group.empty()
                  ? fmt::format("\nAfter the columns below: those of {}.\n", file)
                  : fmt::format("\nBeside what is below: `{}NAME` for every column of {}.\n", group, file);
    text += "\n| column | unit | meaning |\n|---|---|---|\n";
    for (const ColumnInfo& column : table.columns)
      text += fmt::format("| `{}` | {} | {} |\n", column.name, column.unit, column.meaning);
  }
  return text;
}

}  // namespace kiln
