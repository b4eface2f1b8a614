// Cells that live, on a GPU: the bits of threads.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "engine/cuda/driver/nvrtc.hpp"
#include "engine/cuda/living/counts.hpp"
#include "engine/cuda/living/source.hpp"
#include "support/ensembles.hpp"
#include "support/living_worlds.hpp"
#include "support/nvrtc.hpp"
#include "support/played.hpp"

namespace kiln::cuda {
namespace {

using test::Played;

const std::vector<std::string>& worlds() {
  static const std::vector<std::string> all = {
      test::colony("[60, 40]"),  test::colony("[20, 24, 16]"), test::kFlat, test::kSolid,
      test::curious("[64, 48]"), test::curious("[20, 24, 16]")};
  return all;
}

TEST(LivingKernels, Compile) {
  KILN_NEEDS_NVRTC();
  for (const std::string& world : worlds()) {
    const Model model = parse_model(world, "m.toml", ".");
    const Physics physics = model.phases.front().physics.view();
    const LivingPrograms programs(model);
    std::vector<formula::Input> counted = programs.asked_always;
    counted.insert(counted.end(), programs.asked_by_rules.begin(), programs.asked_by_rules.end());
    const std::string source = living_source(model, programs, physics, site_layout(100, model.largest_act()),
                                             physics.uses.persistence ? 4 : 0, counted);
    EXPECT_GE(resources(compile(source, "living.cu", 90)).size(), 10u);
  }
}

class CudaLiving : public testing::TestWithParam<int> {
 protected:
  const std::string& world() const { return worlds()[std::size_t(GetParam())]; }
};

TEST_P(CudaLiving, HasTheBitsOfThreadsAfterEveryMcs) {
  KILN_NEEDS_GPU();
  for (const char* schedule : {"tiles", "checkerboard"}) {
    const Model model = parse_model(world(), "m.toml", ".");
    if (schedule == std::string("checkerboard")) {
      // Cells' sizes are live there, so bits are its own: the books have to be right.
      Played gpu(model, std::nullopt, "cuda", 1, schedule);
      for (int mcs = 1; mcs <= 60; mcs += 3) {
        gpu.play(3);
        ASSERT_EQ(gpu.books(), "") << schedule << ", MCS " << mcs;
      }
      continue;
    }
    Played threads(model, std::nullopt, "threads", 4), gpu(model, std::nullopt, "cuda", 1);
    State half_way;
    for (int mcs = 1; mcs <= 120; ++mcs) {
      threads.play(1);
      gpu.play(1);
      ASSERT_EQ(gpu.books(), "") << "MCS " << mcs;
      ASSERT_EQ(threads.hash(), gpu.hash()) << "MCS " << mcs;
      if (mcs == 60) half_way = gpu.state();
    }
    const std::vector<Cells::Life>& lives = threads.cells().life;
    EXPECT_TRUE(
        world().find("[substances.signal]") != std::string::npos ||
        std::any_of(lives.begin(), lives.end(), [](const auto& l) { return l.end != Cells::End::none; }));
    Played again(model, std::move(half_way), "cuda", 1), at_once(model, std::nullopt, "cuda", 1);
    again.play(60);
    EXPECT_EQ(threads.hash(), again.hash());
    at_once.play(120);
    EXPECT_EQ(threads.hash(), at_once.hash());
  }
}
INSTANTIATE_TEST_SUITE_P(In, CudaLiving, testing::Range(0, 6));

std::string full_lattice(const std::string& rest, const std::string& size) {
  return "seed = 3\ntemperature = 1\n[lattice]\nsize = " + size +
         "\n[types.cell]\nvolume = { target = 16, lambda = 5 }\n[adhesion]\ndefault = 1\n[[initial]]\nbox = "
         "4\n"
         "type = \"cell\"\n" +
         rest;
}

// There is no room for so many: all cells get other numbers on the device, with what was counted for them.
TEST(CudaLiving, MakesRoomForMoreCells) {
  KILN_NEEDS_GPU();
  const std::string text = full_lattice(
      "[types.cell.properties]\nv = \"uniform(0, 1)\"\n[types.cell.growth]\nrate = \"1000 * "
      "neighbours_mean(v)\"\n"
      "[[rules]]\ntypes = \"cell\"\nwhen = \"time == 2 or time == 5\"\ndo = \"divide\"\nset = { v = \"v / "
      "2\" }\n",
      "[1024, 1024]");
  Played threads(text, "threads", 4), gpu(text, "cuda", 1);
  for (int mcs = 1; mcs <= 7; ++mcs) {
    threads.play(1);
    gpu.play(1);
    ASSERT_EQ(threads.hash(), gpu.hash()) << "MCS " << mcs;
  }
  EXPECT_GT(gpu.cells().count(), 3u * 65536);
  EXPECT_EQ(gpu.books(), "");
}

TEST(CudaLiving, TellsWhatHasNoNumber) {
  KILN_NEEDS_GPU();
  for (const char* rest : {"[types.cell.properties]\nc = 3\n[[rules]]\ntypes = \"cell\"\nwhen = \"x < 3 and "
                           "y < 3 and time == 2\"\n"
                           "set = { c = \"c / (volume - volume)\" }\n",
                           "[types.cell.properties]\nc = 3\n[types.cell.equations]\nc = \"if(x < 3 and y < "
                           "3, 1 / (c - c), 0)\"\n",
                           "[types.cell.growth]\nrate = \"if(x < 3 and y < 3, 1 / (volume - volume), 0)\"\n",
                           "[types.cell.properties]\nc = 3\n[[rules]]\ntypes = \"cell\"\nrate = \"if(x < 3 "
                           "and y < 3, c / 0, 0)\"\n"
                           "do = \"die\"\n"}) {
    const auto message = [&](const char* engine) -> std::string {
      try {
        Played broken(full_lattice(rest, "[64, 64]"), engine, 2);
        broken.play(5);
      } catch (const UserError& error) {
        return error.what();
      }
      return "";
    };
    EXPECT_NE(message("threads"), "");
    EXPECT_EQ(message("threads"), message("cuda"));
  }
}

TEST(CudaLiving, TellsOfWhichSubstanceThereIsTooMuch) {
  KILN_NEEDS_GPU();
  for (const char* mode : {"mode = \"time\"", "decay = 0.1\nmode = \"steady\"\nupdate_every = 3"})
    for (const char* rate : {"1e308", "1e35"}) {
      const auto message = [&](const char* engine) -> std::string {
        try {
          Played full(full_lattice(std::string("[substances.s]\ndiffusion = 3\n") + mode +
                                       "\n[types.cell.secretes]\ns = " + rate + "\n",
                                   "[64, 64]"),
                      engine, 2);
          full.play(20);
        } catch (const UserError& error) {
          return error.what();
        }
        return "";
      };
      EXPECT_NE(message("threads").find("substance s, MCS "), std::string::npos);
      EXPECT_EQ(message("threads"), message("cuda"));
    }
}

TEST(CudaLiving, TakesTurnsInAnEnsemble) {
  KILN_NEEDS_GPU();
  for (const std::string& world : {test::colony("[60, 40]"), test::curious("[20, 24, 16]")})
    test::check_ensemble(parse_model(world, "m.toml", "."), 3, {.engine = "cuda"}, 40, "threads");
}

// What frames of the viewer are made of. All of the state still comes after it.
TEST(CudaLiving, ShowsSizesAlone) {
  KILN_NEEDS_GPU();
  for (const char* size : {"[60, 40]", "[20, 24, 16]"}) {
    Played threads(test::colony(size), "threads", 2), gpu(test::colony(size), "cuda", 1);
    for (int mcs = 0; mcs < 80; mcs += 8) {
      if (mcs == 40) gpu.state();
      const Cells& expected = threads.cells();
      EXPECT_EQ(gpu.player->outline().mcs, mcs);
      const Cells& seen = gpu.player->state_of_sizes().cells;
      ASSERT_TRUE(seen.type == expected.type && seen.extent == expected.extent) << "MCS " << mcs;
      threads.play(8);
      gpu.play(8);
    }
    EXPECT_EQ(threads.hash(), gpu.hash());
  }
}

// Measures know cells by the host's ids, which go on where the device's rows are used again.
TEST(CudaLiving, IsSurveyedAsOnThreads) {
  KILN_NEEDS_GPU();
  Played threads(test::colony("[60, 40]"), "threads", 2), gpu(test::colony("[60, 40]"), "cuda", 1);
  for (int turn = 0; turn < 3; ++turn) {
    threads.play(60);
    gpu.play(60);
    LatticeSurvey& survey = *gpu.player->survey();
    const State& state = threads.state();
    std::vector<uint8_t> keys(state.cells.count());
    for (CellId cell = 1; cell < state.cells.count(); ++cell) keys[cell] = uint8_t(1 + cell % 2);
    const std::vector<uint8_t> touching = survey.touching(keys);
    std::vector<uint8_t> expected(state.cells.count());
    for (Site site = 0; site < state.lattice.sites(); ++site) {
      const CellId cell = state.ids[std::size_t(site)];
      for (int k = 0; k < 8; ++k) {
        Vec3i place = state.lattice.position(site) + Moore<2>::offset(k);
        if (!state.lattice.wrap(place)) continue;
        const CellId other = state.ids[std::size_t(state.lattice.index(place))];
        if (cell != kMedium && other != kMedium && keys[cell] != keys[other]) expected[cell] = 1;
      }
    }
    ASSERT_EQ(touching.size(), expected.size());
    for (CellId cell = 1; cell < expected.size(); ++cell)
      EXPECT_EQ(touching[cell] != 0, expected[cell] != 0) << cell << " of turn " << turn;
  }
}

}  // namespace
}  // namespace kiln::cuda
