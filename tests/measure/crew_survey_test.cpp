// Measures of a lattice that lies in several processes.
#include "engine/ranks/lead_engine.hpp"
#include "measure/places.hpp"
#include "measure/shape.hpp"
#include "measure/watch.hpp"
#include "support/crew_of_threads.hpp"
#include "support/shipped.hpp"
#include "survey_checks.hpp"

namespace kiln {
namespace {

class CrewSurvey : public testing::TestWithParam<std::string> {};

TEST_P(CrewSurvey, CountsWhatOneProcessCounts) {
  const Model model = test::shipped_model(GetParam());
  for (const int ranks : {2, 6})
    test::with_crew(ranks, model, [&](Crew& crew) {
      const auto engine = test::engine_for(model, {.engine = "threads", .threads = 1, .crew = &crew});
      for (int look = 0; look < 2; ++look) {
        test::expect_same_survey(*engine, model.frozen_types());
        engine->advance(5);
      }
    });
}

// Cells in pieces and wide ones, many of each: small hot cells, and cells that go around the lattice.
TEST(CrewShapes, CountsCellsInPiecesAndWideOnes) {
  const std::string hot = R"(
temperature = 60
[types.cell]
volume = { target = 25, lambda = 1 }
[types.long]
volume = { target = 500, lambda = 1 }
[[initial]]
kind = "tube"
type = "long"
radius = 1.5
)";
  const std::string boxes = "[[initial]]\nkind = \"boxes\"\ntype = \"cell\"\nbox = 5\n";
  int64_t fragmented = 0, wide = 0;
  for (const auto& [lattice, ends] : std::initializer_list<std::pair<const char*, const char*>>{
           {"size = [40, 34]", "from = [3, 17]\nto = [36, 17]\n"},
           {"size = [30, 24, 26]", "from = [15, 2, 13]\nto = [15, 19, 13]\n"},
           {"size = [30, 24, 26]\nboundary = \"closed\"", "from = [15, 2, 13]\nto = [15, 19, 13]\n"}}) {
    const Model model = parse_model(hot + ends + "[lattice]\n" + lattice + "\n" + boxes, "hot", ".");
    for (const int ranks : {2, 4})
      test::with_crew(ranks, model, [&](Crew& crew) {
        const auto engine = test::engine_for(model, {.engine = "threads", .threads = 1, .crew = &crew});
        const std::vector<bool> frozen = model.frozen_types();
        for (int look = 0; look < 4; ++look) {
          const Look seen(*engine);
          EXPECT_EQ(fragmented_cells(seen, frozen), fragmented_cells(engine->state(), frozen));
          EXPECT_EQ(wide_cells(seen, frozen), wide_cells(engine->state(), frozen));
          fragmented += fragmented_cells(engine->state(), frozen);
          wide += wide_cells(engine->state(), frozen);
          engine->advance(2);
        }
      });
  }
  EXPECT_GT(fragmented, 100);
  EXPECT_GT(wide, 4);
}

// What each look found, in the words of a checkpoint and of tables.
struct Found {
  std::vector<CellRow> cells;
  std::vector<double> row;
  NamedArrays memory;
  bool operator==(const Found&) const = default;
};

Found found(Watch& watch, Engine& engine) {
  const Seen seen = watch.look(Look(engine), engine.counts(), false, 3);
  Found result;
  if (seen.cells) result.cells = *seen.cells;
  if (const auto& row = seen.row) {
    const auto add = [&](double value) { result.row.push_back(is_known({value, 0, 0}) ? value : -1e300); };
    for (const Summary& s : {row->size.volume, row->size.perimeter})
      add(s.mean), add(s.sd), add(double(s.count));
    add(double(row->extinct));
    add(double(row->medium_sites));
    add(row->energy.sum());
    for (const double energy : row->energy.of_terms) add(energy);
    add(row->motion.msd_um2);
    add(row->motion.straightness);
    add(row->explored ? row->explored->visited_mean : -1);
    add(row->mixed_fraction.value_or(-1));
    for (const double share : row->mixed_within) add(share);
    for (const TypeRow& type : row->of_types) add(type.speed_um_per_min), add(type.volume.sd);
  }
  WatchMemory memory;
  watch.copy_memory(memory);
  result.memory = arrays_of(memory);
  for (auto& [name, numbers] : result.memory)
    for (double& number : numbers)
      if (!is_known({number, 0, 0})) number = -1e300;
  return result;
}

// Every measure there is, of cells of two types that come and go, and of more of them than a piece of a sum
// has (measure/energy.cpp).
TEST(CrewWatch, SeesWhatOneProcessSeesAndNobodyHasAllCells) {
  const std::string base = R"(
mcs = 100
temperature = 30
[types.one]
volume = { target = 9, lambda = 0.7 }
act = { lambda = 30, max = 10 }
[types.two]
volume = { target = 7, lambda = 1.3 }
perimeter = { target = 20, lambda = 0.01 }
[measure]
every = 4
cells_every = 4
explored = true
halves = "x"
mixed_within_um = [4, 9]
speed_interval_s = [2, 4]
direction_correlation = true
[[initial]]
kind = "boxes"
types = { one = 1, two = 1 }
box = 3
)";
  for (const char* lattice : {"size = [360, 200]", "size = [60, 44, 54]"}) {
    const Model model = parse_model(base + "[lattice]\n" + lattice + "\n", "small cells", ".");
    std::vector<Found> alone;
    const auto one = test::engine_for(model, {.engine = "threads", .threads = 1});
    Watch watch(model, 0, {}, 1);
    for (int look = 0; look < 4; ++look, one->advance(2)) alone.push_back(found(watch, *one));
    ASSERT_GT(one->cell_count(), 4096u);
    for (const int ranks : {2, 4})
      test::with_crew(ranks, model, [&](Crew& crew) {
        const auto engine = test::engine_for(model, {.engine = "threads", .threads = 1, .crew = &crew});
        Watch shared(model, 0, {}, 2);
        for (int look = 0; look < 4; ++look, engine->advance(2)) {
          const Found now = found(shared, *engine);
          EXPECT_EQ(now.row, alone[std::size_t(look)].row) << lattice << ", " << ranks << " ranks";
          EXPECT_TRUE(now == alone[std::size_t(look)]) << lattice << ", " << ranks << " ranks";
          EXPECT_EQ(engine->outline().cells.count(), 0u);
        }
      });
  }
}

INSTANTIATE_TEST_SUITE_P(Models, CrewSurvey,
                         testing::Values("sorting.toml", "lymph-node.toml", "liver.toml", "patch.toml"),
                         test::test_name);

}  // namespace
}  // namespace kiln
