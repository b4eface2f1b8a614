#include "output/report/lineage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/wording.hpp"
#include "output/report/plot_axis.hpp"

namespace kiln {
namespace {

using End = Cells::End;

// A unit of time that suits a length.
struct TimeUnit {
  double seconds;
  const char* name;
};
TimeUnit unit_for(double seconds) {
  constexpr TimeUnit kUnits[] = {{86400, "days"}, {3600, "h"}, {60, "min"}};
  for (const TimeUnit& unit : kUnits)
    if (seconds > 3 * unit.seconds) return unit;
  return {1, "s"};
}

int64_t count_of(const ReportLineage& lineage, End end) {
  return std::count_if(lineage.lives.begin() + 1, lineage.lives.end(),
                       [end](const Cells::Life& life) { return life.end == end; });
}

using Daughters = std::vector<std::array<CellId, 2>>;  // by mother; the medium: none
Daughters daughters_of(const ReportLineage& lineage) {
  Daughters daughters(lineage.lives.size(), {kMedium, kMedium});
  for (CellId cell = 1; cell < lineage.lives.size(); ++cell) {
    const auto parent = CellId(lineage.lives[cell].parent);
    if (parent != kMedium) daughters[parent][daughters[parent][0] == kMedium ? 0 : 1] = cell;
  }
  return daughters;
}

// The branches of a tree, from the top down: where each of its cells is drawn.
class Branches {
 public:
  Branches(const ReportLineage& lineage, const Daughters& daughters, CellId founder, int generations)
      : lineage_(lineage), daughters_(daughters), generations_(generations) {
    place(founder);
  }

  struct Branch {
    CellId cell;
    double y;              // in branches
    double first, second;  // where its daughters are; both not a number: they are not shown
  };
  const std::vector<Branch>& all() const { return all_; }
  int count() const { return leaves_; }

 private:
  // As deep as there are generations, which are few.
  double place(CellId cell) {
    const auto& [first, second] = daughters_[cell];
    if (first == kMedium || lineage_.lives[cell].generation >= generations_) {
      all_.push_back({cell, double(leaves_++), std::nan(""), std::nan("")});
      return all_.back().y;
    }
    const double above = place(first), below = place(second);
    all_.push_back({cell, (above + below) / 2, above, below});
    return all_.back().y;
  }

  const ReportLineage& lineage_;
  const Daughters& daughters_;
  int generations_, leaves_ = 0;
  std::vector<Branch> all_;
};

std::string svg_of(const ReportLineage& lineage, const Branches& branches) {
  constexpr double kWidth = 1000, kLeft = 12, kRight = 24, kTop = 12, kBottom = 40;
  const double row = std::clamp(420.0 / std::max(branches.count(), 1), 7.0, 22.0),
               height = kTop + row * branches.count() + kBottom;
  const double seconds = double(lineage.mcs) * lineage.seconds_per_mcs;
  const TimeUnit unit = unit_for(seconds);
  const auto x = [&](double mcs) {
    return kLeft + (kWidth - kLeft - kRight) * mcs / std::max(double(lineage.mcs), 1.0);
  };
  const auto y = [&](double branch) { return kTop + row * (branch + 0.5); };
  std::string out = fmt::format(
      "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" "
      "xmlns=\"http://www.w3.org/2000/svg\" font-family=\"system-ui, sans-serif\" font-size=\"11.5\">\n"
      "<title>Lineage of cell {2}</title>\n",
      kWidth, height, branches.all().empty() ? 0 : branches.all().back().cell);
  const double axis = height - kBottom + 6;
  for (const double tick : linear_ticks(0, seconds / unit.seconds, 10)) {
    const double at = x(tick * unit.seconds / lineage.seconds_per_mcs);
    out += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#eef0f2\"/>"
        "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\" fill=\"#5a6068\">{4:g}</text>\n",
        at, kTop, axis, axis + 14, tick);
  }
  out +=
      fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\" fill=\"#5a6068\">time ({})</text>\n",
                  kWidth - kRight, axis + 29, unit.name);
  for (const Branches::Branch& branch : branches.all()) {
    const Cells::Life& life = lineage.lives[branch.cell];
    const double end = x(double(life.end == End::none ? lineage.mcs : life.ended));
    out += fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}", x(double(life.born)), y(branch.y), end);
    if (std::isfinite(branch.first))
      out += fmt::format("M{:.1f} {:.1f}V{:.1f}", end, y(branch.first), y(branch.second));
    out += "\" fill=\"none\" stroke=\"#2368b0\" stroke-width=\"1.5\"/>";
    if (life.end == End::died || life.end == End::vanished)
      out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"#d0571f\"/>", end, y(branch.y));
    out += "\n";
  }
  return out + "</svg>\n";
}

std::string figure(int64_t count, const char* what) {
  return fmt::format("<div class=\"card\"><b>{}</b><span>{}</span></div>\n", grouped(double(count)), what);
}

}  // namespace

