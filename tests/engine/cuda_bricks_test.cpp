// Bricks on a GPU give the bits of a tissue in one piece on threads, after every MCS, however they hear of
// each other.
#include <gtest/gtest.h>

#include <tuple>

#include "engine/cuda/ranks/brick_player.hpp"
#include "engine/host/threads.hpp"
#include "engine/ranks/brick_player.hpp"
#include "engine/ranks/bricks_engine.hpp"
#include "support/crew_of_threads.hpp"
#include "support/full_world.hpp"
#include "support/islet.hpp"
#include "support/nvrtc.hpp"
#include "support/shipped.hpp"
#include "support/tiles_worlds.hpp"

namespace kiln::cuda {
namespace {

using test::SmallWorld;
using test::tiles_settings;

enum class Way { peers, host };  // how bricks hear of each other

MakeRank ranks_on_gpu(const SmallWorld& w, const tiles::Settings& settings, const Vec3i& bricks, Way way,
                      Numbers numbers = Numbers::folded) {
  return ranks_of_gpus({0}, way == Way::peers ? bricks.x * bricks.y * bricks.z : 0, 5, settings,
                       w.largest_act(), numbers);
}

std::unique_ptr<Engine> in_one_piece(const SmallWorld& w, const Physics& physics,
                                     const tiles::Settings& settings) {
  if (physics.lattice.dimension == 2)
    return std::make_unique<ThreadsEngine<2>>(w.state, physics, 5, settings, 2);
  return std::make_unique<ThreadsEngine<3>>(w.state, physics, 5, settings, 2);
}

int64_t expect_bits_of_threads(const SmallWorld& world, const Vec3i& bricks, int passes, int mcs,
                               Way way = Way::peers, Numbers numbers = Numbers::folded) {
  SCOPED_TRACE(testing::Message() << bricks_text(bricks, 3) << " bricks, " << passes << " passes, lattice "
                                  << world.state.lattice.size.x << " wide, "
                                  << (way == Way::peers ? "as peers" : "over the host"));
  SmallWorld w = world;
  const tiles::Settings settings = tiles_settings(w, passes);
  const Physics physics = w.physics();
  const auto whole = in_one_piece(w, physics, settings);
  BricksEngine cut(w.state, physics, settings, bricks, ranks_on_gpu(w, settings, bricks, way, numbers));
  for (int m = 1; m <= mcs; ++m) {
    whole->advance(1);
    cut.advance(1);
    EXPECT_EQ(audit(cut.state(), w.perimeter_neighbours, w.frozen()), "") << "MCS " << m;
    EXPECT_EQ(state_hash(cut.state()), state_hash(whole->state())) << "MCS " << m;
    EXPECT_EQ(cut.hash(), whole->hash()) << "in parts, MCS " << m;
    if (testing::Test::HasFailure()) return 0;
  }
  EXPECT_EQ(cut.counts().attempts, whole->counts().attempts);
  EXPECT_EQ(cut.counts().live, whole->counts().live);
  EXPECT_EQ(cut.counts().accepted, whole->counts().accepted);
  return cut.counts().accepted;
}

using Case = std::tuple<Vec3i, int>;  // bricks, passes
std::string case_name(const testing::TestParamInfo<Case>& info) {
  const auto& [bricks, passes] = info.param;
  return bricks_text(bricks, 3) + "_" + std::to_string(passes);
}
const auto kPasses = testing::Values(0, 1, 4);

class CudaBricks2D : public testing::TestWithParam<Case> {};
class CudaBricks3D : public testing::TestWithParam<Case> {};

// Cells of a random world lie in pieces all over the lattice: most are shared by ranks that are no
// neighbours.
TEST_P(CudaBricks2D, GiveTheBitsOfThreadsForCellsInPieces) {
  KILN_NEEDS_GPU();
  const auto [bricks, passes] = GetParam();
  EXPECT_GT(
      expect_bits_of_threads(test::everything_in({{26, 23, 1}, {passes != 1, passes == 1, false}, 2}, 3),
                             bricks, passes, 4),
      0);
}
TEST_P(CudaBricks3D, GiveTheBitsOfThreadsForCellsInPieces) {
  KILN_NEEDS_GPU();
  const auto [bricks, passes] = GetParam();
  EXPECT_GT(
      expect_bits_of_threads(test::everything_in({{17, 13, 11}, {passes == 1, true, passes != 1}, 3}, 4),
                             bricks, passes, 3),
      0);
}
TEST_P(CudaBricks2D, GiveTheBitsOfThreadsForTissues) {
  KILN_NEEDS_GPU();
  const auto [bricks, passes] = GetParam();
  for (const int edge : {4, 15})
    EXPECT_GT(expect_bits_of_threads(test::tissue({{61, 47, 1}, {true, false, false}, 2}, edge, 1), bricks,
                                     passes, 4, edge == 4 ? Way::peers : Way::host),
              0);
}
TEST_P(CudaBricks3D, GiveTheBitsOfThreadsForTissues) {
  KILN_NEEDS_GPU();
  const auto [bricks, passes] = GetParam();
  for (const int edge : {4, 15})
    EXPECT_GT(expect_bits_of_threads(test::tissue({{29, 26, 31}, {false, true, true}, 3}, edge, 4), bricks,
                                     passes, 3, edge == 4 ? Way::peers : Way::host),
              0);
}

INSTANTIATE_TEST_SUITE_P(CudaCuts, CudaBricks2D,
                         testing::Combine(testing::Values(Vec3i{2, 1, 1}, Vec3i{3, 2, 1}), kPasses),
                         case_name);
INSTANTIATE_TEST_SUITE_P(CudaCuts, CudaBricks3D,
                         testing::Combine(testing::Values(Vec3i{1, 1, 2}, Vec3i{2, 2, 2}, Vec3i{3, 1, 2}),
                                          kPasses),
                         case_name);

TEST(CudaBricks, GiveTheBitsOfThreadsForLengthsAndStoredFields) {
  KILN_NEEDS_GPU();
  for (const int passes : {1, 4}) {
    const test::RareTerms flat(test::tissue({{61, 47, 1}, {true, false, false}, 2}, 5, 1));
    const test::RareTerms pieces(test::everything_in({{17, 13, 11}, {false, true, true}, 3}, 4));
    EXPECT_GT(expect_bits_of_threads(flat.world, {3, 2, 1}, passes, 4), 0);
    EXPECT_GT(expect_bits_of_threads(pieces.world, {1, 1, 2}, passes, 3, Way::host), 0);
  }
}

// Rows of several steps, whose bricks begin and end amid one.
TEST(CudaBricks, MayBeWide) {
  KILN_NEEDS_GPU();
  for (const int passes : {1, 4}) {
    EXPECT_GT(expect_bits_of_threads(test::tissue({{701, 45, 1}, {true, true, false}, 2}, 5, 1), {3, 1, 1},
                                     passes, 3),
              0);
    EXPECT_GT(expect_bits_of_threads(test::tissue({{310, 20, 21}, {passes == 1, true, false}, 3}, 5, 2),
                                     {2, 1, 1}, passes, 3, Way::peers, Numbers::in_memory),
              0);
  }
}

// Hot cells, most of whose attempts are accepted: some of them move a site in every round between two
// refreshes.
TEST(CudaBricks, HearOfFastCellsInTime) {
  KILN_NEEDS_GPU();
  SmallWorld w = test::tissue({{24, 20, 1}, {true, false, false}, 2}, 2, 5);
  w.temperature = 10'000;
  EXPECT_GT(expect_bits_of_threads(w, {6, 1, 1}, 1, 60), 2000);
}

// Cells that fly apart: several times as many copies as outboxes have room for on the device, and cells that
// come to bricks which have no rows left for them.
TEST(CudaBricks, HaveRoomForMuchAtOnce) {
  KILN_NEEDS_GPU();
  for (const int passes : {1, 4})
    for (const Way way : {Way::peers, Way::host}) {
      SmallWorld w = test::tissue({{40, 36, 40}, {true, false, true}, 3}, 2, 5);
      w.temperature = 10'000;
      EXPECT_GT(expect_bits_of_threads(w, {1, 1, 4}, passes, 12, way), 20'000);
    }
}

// Stamps of Act and anchors are renewed now and then.
TEST(CudaBricks, GiveTheBitsOfThreadsForLong) {
  KILN_NEEDS_GPU();
  EXPECT_GT(
      expect_bits_of_threads(test::tissue({{64, 48, 1}, {true, true, false}, 2}, 6, 1), {2, 2, 1}, 1, 400),
      0);
}

// One of a million bricks of a lattice of 10^12 sites.
TEST(CudaBricks, MayBePartsOfALatticeWithMoreThan32BitsOfTiles) {
  KILN_NEEDS_GPU();
  const Model model = read_model(test::models_folder() / "large/cubic-centimetre.toml");
  const tiles::Settings settings = tiles::settings_for(model);
  ASSERT_GT(tiles::round_at(model.lattice, settings, 5, 0).tiles(), uint64_t(1) << 32);
  const Box cells{{5070, 5070, 9324}, {5082, 5082, 9336}};
  test::Islet on_threads(model, {100, 100, 100}, cells, ranks_of_threads(3, 5, settings, 2));
  test::Islet on_gpu(model, {100, 100, 100}, cells,
                     ranks_of_gpus({0}, 0, 5, settings, model.largest_act(), Numbers::folded));
  const std::map<Site, CellId> first = on_gpu.cells();
  for (int mcs = 0; mcs < 5; ++mcs) {
    on_threads.player->advance(1);
    on_gpu.player->advance(1);
    ASSERT_EQ(on_gpu.cells(), on_threads.cells()) << "MCS " << mcs;
  }
  EXPECT_NE(on_gpu.cells(), first);
}

// Shipped models, in all phases.
class CudaBricksShipped : public testing::TestWithParam<std::string> {};
TEST_P(CudaBricksShipped, GiveTheBitsOfThreads) {
  KILN_NEEDS_GPU();
  const Model model = test::shipped_model(GetParam());
  const std::string bricks = model.lattice.dimension == 2 ? "2x2" : "2x1x2";
  const auto whole = test::engine_for(model, {.engine = "threads", .threads = 2});
  const auto cut = test::engine_for(model, {.engine = "cuda", .bricks = bricks});
  for (const Phase& phase : model.phases) {
    if (&phase != &model.phases.front()) {
      whole->set_physics(phase.physics.view());
      cut->set_physics(phase.physics.view());
    }
    for (int mcs = 0; mcs < 4; ++mcs) {
      whole->advance(1);
      cut->advance(1);
      ASSERT_EQ(cut->hash(), whole->hash()) << "phase " << phase.name << ", MCS " << mcs;
    }
  }
  EXPECT_EQ(state_hash(cut->state()), whole->hash());
}
INSTANTIATE_TEST_SUITE_P(CudaSmall, CudaBricksShipped, testing::ValuesIn(test::shipped_models()),
                         test::test_name);

}  // namespace
}  // namespace kiln::cuda
