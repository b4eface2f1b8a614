// First states that several processes build together: those that one builds.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.hpp"
#include "data/tiff/write_stack.hpp"
#include "engine/ranks/lead_engine.hpp"
#include "model/initial/first_sites.hpp"
#include "support/crew_of_threads.hpp"
#include "support/shipped.hpp"

namespace kiln {
namespace {

// Calls lead(options) on the first of so many processes.
void build_together(int ranks, const Model& model, const std::function<void(const EngineOptions&)>& lead) {
  test::with_crew(ranks, model, [&](Crew& crew) {
    lead({.engine = "threads", .threads = 1, .crew = &crew, .build = true});
  });
}

void expect_first_state_of_one(const Model& model) {
  std::vector<std::string> alone_notes;
  const State alone = initial_state(model, &alone_notes);
  for (const int ranks : {2, 3, 4}) {
    build_together(ranks, model, [&](const EngineOptions& options) {
      std::vector<std::string> notes;
      EngineOptions noting = options;
      noting.notes = &notes;
      const auto engine = make_engine(model, model.phases[0].physics.view(), {}, noting);
      EXPECT_EQ(engine->hash(), state_hash(alone)) << ranks << " ranks";
      const State& built = engine->state();
      EXPECT_EQ(state_hash(built), state_hash(alone)) << ranks << " ranks";
      EXPECT_EQ(audit(built, model.perimeter_neighbours, model.frozen_types()), "") << ranks << " ranks";
      EXPECT_EQ(built.cells.history, alone.cells.history);
      EXPECT_EQ(notes, alone_notes);
    });
    if (testing::Test::HasFailure()) return;
  }
}

class FirstStateOfShipped : public testing::TestWithParam<std::string> {};

TEST_P(FirstStateOfShipped, IsThatOfOneProcess) {
  expect_first_state_of_one(test::shipped_model(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Models, FirstStateOfShipped, testing::ValuesIn(test::shipped_models()),
                         test::test_name);

struct Step {
  const char *name, *text;
  bool is_solid = false;  // in 3-D only
};
void PrintTo(const Step& step, std::ostream* out) { *out << step.name; }

const std::string kHead = R"(
[types.stroma]
frozen = true
[types.cell]
volume = { target = 30, lambda = 1 }
act = { max = 10, lambda = 100, start_full = true }
persistence = { lambda = 1, dt = 3 }
[types.other]
volume = { target = 30, lambda = 1 }
)";

class FirstStateOfStep : public testing::TestWithParam<Step> {
 protected:
  // On a lattice whose bricks are cut through cells, and thinner than what is near to them.
  static Model model(const std::string& lattice) {
    return parse_model("[lattice]\n" + lattice + kHead + GetParam().text, GetParam().name, ".");
  }
};

TEST_P(FirstStateOfStep, IsThatOfOneProcess) {
  expect_first_state_of_one(model("size = [41, 37, 29]"));
  expect_first_state_of_one(model("size = [37, 30, 43]\nboundary = \"closed\""));
  if (!GetParam().is_solid)
    expect_first_state_of_one(model("size = [61, 67]\nboundary = [\"closed\", \"periodic\"]"));
}

INSTANTIATE_TEST_SUITE_P(
    Steps, FirstStateOfStep,
    testing::Values(
        Step{"boxes", "[[initial]]\nkind = \"boxes\"\nbox = 6\ntypes = { cell = 1, other = 2 }\n"},
        Step{"boxes_in_a_ball",
             "[[initial]]\nkind = \"boxes\"\nbox = 5\ntype = \"cell\"\nregion = { shape = "
             "\"ball\", radius = 12 }\n"},
        Step{"hexagonal",
             "[[initial]]\nkind = \"hexagonal\"\nvolume = 60\ntypes = { cell = 1, other = 2 }\n"},
        Step{"voronoi", "[[initial]]\nkind = \"voronoi\"\nvolume = 70\nrelax = 2\ntype = \"cell\"\n"},
        Step{"slivers",
             "[[initial]]\nkind = \"voronoi\"\nvolume = 70\ntype = \"cell\"\nsmallest_share = 0.8\n"
             "slivers = \"give\"\n"},
        Step{"dropped_slivers",
             "[[initial]]\nkind = \"boxes\"\nbox = 7\ntype = \"cell\"\nsmallest_share = 0.9\n"
             "slivers = \"drop\"\n"},
        Step{"seeds",
             "[[initial]]\nkind = \"seeds\"\ncount = 40\nradius = 2\ntypes = { cell = 1, other = 1 }\n"},
        Step{"many_seeds", "[[initial]]\nkind = \"seeds\"\ndensity = 0.9\nradius = 0.5\ntype = \"cell\"\n"},
        Step{"tube_and_fill",
             "[[initial]]\nkind = \"tube\"\nfrom = [3, 3, 0]\nto = [30, 40, 0]\nradius = 3\n"
             "type = \"stroma\"\n[[initial]]\nkind = \"fill\"\ntype = \"cell\"\n",
             true},
        Step{"network",
             "[[initial]]\nkind = \"network\"\nfraction = 0.2\nnode_spacing = 12\nradius = 1.5\n"
             "type = \"stroma\"\n[[initial]]\nkind = \"boxes\"\nbox = 4\ntype = \"cell\"\n"},
        Step{"mask",
             "[[initial]]\nkind = \"seeds\"\ncount = 20\nradius = 1\ntype = \"cell\"\nmask = { phantom = "
             "{ kind = \"sinusoids\", size_um = [40, 40, 40], voxel_um = [2, 2, 2] }, keep = \"below\", "
             "mirror = true }\n",
             true}),
    [](const auto& tested) { return std::string(tested.param.name); });

// From a file that every process reads plane by plane, some planes of which lie outside of the lattice.
TEST(FirstState, OfLabelsIsThatOfOneProcess) {
  Grid<uint8_t> labels({40, 30, 50});
  for (int32_t z = 0; z < 50; ++z)
    for (int32_t y = 0; y < 30; ++y)
      for (int32_t x = 0; x < 40; ++x)
        labels.at(x, y, z) = uint8_t((x + y + z) % 5 == 0 ? 0 : 1 + x / 8 + 5 * (y / 8) + 20 * (z / 8));
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / ("kiln_labels_" + std::to_string(::getpid()) + ".npy");
  write_stack(file, labels, {1, 1, 1});
  expect_first_state_of_one(
      parse_model("[lattice]\nsize = [41, 37, 29]\n" + kHead +
                      "[[initial]]\nkind = \"seeds\"\ncount = 20\nradius = 3\ntype = \"other\"\n"
                      "[[initial]]\nkind = \"labels\"\noffset = [-3, 5, -10]\ntype = \"cell\"\nfile = \"" +
                      file.string() + "\"\n",
                  "labels", "."));
  std::filesystem::remove(file);
}

// Every process comes to the same sentence; one says it.
TEST(FirstState, ThatCannotBeIsRefusedOnce) {
  const Model model =
      parse_model("[lattice]\nsize = [20, 20]\n" + kHead +
                      "[[initial]]\nkind = \"seeds\"\ncount = 1000\nradius = 3\ntype = \"cell\"\n",
                  "crowd.toml", ".");
  build_together(3, model, [&](const EngineOptions& options) {
    try {
      make_engine(model, model.phases[0].physics.view(), {}, options);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const UserError& e) {
      EXPECT_NE(std::string(e.what()).find("there is room for only"), std::string::npos) << e.what();
    }
  });
}

// A start that is not finite is known to the rank alone that has the cell: all say its sentence, which is
// that of one process.
TEST(FirstState, WhosePropertiesAreNotFiniteIsRefusedOnce) {
  const Model model =
      parse_model("[lattice]\nsize = [40, 40]\n" + kHead +
                      "[types.other.properties]\nq = \"log(33 - x)\"\n"
                      "[types.cell.properties]\np = 1\n"
                      "[[initial]]\nkind = \"boxes\"\nbox = 5\ntypes = { cell = 1, other = 1 }\n",
                  "starts.toml", ".");
  std::string alone;
  try {
    initial_state(model);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const UserError& e) {
    alone = e.what();
  }
  EXPECT_TRUE(alone.starts_with("starts.toml: types.other.properties.q.start is nan for cell ")) << alone;
  EXPECT_TRUE(alone.ends_with(", where x 37, but must be finite.")) << alone;
  for (const int ranks : {2, 3, 4})
    build_together(ranks, model, [&](const EngineOptions& options) {
      try {
        make_engine(model, model.phases[0].physics.view(), {}, options);
        ADD_FAILURE() << "nothing was thrown";
      } catch (const UserError& e) {
        EXPECT_EQ(std::string(e.what()), alone) << ranks << " ranks";
      }
    });
}

// One that lacks a file, say, ends nobody else's waiting.
TEST(FirstState, ThatOneProcessCannotBuildIsRefusedByAll) {
  const Model model = test::shipped_model("sorting.toml");
  Model crowded = model;
  crowded.initial.push_back({});
  crowded.initial.back().kind = InitialStep::Kind::seeds;
  crowded.initial.back().types = {{TypeId(1), 1.0}};
  crowded.initial.back().count = 1'000'000;
  crowded.initial.back().radius = 3;
  test::as_crew(3, [&](Crew& crew) {
    crew.meet("plan");
    const Model& own = crew.processes().rank() == 2 ? crowded : model;
    if (!crew.leads()) return follow(crew, own, test::ranks_of_one_thread(model), 1, [] { return 0; });
    try {
      make_engine(model, model.phases[0].physics.view(), {},
                  {.engine = "threads", .threads = 1, .crew = &crew, .build = true});
      ADD_FAILURE() << "nothing was thrown";
    } catch (const UserError& e) {
      EXPECT_TRUE(std::string(e.what()).starts_with("rank 2 on host2: ")) << e.what();
      EXPECT_NE(std::string(e.what()).find("there is room for only"), std::string::npos) << e.what();
    }
    crew.order(Order::leave);
    crew.answers();
  });
}

// What a process holds beside its window is a bit for every site.
TEST(FirstState, InAWindowHoldsTheSitesOfTheWindow) {
  const Model model = test::shipped_model("lymph-node.toml");
  const State whole = initial_state(model);
  const Box window{{-5, 3, 10}, {20, 30, 40}};
  FirstSites sites(model.lattice, window);
  EXPECT_EQ(build_first_sites(model, sites), whole.cells.type);
  const Box seen = sites.window();
  EXPECT_EQ(int64_t(sites.ids().size()), int64_t(seen.size().x) * seen.size().y * seen.size().z);
  std::size_t at = 0;
  for (int32_t z = seen.low.z; z < seen.high.z; ++z)
    for (int32_t y = seen.low.y; y < seen.high.y; ++y)
      for (int32_t x = seen.low.x; x < seen.high.x; ++x, ++at) {
        Vec3i place{x, y, z};
        ASSERT_TRUE(model.lattice.wrap(place));
        ASSERT_EQ(sites.ids()[at], whole.ids[std::size_t(model.lattice.index(place))]);
        ASSERT_EQ(sites.is_free(place), sites.ids()[at] == kMedium);
      }
}

}  // namespace
}  // namespace kiln
