#include "output/report/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <set>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace kiln {
namespace {

const TableColumn* find(const std::vector<TableColumn>& columns, const std::string& name) {
  const auto it =
      std::find_if(columns.begin(), columns.end(), [&](const TableColumn& c) { return c.name == name; });
  return it == columns.end() ? nullptr : &*it;
}

bool shows_something(const TableColumn& column) {
  return std::any_of(column.values.begin(), column.values.end(),
                     [](double v) { return std::isfinite(v) && v != 0; });
}

struct Member {
  const char* column;
  const char* name;
};

struct KnownPlot {
  const char* title;
  const char* y_label;
  std::vector<Member> members;
  const char* spread = nullptr;  // the column of a band around the first member
  bool log = false;              // both axes
  bool from_zero = false;
};

const std::vector<KnownPlot>& known_plots() {
  static const std::vector<KnownPlot> plots = {
      {"Cell volume", "sites, mean ± sd", {{"volume_mean", "volume"}}, "volume_sd"},
      {"Cell perimeter",
       "(site, neighbour) pairs, mean ± sd",
       {{"perimeter_mean", "perimeter"}},
       "perimeter_sd"},
      {"Interfaces",
       "contacts: pairs of sites",
       {{"homotypic", "same type"},
        {"heterotypic", "different types"},
        {"with_medium", "medium"},
        {"with_frozen", "frozen"}},
       nullptr,
       false,
       true},
      {"Energy",
       "sum over the tissue",
       {{"energy", "all"},
        {"energy_adhesion", "adhesion"},
        {"energy_volume", "volume"},
        {"energy_perimeter", "perimeter"},
        {"energy_length", "length"}}},
      {"Mean squared displacement", "µm², from the first sample", {{"msd_um2", "MSD"}}, nullptr, true},
      {"Displacement",
       "µm, mean, from the first sample",
       {{"displacement_um", "displacement"}},
       nullptr,
       false,
       true},
      {"Speed", "µm/min, mean", {{"speed_um_per_min", "speed"}}, nullptr, false, true},
      {"Directions",
       "1: all the same way, 0: no direction",
       {{"order_index", "order index"},
        {"direction_autocorrelation", "autocorrelation"},
        {"straightness", "straightness"}},
       nullptr,
       false,
       true},
      {"Explored volume",
       "µm³ for each cell there is",
       {{"explored_um3_per_cell", "all cells together"}, {"visited_um3_mean", "each by itself"}},
       nullptr,
       false,
       true},
      {"Explored area",
       "µm² for each cell there is",
       {{"explored_um2_per_cell", "all cells together"}, {"visited_um2_mean", "each by itself"}},
       nullptr,
       false,
       true},
      {"Mixing",
       "share of one half's cells that touch the other half",
       {{"mixed_fraction", "mixed"}},
       nullptr,
       false,
       true},
      {"Open space", "sites of the medium", {{"medium_sites", "medium"}}, nullptr, false, true},
      {"Copy attempts",
       "share of all attempts",
       {{"acceptance", "accepted"}, {"live_fraction", "between different cells"}},
       nullptr,
       false,
       true},
  };
  return plots;
}

// The time axis of a run, in a unit that suits its length.
struct TimeAxis {
  std::vector<double> values;
  std::string label = "row";

