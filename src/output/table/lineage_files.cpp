#include "output/table/lineage_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace kiln {

// Daughters have higher ids than their mothers, so their branches are there first.
std::string newick_trees(const Cells& cells, int64_t now) {
  std::vector<std::string> branches(cells.count());  // of the daughters of a cell
  std::string trees;
  std::vector<std::string> of_roots;
  for (CellId cell = cells.count(); cell-- > 1;) {
    const Cells::Life& life = cells.life[cell];
    std::string& daughters = branches[cell];
    std::string branch = fmt::format("{}{}:{}", daughters.empty() ? "" : "(" + daughters + ")", cell,
                                     (life.ended >= 0 ? life.ended : now) - life.born);
    daughters = {};
    if (life.parent == 0) {
      of_roots.push_back(branch + ";\n");
    } else {
      std::string& sisters = branches[std::size_t(life.parent)];
      sisters = sisters.empty() ? branch : branch + "," + sisters;
    }
  }
  for (auto tree = of_roots.rbegin(); tree != of_roots.rend(); ++tree) trees += *tree;
  return trees;
}

std::string challenge_tracks(const Cells& cells, std::span<const int64_t> frames) {
  std::string table;
  std::vector<CellId> seen_as(cells.count(), kMedium);  // the cell, or an ancestor that was seen
  for (CellId cell = 1; cell < cells.count(); ++cell) {
    const Cells::Life& life = cells.life[cell];
    // The frame at which it ends shows its daughters, or nothing.
    const auto first = std::lower_bound(frames.begin(), frames.end(), life.born) - frames.begin();
    const auto end = life.ended < 0
                         ? std::ptrdiff_t(frames.size())
                         : std::lower_bound(frames.begin(), frames.end(), life.ended) - frames.begin();
    const CellId mother = life.parent == 0 ? kMedium : seen_as[std::size_t(life.parent)];
    seen_as[cell] = first < end ? cell : mother;
    if (first < end) table += fmt::format("{} {} {} {}\n", cell, first, end - 1, mother);
  }
  return table;
}

}  // namespace kiln
