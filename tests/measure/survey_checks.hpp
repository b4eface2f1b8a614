// Measures of a lattice that lies elsewhere, on a GPU or in several processes, are those of the same lattice
// at hand.
#pragma once

#include <gtest/gtest.h>

#include "core/thinning.hpp"
#include "measure/cell_table.hpp"
#include "measure/contacts.hpp"
#include "measure/motility/explored.hpp"
#include "measure/motility/mixing.hpp"

namespace kiln::test {

inline void expect_same_contacts(const Look& far, const State& host, int types) {
  const ContactMatrix there = contact_matrix(far, types), here = contact_matrix(host, types);
  for (int a = 0; a < types; ++a)
    for (int b = 0; b < types; ++b) EXPECT_EQ(there.at(a, b), here.at(a, b)) << a << ", " << b;
}

inline void expect_same_explored(const Look& far, const State& host, const std::vector<bool>& frozen) {
  Explored there(frozen, {.cells = 3}, 2), here(frozen, {.cells = 3}, 1);
  there.begin(far);
  here.begin(host);
  EXPECT_EQ(there.data().seen, here.data().seen);
  EXPECT_EQ(there.data().visits, here.data().visits);
  EXPECT_EQ(there.sites(), here.sites());
  EXPECT_EQ(there.data().cells, here.data().cells);
}

// Cells by turns of the one kind and the other, some of neither.
inline void expect_same_touching(const Look& far, const State& host) {
  std::vector<Half> halves(host.cells.count());
  for (std::size_t cell = 1; cell < halves.size(); ++cell) halves[cell] = Half(cell % 3);
  EXPECT_EQ(touches_other_half(far, halves), touches_other_half(host, halves));
}

inline void expect_same_from_afar(LatticeSurvey& far, const State& host) {
  for (const int32_t step : {1, 2, 3, 7}) {
    const Thinning thinning(host.lattice, step);
    const LatticeSurvey::ThinnedSites seen = far.thinned_sites(step, true);
    std::vector<CellId> ids;
    std::vector<ActValue> act;
    for (int32_t z = 0; z < thinning.size.z; ++z)
      for (int32_t y = 0; y < thinning.size.y; ++y)
        for (int32_t x = 0; x < thinning.size.x; ++x) {
          const Site site = host.lattice.index({std::min(x * step + step / 2, host.lattice.size.x - 1),
                                                std::min(y * step + step / 2, host.lattice.size.y - 1),
                                                std::min(z * step + step / 2, host.lattice.size.z - 1)});
          ids.push_back(host.ids[std::size_t(site)]);
          if (!host.act.empty()) act.push_back(host.act[std::size_t(site)]);
        }
    EXPECT_EQ(std::vector(seen.ids.begin(), seen.ids.end()), ids) << step;
    EXPECT_EQ(std::vector(seen.act.begin(), seen.act.end()), act) << step;
    EXPECT_TRUE(far.thinned_sites(step, false).act.empty());
  }
}

inline void expect_same_survey(Engine& engine, const std::vector<bool>& frozen) {
  const Look far(engine);
  ASSERT_NE(far.survey(), nullptr);
  std::vector<Cells::Extent> extents(far.cell_count());
  std::vector<Cells::Centroid> centroids(far.cell_count());
  far.each_slice([&](const CellSlice& slice) {
    for (CellId row = 0; row < slice.cells.count(); ++row) {
      const CellId cell = row == kMedium ? kMedium : slice.id(row);
      extents[cell] = slice.cells.extent[row];
      centroids[cell] = slice.cells.centroid[row];
    }
  });
  const std::vector<CellRow> rows = cell_rows(far, frozen, 1), sampled = cell_rows(far, frozen, 3);

  const State host = engine.state();
  EXPECT_EQ(extents, host.cells.extent);
  EXPECT_EQ(centroids, host.cells.centroid);
  EXPECT_EQ(rows, cell_rows(host, frozen, 1));
  EXPECT_EQ(sampled, cell_rows(host, frozen, 3));
  expect_same_contacts(far, host, int(frozen.size()));
  expect_same_explored(far, host, frozen);
  expect_same_touching(far, host);
  expect_same_from_afar(*far.survey(), host);
  if (const std::optional<int64_t> sites = far.survey()->frozen_sites()) {
    EXPECT_EQ(*sites, std::count_if(host.ids.begin(), host.ids.end(),
                                    [&](CellId id) { return bool(frozen[host.cells.type[id]]); }));
  }
}

}  // namespace kiln::test
