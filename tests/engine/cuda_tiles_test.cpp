// The `tiles` schedule on a GPU gives the bits that threads give, and those are the schedule's description
// (tiles_test.cpp). Every world compiles kernels of its own, so there are fewer than there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "engine/cuda/driver/api.hpp"
#include "engine/cuda/tiles/engine.hpp"
#include "engine/host/threads.hpp"
#include "support/full_world.hpp"
#include "support/nvrtc.hpp"
#include "support/shipped.hpp"
#include "support/tiles_worlds.hpp"

namespace kiln::cuda {
namespace {

using test::SmallWorld;
using test::tiles_settings;

constexpr int kThreads = 4;

std::unique_ptr<Engine> on_threads(const State& state, const Physics& physics, uint64_t seed,
                                   const tiles::Settings& settings) {
  if (physics.lattice.dimension == 2)
    return std::make_unique<ThreadsEngine<2>>(state, physics, seed, settings, kThreads);
  return std::make_unique<ThreadsEngine<3>>(state, physics, seed, settings, kThreads);
}

// The same world on a GPU and on threads.
struct Pair {
  Pair(const SmallWorld& w, uint64_t seed, int passes = 0, Numbers numbers = Numbers::folded)
      : world(w),
        physics(world.physics()),
        settings(tiles_settings(world, passes)),
        gpu(world.state, physics, seed, settings, world.largest_act(), 0, numbers),
        threads(on_threads(world.state, physics, seed, settings)) {}

  void advance(int64_t mcs) {
    gpu.advance(mcs);
    threads->advance(mcs);
  }
  void set_physics(const Physics& p) {
    gpu.set_physics(p);
    threads->set_physics(p);
  }
  void expect_same() {
    EXPECT_EQ(audit(gpu.state(), world.perimeter_neighbours, world.frozen()), "");
    EXPECT_EQ(state_hash(gpu.state()), state_hash(threads->state())) << "MCS " << gpu.state().mcs;
    EXPECT_EQ(gpu.counts().attempts, threads->counts().attempts);
    EXPECT_EQ(gpu.counts().live, threads->counts().live);
    EXPECT_EQ(gpu.counts().accepted, threads->counts().accepted);
  }

  SmallWorld world;
  Physics physics;
  tiles::Settings settings;
  TilesEngine gpu;
  std::unique_ptr<Engine> threads;
};

void check_world(const SmallWorld& world, int passes, int mcs, Numbers numbers = Numbers::folded) {
  Pair pair(world, 5, passes, numbers);
  for (int m = 0; m < mcs && !testing::Test::HasFailure(); ++m) {
    pair.advance(1);
    pair.expect_same();
  }
}

void check_random_worlds(int dimension) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(testing::Message() << "world " << seed);
    constexpr int kPasses[] = {0, 1, 2, 4};
    check_world(test::everything(dimension, seed), kPasses[(seed + seed / 4) % 4], 5);
  }
}
TEST(CudaTiles, AreThoseOfThreads2D) {
  KILN_NEEDS_GPU();
  check_random_worlds(2);
}
TEST(CudaTiles, AreThoseOfThreads3D) {
  KILN_NEEDS_GPU();
  check_random_worlds(3);
}

TEST(CudaTiles, NumbersInMemoryAreTheSame) {
  KILN_NEEDS_GPU();
  for (const int dimension : {2, 3})
    for (const unsigned seed : {0u, 3u, 5u}) {
      SCOPED_TRACE(testing::Message() << dimension << "-D, world " << seed);
      check_world(test::everything(dimension, seed), seed == 5 ? 4 : int(seed % 2), 4, Numbers::in_memory);
    }
}

TEST(CudaTiles, FitLatticesOfAllShapes) {
  KILN_NEEDS_GPU();
  const std::vector<test::Shape> shapes = test::awkward_shapes();
  for (std::size_t i = 0; i < shapes.size(); i += 3) {
    const test::Shape& shape = shapes[i];
    SCOPED_TRACE(shape.text());
    check_world(test::everything_in(shape.lattice, 7, shape.order, shape.order), 0, 4);
    if (HasFailure()) return;
  }
}

TEST(CudaTiles, TakeAnyNumberOfCells) {
  KILN_NEEDS_GPU();
  check_world(test::tissue({{145, 141, 1}, {true, true, false}, 2}, 1, 2), 0, 4);
  check_world(test::tissue({{34, 33, 31}, {true, false, true}, 3}, 1, 3), 0, 4);
  check_world(test::tissue({{63, 64, 65}, {true, false, true}, 3}, 4, 3), 2, 4);
}