ReportLineage report_lineage(const Cells& cells, int64_t mcs, double seconds_per_mcs) {
  const bool happened = std::any_of(cells.life.begin(), cells.life.end(), [](const Cells::Life& life) {
    return life.parent != 0 || life.end != End::none;
  });
  return {happened ? std::span<const Cells::Life>(cells.life) : std::span<const Cells::Life>(), mcs,
          seconds_per_mcs};
}

Plot division_ages(const ReportLineage& lineage) {
  std::vector<double> ages;
  for (const Cells::Life& life : lineage.lives)
    if (life.end == End::divided && life.generation > 0)
      ages.push_back(double(life.ended - life.born) * lineage.seconds_per_mcs);
  const double oldest = ages.empty() ? 0 : *std::max_element(ages.begin(), ages.end());
  const TimeUnit unit = unit_for(oldest);
  Plot plot{"Age at division", unit.name, "cells born in the run", {}};
  plot.from_zero = true;
  if (ages.empty()) return plot;
  constexpr std::size_t kBins = 24;
  std::vector<int64_t> counts(kBins, 0);
  const double width = std::max(oldest, 1e-300) / double(kBins);
  for (const double age : ages) counts[std::min(std::size_t(age / width), kBins - 1)] += 1;
  PlotSeries series{"cells", {}, {}, {}};
  for (std::size_t bin = 0; bin < kBins; ++bin)
    for (const std::size_t edge : {bin, bin + 1}) {
      series.x.push_back(double(edge) * width / unit.seconds);
      series.y.push_back(double(counts[bin]));
    }
  plot.series.push_back(std::move(series));
  return plot;
}

Plot cells_by_generation(const ReportLineage& lineage) {
  Plot plot{"Cells by generation", "divisions since the first state", "cells that live", {}};
  plot.from_zero = true;
  PlotSeries series{"cells", {}, {}, {}};
  for (CellId cell = 1; cell < lineage.lives.size(); ++cell) {
    if (lineage.lives[cell].end != End::none) continue;
    const auto generation = std::size_t(lineage.lives[cell].generation);
    while (series.x.size() <= generation) {
      series.x.push_back(double(series.x.size()));
      series.y.push_back(0);
    }
    series.y[generation] += 1;
  }
  if (series.x.size() > 1) plot.series.push_back(std::move(series));
  return plot;
}

FamilyTree largest_family(const ReportLineage& lineage, int most_branches) {
  FamilyTree tree;
  // A daughter's id is larger than her mother's.
  std::vector<int64_t> family(lineage.lives.size(), 1);
  for (CellId cell = CellId(lineage.lives.size()); cell-- > 1;)
    if (lineage.lives[cell].parent != 0) family[std::size_t(lineage.lives[cell].parent)] += family[cell];
  for (CellId cell = 1; cell < lineage.lives.size(); ++cell)
    if (lineage.lives[cell].parent == 0 && family[cell] > 1 &&
        (tree.founder == kMedium || family[cell] > family[tree.founder]))
      tree.founder = cell;
  if (tree.founder == kMedium) return tree;
  const Daughters daughters = daughters_of(lineage);
  // Each generation from the one before, while they fit.
  std::vector<CellId> youngest = {tree.founder};
  int branches = 1;
  for (;; ++tree.generations) {
    std::vector<CellId> next;
    for (const CellId mother : youngest)
      for (const CellId daughter : daughters[mother])
        if (daughter != kMedium) next.push_back(daughter);
    branches += int(next.size() / 2);
    if (next.empty() || branches > most_branches) {
      tree.is_whole = next.empty();
      break;
    }
    youngest = std::move(next);
  }
  tree.svg = svg_of(lineage, Branches(lineage, daughters, tree.founder, tree.generations));
  return tree;
}

std::string lineage_section(const ReportLineage& lineage) {
  if (lineage.lives.empty()) return "";
  const auto born = std::count_if(lineage.lives.begin() + 1, lineage.lives.end(),
                                  [](const Cells::Life& life) { return life.parent != 0; });
  int32_t generations = 0;
  for (const Cells::Life& life : lineage.lives) generations = std::max(generations, life.generation);
  std::string out =
      "<h2>Lineage</h2>\n<div class=\"figures\">\n" + figure(count_of(lineage, End::none), "live") +
      figure(born, "were born") + figure(count_of(lineage, End::divided), "divided") +
      figure(count_of(lineage, End::died), "died") + figure(count_of(lineage, End::vanished), "vanished") +
      figure(generations, "generations") + "</div>\n";
  std::string plots;
  for (const Plot& plot : {cells_by_generation(lineage), division_ages(lineage)})
    if (!plot.series.empty()) plots += "<div class=\"card\">" + line_plot_svg(plot) + "</div>\n";
  if (!plots.empty()) out += "<div class=\"plots\" style=\"margin-top: 16px\">\n" + plots + "</div>\n";
  const FamilyTree tree = largest_family(lineage);
  if (tree.founder == kMedium) return out;
  return out + "<figure class=\"card\" style=\"margin-top: 16px\">" + tree.svg +
         fmt::format(
             "<figcaption>The largest family, that of cell {}{}; dots are deaths.</figcaption></figure>\n",
             tree.founder, tree.is_whole ? "" : fmt::format(", down to generation {}", tree.generations));
}

}  // namespace kiln
