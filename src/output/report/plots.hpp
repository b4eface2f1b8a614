// Which plots a report shows of the tables of a run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "output/report/plot.hpp"

namespace kiln {

// A column of a table; NaN where there is no value.
struct TableColumn {
  std::string name;
  std::vector<double> values;
};

// The columns of a CSV file. A field that is no number is NaN. UserError where the file cannot be read or a
// row has another number of fields than the header.
std::vector<TableColumn> csv_columns(const std::filesystem::path& path);

// Of measures.csv, over time (t_min in minutes, or mcs). Columns that belong together share a plot; what is
// zero or missing everywhere is left out; a column that is not known here gets a plot of its own.
std::vector<Plot> plots_of_measures(const std::vector<TableColumn>& measures);

// By how much the books of substances do not close: "" where the table has none that are kept.
std::string books_text(const std::vector<TableColumn>& measures);

// Where an MCS lies on the x axis of those plots; none before the first row and after the last.
std::optional<double> place_in_time(const std::vector<TableColumn>& measures, double mcs);

// Of lags.csv, over the lag (seconds).
std::vector<Plot> plots_of_lags(const std::vector<TableColumn>& lags);

}  // namespace kiln
