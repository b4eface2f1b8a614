// Measures of a lattice that lies in several processes.
#include "engine/ranks/lead_engine.hpp"
#include "support/crew_of_threads.hpp"
#include "support/shipped.hpp"
#include "survey_checks.hpp"

namespace kiln {
namespace {

class CrewSurvey : public testing::TestWithParam<std::string> {};

TEST_P(CrewSurvey, CountsWhatOneProcessCounts) {
  const Model model = test::shipped_model(GetParam());
  for (const int ranks : {2, 6})
    test::as_crew(ranks, [&](Crew& crew) {
      crew.meet("plan");
      if (!crew.leads()) {
        follow(crew, model, test::ranks_of_one_thread(model), 2, [] { return 0; });
        return;
      }
      {
        const auto engine = test::engine_for(model, {.engine = "threads", .threads = 1, .crew = &crew});
        for (int look = 0; look < 2; ++look) {
          test::expect_same_survey(*engine, model.frozen_types());
          engine->advance(5);
        }
      }
      crew.order(Order::leave);
      crew.answers();
    });
}

INSTANTIATE_TEST_SUITE_P(Models, CrewSurvey,
                         testing::Values("sorting.toml", "lymph-node.toml", "liver.toml", "patch.toml"),
                         test::test_name);

}  // namespace
}  // namespace kiln