  explicit TimeAxis(const std::vector<TableColumn>& measures) {
    const TableColumn* minutes = find(measures, "t_min");
    const TableColumn* mcs = find(measures, "mcs");
    if (minutes != nullptr) {
      values = minutes->values;
      const double last = values.empty() ? 0 : values.back();
      const double unit = last > 3 * 24 * 60 ? 24 * 60 : last > 5 * 60 ? 60 : last > 3 ? 1 : 1.0 / 60;
      label = unit > 60 ? "time (days)" : unit > 1 ? "time (h)" : unit == 1 ? "time (min)" : "time (s)";
      for (double& value : values) value /= unit;
    } else if (mcs != nullptr) {
      values = mcs->values;
      label = "time (MCS)";
    } else if (!measures.empty()) {
      for (std::size_t i = 0; i < measures[0].values.size(); ++i) values.push_back(double(i));
    }
  }
};

std::optional<Plot> known_plot(const KnownPlot& known, const std::vector<TableColumn>& measures,
                               const TimeAxis& time) {
  Plot plot;
  plot.title = known.title;
  plot.x_label = time.label;
  plot.y_label = known.y_label;
  plot.log_x = plot.log_y = known.log;
  plot.from_zero = known.from_zero;
  for (const Member& member : known.members) {
    const TableColumn* column = find(measures, member.column);
    if (column == nullptr || !shows_something(*column)) continue;
    const TableColumn* spread = known.spread != nullptr ? find(measures, known.spread) : nullptr;
    plot.series.push_back({member.name, time.values, column->values,
                           spread != nullptr ? spread->values : std::vector<double>()});
  }
  if (plot.series.empty()) return std::nullopt;
  return plot;
}

bool changes(const TableColumn& column) {
  return std::adjacent_find(column.values.begin(), column.values.end(), [](double a, double b) {
           return a != b && (std::isfinite(a) || std::isfinite(b));
         }) != column.values.end();
}

constexpr std::string_view kCellsOfType = "cells_";

// Shown where something happened: cells come and go, become others, vanish or fall apart.
std::optional<Plot> plot_of_counts(const std::vector<TableColumn>& measures, const TimeAxis& time) {
  Plot plot{"Cells", time.label, "number of cells", {}};
  plot.from_zero = true;
  const auto add = [&](const TableColumn& column, const std::string& name) {
    plot.series.push_back({name, time.values, column.values, {}});
  };
  bool happened = false;
  for (const char* name : {"cells", "extinct", "fragmented"}) {
    const TableColumn* column = find(measures, name);
    if (column == nullptr || !shows_something(*column)) continue;
    add(*column, name);
    happened = happened || changes(*column) || column->name != "cells";
  }
  for (const TableColumn& column : measures)
    if (column.name.starts_with(kCellsOfType) && changes(column)) {
      add(column, column.name.substr(kCellsOfType.size()));
      happened = true;
    }
  if (!happened) return std::nullopt;
  return plot;
}

// What there is of a substance, and what came and went since the start.
struct Account {
  std::string_view suffix;
  const char* name;
};
constexpr Account kAccounts[] = {{"_total", "there is"},
                                 {"_secreted", "secreted"},
                                 {"_taken_up", "taken up"},
                                 {"_decayed", "decayed"},
                                 {"_crossed_walls", "came through walls"},
                                 {"_held", "added to hold concentrations"}};
constexpr std::string_view kUnbalanced = "_unbalanced";

// Those whose columns are there.
std::vector<std::string> substances_in(const std::vector<TableColumn>& measures) {
  std::vector<std::string> names;
  for (const TableColumn& column : measures)
    if (column.name.ends_with(kUnbalanced))
      names.push_back(column.name.substr(0, column.name.size() - kUnbalanced.size()));
  return names;
}

// The largest size of a value; NaN where there is none.
double largest_in(const TableColumn* column) {
  double largest = std::numeric_limits<double>::quiet_NaN();
  for (const double value : column == nullptr ? std::vector<double>() : column->values)
    if (std::isfinite(value)) largest = std::fmax(largest, std::abs(value));
  return largest;
}

std::optional<Plot> plot_of_substance(const std::string& substance, const std::vector<TableColumn>& measures,
                                      const TimeAxis& time) {
  Plot plot{"Substance " + substance, time.label, "concentration × sites", {}};
  plot.from_zero = true;
  for (const Account& account : kAccounts) {
    const TableColumn* column = find(measures, substance + std::string(account.suffix));
    if (column != nullptr && shows_something(*column))
      plot.series.push_back({account.name, time.values, column->values, {}});
  }
  if (plot.series.empty()) return std::nullopt;
  return plot;
}

// A series per column whose name begins so; what follows names it.
struct Family {
  std::string_view prefix;
  const char* title;
  const char* y_label;
  bool from_zero = true;
};
constexpr Family kFamilies[] = {
    {"volume_mean_", "Cell volume by type", "sites, mean", false},
    {"speed_um_per_min_", "Speed by type", "µm/min, mean"},
    {"contact_", "Contact fractions", "share of a type's interface: type, what it faces"},
};
// Those of families that have no plot.
constexpr std::string_view kUnshown[] = {kCellsOfType, "volume_sd_"};

bool is_of_family(const std::string& name) {
  const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
  return std::any_of(std::begin(kUnshown), std::end(kUnshown), begins) ||
         std::any_of(std::begin(kFamilies), std::end(kFamilies),
                     [&](const Family& family) { return begins(family.prefix); });
}

std::optional<Plot> plot_of(const Family& family, const std::vector<TableColumn>& measures,
                            const TimeAxis& time) {
  Plot plot{family.title, time.label, family.y_label, {}};
  plot.from_zero = family.from_zero;
  for (const TableColumn& column : measures) {
    if (!column.name.starts_with(family.prefix) || !shows_something(column)) continue;
    std::string name = column.name.substr(family.prefix.size());
    std::replace(name.begin(), name.end(), '_', ' ');
    plot.series.push_back({name, time.values, column.values, {}});
  }
  if (plot.series.empty()) return std::nullopt;
  return plot;
}

std::vector<Plot> plots_of_unknown(const std::vector<TableColumn>& measures, const TimeAxis& time) {
  std::set<std::string> known = {"mcs",        "t_min",          "phase",        "cells",       "extinct",
                                 "fragmented", "explored_sites", "explored_um2", "explored_um3"};
  for (const KnownPlot& plot : known_plots()) {
    if (plot.spread != nullptr) known.insert(plot.spread);
    for (const Member& member : plot.members) known.insert(member.column);
  }
  for (const std::string& substance : substances_in(measures)) {
    known.insert(substance + std::string(kUnbalanced));
    for (const Account& account : kAccounts) known.insert(substance + std::string(account.suffix));
  }
  std::vector<Plot> plots;
  for (const TableColumn& column : measures)
    if (known.count(column.name) == 0 && !is_of_family(column.name) && shows_something(column))
      plots.push_back({column.name, time.label, "", {{column.name, time.values, column.values, {}}}});
  return plots;
}

}  // namespace