// Centroids are counted box by box: boxes with more cells than there is room for, boxes that the lattice cuts
// short, and cells so long that their offsets from the anchor jump on the way.
TEST(CudaTiles, CountCentroidsInAnyBox) {
  KILN_NEEDS_GPU();
  for (const int edge : {1, 6, 120}) {
    SCOPED_TRACE(testing::Message() << "cells of " << edge);
    check_world(test::tissue({{148, 36, 19}, {true, true, true}, 3}, edge, 3), 0, 2);
    check_world(test::tissue({{150, 37, 18}, {true, false, true}, 3}, edge, 3), 0, 2);
    check_world(test::tissue({{148, 133, 1}, {true, true, false}, 2}, edge, 3), 0, 2);
    if (HasFailure()) return;
  }
}

SmallWorld without_persistence(SmallWorld w) {
  for (TypePhysics& t : w.types) t.persistence = {};
  w.state.cells.history_length = 0;
  w.state.cells.history.clear();
  w.state.cells.direction.clear();
  return w;
}

// Many MCS at once, played by few launches, beyond the number where stamps of Act come round again.
TEST(CudaTiles, PlayManyMcsAtOnce) {
  KILN_NEEDS_GPU();
  Pair pair(without_persistence(test::tissue({{40, 33, 1}, {true, false, false}, 2}, 5, 4)), 5);
  ASSERT_TRUE(pair.physics.uses.act);
  for (const int mcs : {1, 0, 31, 100, 700, 3}) {
    pair.advance(mcs);
    pair.expect_same();
  }
}

// Act that lasts so long, and so many cells, that both do not fit 32 bits.
TEST(CudaTiles, HaveRoomForLongActAndManyCells) {
  KILN_NEEDS_GPU();
  SmallWorld w = test::tissue({{190, 180, 1}, {true, true, false}, 2}, 1, 2);
  for (TypePhysics& t : w.types) t.act.max = 65535;
  ASSERT_EQ(site_layout(w.state.cells.count(), 65535).word_bytes, 8);
  check_world(w, 0, 4);
}

TEST(CudaTiles, AStateIsAllThatIsNeededToGoOn) {
  KILN_NEEDS_GPU();
  Pair whole(test::everything(3, 5), 9);
  whole.advance(9);
  Pair first(whole.world, 9);
  first.advance(4);
  const int most = whole.world.largest_act();
  TilesEngine on_gpu(first.threads->state(), whole.physics, 9, whole.settings, most, 0);
  const auto on_host = on_threads(first.gpu.state(), whole.physics, 9, whole.settings);
  on_gpu.advance(5);
  on_host->advance(5);
  whole.expect_same();
  EXPECT_EQ(state_hash(on_gpu.state()), state_hash(whole.gpu.state()));
  EXPECT_EQ(state_hash(on_host->state()), state_hash(whole.gpu.state()));
}

// The copy is brought down while the engine goes on, and the next one takes the same way.
TEST(CudaTiles, ACopyIsOfTheMomentItBegan) {
  KILN_NEEDS_GPU();
  for (const int dimension : {2, 3}) {
    Pair pair(test::everything(dimension, 4), 9);
    State copy;
    for (int i = 0; i < 3; ++i) {
      pair.advance(2);
      const std::string then = state_hash(pair.threads->state());
      const std::function<void()> complete = pair.gpu.begin_copy(copy);
      pair.advance(3);
      std::thread(complete).join();
      EXPECT_EQ(state_hash(copy), then);
      pair.expect_same();
    }
  }
}

// What other programs on the GPU find: the host's ids, of the moment they were asked for.
TEST(CudaTiles, IdsLieOnTheGpuForOthers) {
  KILN_NEEDS_GPU();
  for (const int dimension : {2, 3}) {
    Pair pair(test::everything(dimension, 4), 9);
    pair.advance(3);
    const std::optional<DeviceIds> first = pair.gpu.device_ids();
    const State then = pair.gpu.state();
    pair.advance(3);
    const std::optional<DeviceIds> second = pair.gpu.device_ids();
    ASSERT_TRUE(first && second);
    EXPECT_NE(first->address, second->address);  // the first is still held
    for (const auto& [ids, state] : {std::pair(*first, &then), std::pair(*second, &pair.gpu.state())}) {
      std::vector<CellId> seen(state->ids.size());
      ASSERT_EQ(cuda::api::driver().memcpy_to_host(seen.data(), ids.address, seen.size() * sizeof(CellId)),
                0);
      EXPECT_TRUE(std::equal(seen.begin(), seen.end(), state->ids.begin()));
    }
  }
  EXPECT_FALSE(Pair(test::everything(2, 4), 9).threads->device_ids());
}

TEST(CudaTiles, PhysicsMayChangeBetweenMcs) {
  KILN_NEEDS_GPU();
  SmallWorld w = test::everything(2, 6), hot = test::hotter(w);
  Pair pair(w, 3);
  pair.advance(3);
  pair.set_physics(hot.physics());
  pair.advance(3);
  pair.expect_same();
}

