// Measures of a lattice that lies in several processes.
#include "engine/ranks/lead_engine.hpp"
#include "measure/shape.hpp"
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

INSTANTIATE_TEST_SUITE_P(Models, CrewSurvey,
                         testing::Values("sorting.toml", "lymph-node.toml", "liver.toml", "patch.toml"),
                         test::test_name);

}  // namespace
}  // namespace kiln