std::vector<TableColumn> csv_columns(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  CsvReader record(in);
  if (!record.next()) throw UserError(fmt::format("cannot read the table {}.", path.string()));
  std::vector<TableColumn> columns;
  for (const std::string& name : record.fields()) columns.push_back({name, {}});
  while (record.next()) {
    if (record.fields().size() != columns.size())
      throw UserError(fmt::format("line {} of {} has {} fields where the header has {}.", record.line(),
                                  path.string(), record.fields().size(), columns.size()));
    for (std::size_t i = 0; i < columns.size(); ++i)
      columns[i].values.push_back(
          number_in(record.fields()[i]).value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return columns;
}

std::vector<Plot> plots_of_measures(const std::vector<TableColumn>& measures) {
  const TimeAxis time(measures);
  std::vector<Plot> plots;
  const auto add = [&](std::optional<Plot> plot) {
    if (plot) plots.push_back(std::move(*plot));
  };
  for (const KnownPlot& known : known_plots()) add(known_plot(known, measures, time));
  for (const Family& family : kFamilies) add(plot_of(family, measures, time));
  add(plot_of_counts(measures, time));
  for (const std::string& substance : substances_in(measures))
    add(plot_of_substance(substance, measures, time));
  for (Plot& plot : plots_of_unknown(measures, time)) plots.push_back(std::move(plot));
  return plots;
}

std::string books_text(const std::vector<TableColumn>& measures) {
  std::string gaps;
  for (const std::string& substance : substances_in(measures)) {
    const double gap = largest_in(find(measures, substance + std::string(kUnbalanced)));
    if (std::isnan(gap)) continue;
    double turned_over = 0;
    for (const Account& account : kAccounts)
      if (const double most = largest_in(find(measures, substance + std::string(account.suffix)));
          std::isfinite(most))
        turned_over += most;
    gaps +=
        fmt::format("{}{} {:.2g}", gaps.empty() ? "" : ", ", substance, gap > 0 ? gap / turned_over : 0.0);
  }
  if (gaps.empty()) return "";
  return fmt::format("The largest gap in the books of substances, relative to what was turned over: {}.",
                     gaps);
}

std::optional<double> place_in_time(const std::vector<TableColumn>& measures, double mcs) {
  const TableColumn* rows = find(measures, "mcs");
  if (rows == nullptr || rows->values.empty() || mcs < rows->values.front()) return std::nullopt;
  const auto next = std::lower_bound(rows->values.begin(), rows->values.end(), mcs);
  if (next == rows->values.end()) return std::nullopt;
  const std::vector<double> times = TimeAxis(measures).values;
  const std::size_t i = std::size_t(next - rows->values.begin());
  if (*next == mcs) return times[i];
  return std::lerp(times[i - 1], times[i], (mcs - *(next - 1)) / (*next - *(next - 1)));
}

std::vector<Plot> plots_of_lags(const std::vector<TableColumn>& lags) {
  const TableColumn* lag = find(lags, "lag_s");
  const TableColumn* msd = find(lags, "msd_um2");
  const TableColumn* turning = find(lags, "direction_autocorrelation");
  std::vector<Plot> plots;
  if (lag == nullptr || lag->values.empty()) return plots;
  std::vector<double> minutes = lag->values;
  for (double& value : minutes) value /= 60;
  if (msd != nullptr && shows_something(*msd)) {
    plots.push_back({"Mean squared displacement by lag",
                     "lag (min)",
                     "µm², over cells and starting times",
                     {{"MSD", minutes, msd->values, {}}}});
    plots.back().log_x = plots.back().log_y = true;
  }
  if (turning != nullptr && shows_something(*turning)) {
    plots.push_back({"Direction autocorrelation by lag",
                     "lag (min)",
                     "cosine of the turn, mean",
                     {{"autocorrelation", minutes, turning->values, {}}}});
    plots.back().from_zero = true;
  }
  return plots;
}

}  // namespace kiln