// A light kernel leaves room for more blocks than a heavy one, and the same memory must do for both: more
// tiles than a resident grid takes at once, first nearly no terms, then all, then none again.
TEST(CudaTiles, LightAndHeavyPhysicsTakeTurns) {
  KILN_NEEDS_GPU();
  SmallWorld heavy = test::tissue({{2300, 2200, 1}, {true, false, false}, 2}, 5, 1), light = heavy;
  for (TypePhysics& t : light.types) {
    const bool frozen = t.frozen;
    const act::Params act = {0, t.act.max, 0};
    t = {};
    t.frozen = frozen;
    t.act = act;
  }
  Pair pair(heavy, 3);
  for (SmallWorld* w : {&light, &heavy, &light}) {
    pair.set_physics(w->physics());
    pair.advance(1);
    pair.expect_same();
  }
}

TEST(CudaTiles, FollowAStoredField) {
  KILN_NEEDS_GPU();
  for (const int dimension : {2, 3}) {
    SmallWorld w = test::everything(dimension, 1);
    const std::size_t count = w.state.ids.size() * std::size_t(dimension);
    std::mt19937 rng(4);
    std::vector<float> values(count);
    for (float& v : values) v = float(int(rng() % 17)) - 8.0f;
    VectorField stored;
    stored.shape = VectorField::Shape::stored;
    stored.strength = 0.5f;
    stored.data = values.data();
    stored.components = dimension;
    w.fields = {w.fields[0], stored};
    for (std::size_t t = 1; t < w.types.size(); ++t) w.types[t].chemotaxis = {10, float(t % 2)};
    check_world(w, 0, 4);
  }
}

TEST(CudaTiles, SayThatALatticeIsTooLarge) {
  KILN_NEEDS_GPU();
  SmallWorld w = without_persistence(test::everything(3, 0));
  w.state.lattice.size = {100'000, 100'000, 1000};
  State state;  // without sites: none are looked at before there is room for them
  state.lattice = w.state.lattice;
  state.cells = w.state.cells;
  try {
    TilesEngine engine(state, w.physics(), 1, tiles_settings(w, 0), 0, 0);
    FAIL() << "it fitted";
  } catch (const OutOfMemory& e) {
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "has too little memory: the lattice needs 40 TB, and ",
                        e.what());
  }
}

TEST(CudaTiles, SayThatThereAreTooManyTypes) {
  KILN_NEEDS_GPU();
  SmallWorld w = test::everything(2, 1);
  w.types.resize(kMostTypesByRange + 1);
  w.j.assign(w.types.size() * w.types.size(), 0);
  try {
    TilesEngine engine(w.state, w.physics(), 1, tiles_settings(w, 0), w.largest_act(), 0);
    FAIL() << "it took them";
  } catch (const UserError& e) {
    EXPECT_STREQ(e.what(), "the model has 17 types, but the CUDA engine takes at most 16.");
  }
}

// A few cells that wander far through medium, past a wall, and around the box; sides are such that the last
// boxes of the map are one site wide.
TEST(CudaTiles, PassOverWhatIsDead) {
  KILN_NEEDS_GPU();
  for (const char* lattice : {"size = [129, 41]", "size = [129, 41]\nboundary = \"closed\"",
                              "size = [65, 33, 25]", "size = [65, 33, 25]\nboundary = \"closed\""}) {
    SCOPED_TRACE(lattice);
    const Model model = parse_model(fmt::format(R"(temperature = 20
[lattice]
{}
[types.wall]
frozen = true
[types.cell]
volume = {{target = 60, lambda = 5}}
act = {{lambda = 400, max = 20}}
[[initial]]
kind = "seeds"
type = "wall"
count = 3
radius = 2
[[initial]]
kind = "seeds"
type = "cell"
count = 4
radius = 3
)",
                                                lattice),
                                    "a sparse model", ".");
    const Physics physics = model.phases[0].physics.view();
    State state = initial_state(model);
    ASSERT_TRUE(is_sparse(state, physics));
    const auto gpu = make_engine(model, physics, state, {.engine = "cuda"});
    const auto threads = make_engine(model, physics, std::move(state), {.engine = "threads", .threads = 1});
    for (const int mcs : {1, 30, 200, 333}) {
      gpu->advance(mcs);
      threads->advance(mcs);
      ASSERT_EQ(state_hash(gpu->state()), state_hash(threads->state())) << "MCS " << gpu->state().mcs;
      EXPECT_EQ(gpu->counts().live, threads->counts().live);
      EXPECT_EQ(gpu->counts().attempts, threads->counts().attempts);
    }
  }
}

class CudaShippedModel : public testing::TestWithParam<std::string> {};

TEST_P(CudaShippedModel, KeepsItsBooksAndItsHash) {
  KILN_NEEDS_GPU();
  test::check_shipped_model(GetParam(), {.engine = "cuda"}, true);
}

TEST_P(CudaShippedModel, KeepsItsHashForLong) {
  KILN_NEEDS_GPU();
  test::check_shipped_model_for_long(GetParam(), {.engine = "cuda"});
}

INSTANTIATE_TEST_SUITE_P(Cuda, CudaShippedModel, testing::ValuesIn(test::shipped_models()), test::test_name);

}  // namespace
}  // namespace kiln::cuda
