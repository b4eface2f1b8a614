#include "measure/motility/explored.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "measure/small_states.hpp"

namespace kiln {
namespace {

using namespace test;

const std::vector<bool> kFrozen = {false, false, true};

State row_of(const std::vector<CellId>& ids) {
  return state_from(flat(int32_t(ids.size()), 1, true, false), ids, {0, 1, 1, 2}, kFrozen);
}

TEST(MarkExplored, CountsEachSiteOnce) {
  std::vector<CellId> ids(130);
  ids[0] = ids[63] = ids[64] = 1;
  ids[129] = 2;
  std::vector<uint64_t> seen;
  const std::vector<uint8_t> flags = {0, 1, 0};
  EXPECT_EQ(mark_explored(ids, flags, seen), 3);
  EXPECT_EQ(seen, (std::vector<uint64_t>{1ull << 63 | 1, 1, 0}));
  EXPECT_EQ(mark_explored(ids, flags, seen), 0);
  ids[128] = 1;
  EXPECT_EQ(mark_explored(ids, flags, seen), 1);
  EXPECT_EQ(seen[2], 1u);
}

// Cell 3 is frozen. Sites 0, 1 and 4 belong to cells first, then 2 as well: 4 in all, while cell 1 has seen
// 3 (0, 1, 2) and cell 2 two (4, 0).
TEST(Explored, InAllAndCellByCell) {
  Explored explored(kFrozen, {1000}, 1);
  explored.begin(row_of({1, 1, 0, 3, 2, 0}));
  EXPECT_EQ(explored.sites(), 3);
  EXPECT_DOUBLE_EQ(explored.mean_sites_of_cells(), 1.5);
  explored.add(row_of({2, 1, 1, 3, 0, 0}));
  EXPECT_EQ(explored.sites(), 4);
  EXPECT_DOUBLE_EQ(explored.mean_sites_of_cells(), 2.5);
  explored.begin(row_of({0, 1, 0, 3, 0, 2}));
  EXPECT_EQ(explored.sites(), 2) << "a new phase";
  EXPECT_DOUBLE_EQ(explored.mean_sites_of_cells(), 1);
}

TEST(Explored, OneByOneOnlyForASample) {
  Explored one(kFrozen, {1}, 1), none(kFrozen, {0}, 1);
  for (Explored* explored : {&one, &none}) {
    explored->begin(row_of({1, 1, 0, 3, 2, 2}));
    explored->add(row_of({1, 1, 1, 3, 2, 2}));
    EXPECT_EQ(explored->sites(), 5);
  }
  EXPECT_DOUBLE_EQ(one.mean_sites_of_cells(), 3) << "cell 1";
  EXPECT_TRUE(std::isnan(none.mean_sites_of_cells()));
  EXPECT_TRUE(none.data().visits.empty());
}

// Four cells of two sites: 8 visits, then 12, which are too many; cells 1 and 3 stay, with 3 sites each.
TEST(Explored, LeavesOutEverySecondCellWhereThereAreTooManyVisits) {
  const std::vector<TypeId> types = {0, 1, 1, 1, 1};
  const auto look = [&](const std::vector<CellId>& ids) {
    return state_from(flat(12, 1, false, false), ids, types, kFrozen);
  };
  Explored explored(kFrozen, {1000, 10}, 1);
  explored.begin(look({1, 1, 0, 2, 2, 0, 3, 3, 0, 4, 4, 0}));
  EXPECT_EQ(explored.data().cells, 4);
  explored.add(look({0, 1, 1, 0, 2, 2, 0, 3, 3, 0, 4, 4}));
  EXPECT_EQ(explored.sites(), 12);
  EXPECT_EQ(explored.data().cells, 2);
  EXPECT_EQ(explored.data().stride, 2);
  EXPECT_DOUBLE_EQ(explored.mean_sites_of_cells(), 3);
  explored.add(look({0, 0, 1, 1, 2, 2, 0, 3, 3, 0, 4, 4}));
  EXPECT_DOUBLE_EQ(explored.mean_sites_of_cells(), 3.5);
}

TEST(Explored, GoesOnFromItsDataOnAnyNumberOfThreads) {
  const Lattice lattice = deep({7, 6, 5}, {true, false, true});
  std::set<std::pair<Site, CellId>> visits;
  std::set<Site> sites;
  Explored whole(kFrozen, {4}, 1);
  std::optional<Explored> parts(Explored(kFrozen, {4}, 3));
  for (uint64_t look = 0; look < 5; ++look) {
    const State state = random_state(lattice, 20, 3, kFrozen, look);
    for (Site site = 0; site < lattice.sites(); ++site) {
      const CellId cell = state.ids[site];
      if (cell == 0 || cell % 2 == 0) continue;  // types 1 and 2 in turn
      sites.insert(site);
      if (cell % 5 == 1) visits.insert({site, cell});  // ids 1, 6, 11, 16: two of them frozen
    }
    if (look == 0) {
      whole.begin(state);
      parts->begin(state);
    } else {
      whole.add(state);
      parts.emplace(kFrozen, Explored::Limits{4}, 3, ExploredData(parts->data()));
      parts->add(state);
    }
    EXPECT_EQ(whole.sites(), int64_t(sites.size()));
    EXPECT_DOUBLE_EQ(whole.mean_sites_of_cells(), double(visits.size()) / 2);
    EXPECT_EQ(parts->data().seen, whole.data().seen);
    EXPECT_EQ(parts->data().visits, whole.data().visits);
  }
}

}  // namespace
}  // namespace kiln
