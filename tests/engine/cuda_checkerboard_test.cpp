// The `checkerboard` schedule on a GPU: kernels compile for every kind of model; books are exact after every
// MCS although atomics come in any order; and where attempts share nothing, it does what the threads do.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/cuda/checkerboard/engine.hpp"
#include "engine/cuda/driver/kernel_cache.hpp"
#include "engine/host/checkerboard_engine.hpp"
#include "support/full_world.hpp"
#include "support/nvrtc.hpp"

namespace kiln::cuda {
namespace {

using test::SmallWorld;

constexpr int kMaxAct = 24;  // of add_all_terms

struct Setting {
  const char* what;
  CheckerboardSettings settings;
};
using Barriers = CheckerboardSettings::Barriers;

constexpr Setting kSettings[] = {
    {"from the cache", {2, 4, 16, false, false}},
    {"from the lattice", {2, 4, 1, false, false}},
    {"in random order", {2, 4, 3, true, false}},
    {"with mutex", {2, 4, 3, false, true}},
    {"barriers per region", {2, 4, 3, false, false, false, Barriers::region}},
    {"replayed", {2, 4, 1, true, false, false, Barriers::attempt, 2}},
};
// In these attempts may see each other's targets.
constexpr Setting kMeetingSettings[] = {
    {"sources drawn", {2, 4, 3, false, false, true}},
    {"no barriers", {2, 4, 3, false, false, false, Barriers::none}},
    {"no barriers, at random", {2, 4, 3, true, false, true, Barriers::none, 2}},
};

Lattice lattice_of(int dimension) {
  if (dimension == 2) return {{44, 37, 1}, {true, false, false}, 2};
  return {{16, 11, 20}, {true, false, true}, 3};
}

SmallWorld world_of(int dimension, unsigned seed) {
  return seed % 3 == 0 ? test::everything_in(lattice_of(dimension), seed, 4, 5)
                       : test::everything_in(lattice_of(dimension), seed);
}

constexpr BoardKernels kUncached{false, true}, kGeneric{true, false};

Numbers numbers_for(const BoardKernels& kernels) {
  return kernels.specialised ? Numbers::folded : Numbers::all_terms;
}

KernelResources resources_of_play(const std::string& source) {
  for (const KernelResources& r : resources(compile_cached(source, "checkerboard.cu", 75)))
    if (r.name == "play_region" && r.kernel) return r;
  ADD_FAILURE() << "there is no play_region";
  return {};
}

TEST(CheckerboardKernels, Compile) {
  KILN_NEEDS_NVRTC();
  std::vector<Setting> settings(std::begin(kSettings), std::end(kSettings));
  settings.insert(settings.end(), std::begin(kMeetingSettings), std::end(kMeetingSettings));
  for (const int dimension : {2, 3})
    for (const Setting& s : settings) {
      if (s.settings.random_order) continue;  // as "from the lattice", "no barriers"
      SmallWorld w = world_of(dimension, 0);
      const SiteLayout layout = site_layout(w.state.cells.count(), kMaxAct);
      for (const BoardKernels& kernels : {BoardKernels{}, kGeneric}) {
        const KernelResources play = resources_of_play(
            checkerboard_source(w.physics(), s.settings, layout, 4, kernels, numbers_for(kernels)));
        EXPECT_LE(play.shared_bytes, 48 << 10) << s.what;
      }
    }
}

// Two types with volume and adhesion, as in cell sorting, and nothing else.
SmallWorld sorting_world(float lambda) {
  SmallWorld w = test::everything_in(lattice_of(2), 1);
  for (TypePhysics& t : w.types) {
    t = {};
    t.volume = {40, lambda};
  }
  w.adhesion_neighbours = w.perimeter_neighbours = neighbourhood_of_order(2, 2);
  return w;
}

// What differs in a parameter differs in a constant of memory alone, and what a model does not use is there.
TEST(CheckerboardKernels, GenericOnesAreNotMadeForTheModel) {
  KILN_NEEDS_NVRTC();
  const CheckerboardSettings settings = kSettings[0].settings;
  const SiteLayout layout = site_layout(100, 1);
  const auto source = [&](float lambda, const BoardKernels& kernels) {
    SmallWorld w = sorting_world(lambda);
    return checkerboard_source(w.physics(), settings, layout, 0, kernels, numbers_for(kernels));
  };
  const KernelResources special = resources_of_play(source(1, {})),
                        generic = resources_of_play(source(1, kGeneric)),
                        other = resources_of_play(source(7, kGeneric));
  EXPECT_GT(generic.registers, special.registers);
  EXPECT_GT(generic.stack_bytes, special.stack_bytes);  // the lists of far neighbours, which sorting has not
  EXPECT_EQ(generic.registers, other.registers);
  EXPECT_EQ(generic.stack_bytes, other.stack_bytes);
  EXPECT_EQ(special.shared_bytes, generic.shared_bytes);
  EXPECT_LT(resources_of_play(source(1, kUncached)).shared_bytes, special.shared_bytes);
}

// 4 x 4 places of 4 bytes in 2-D fit for 256 threads; 10 x 10 x 10 fit for no useful number of them, and a
// single attempt is not worth a load.
TEST(CheckerboardKernels, CacheWhereItFitsAndPays) {
  const SiteLayout layout{4, 32, 0};
  SmallWorld flat = world_of(2, 0), solid = world_of(3, 0);
  const auto shape = [&](int region, int switch_every, bool mutex, int dimension) {
    return board_shape((dimension == 2 ? flat : solid).physics(),
                       {region, 2 * region, switch_every, false, mutex}, layout);
  };
  EXPECT_TRUE(shape(2, 4, false, 2).cached);
  EXPECT_EQ(shape(2, 4, false, 2).threads, 256);
  EXPECT_TRUE(shape(2, 16, false, 3).cached);
  EXPECT_EQ(shape(2, 16, false, 3).threads, 128);
  EXPECT_FALSE(shape(8, 1000, false, 3).cached);
  EXPECT_FALSE(shape(4, 1, false, 3).cached);
  EXPECT_FALSE(shape(4, 1000, true, 2).cached);
  EXPECT_FALSE(board_shape(flat.physics(), {2, 4, 4, false, false}, layout, kUncached).cached);
  // Sources need a wider rim, and a cache is no good where others write into it.
  EXPECT_TRUE(board_shape(flat.physics(), {4, 8, 16, false, false, true}, layout).cached);
  EXPECT_FALSE(board_shape(flat.physics(), {2, 4, 4, false, false, true}, layout).cached);
  EXPECT_FALSE(board_shape(flat.physics(), {4, 8, 16, false, false, false, Barriers::none}, layout).cached);
}

template <int Dim, std::size_t Count>
void check_books(const Setting (&settings)[Count]) {
  int64_t accepted = 0;
  for (const Setting& s : settings)
    for (unsigned seed = 0; seed < 2; ++seed) {
      SmallWorld w = world_of(Dim, seed);
      const Physics physics = w.physics();
      CheckerboardEngine engine(w.state, physics, seed, s.settings, kMaxAct, 0);
      kiln::CheckerboardEngine<Dim> host(w.state, physics, seed, s.settings, 1);
      for (int mcs = 0; mcs < 6; ++mcs) {
        engine.advance(1);
        ASSERT_EQ(audit(engine.state(), w.perimeter_neighbours, w.frozen()), "")
            << s.what << ", seed " << seed << ", MCS " << mcs;
      }
      host.advance(6);
      EXPECT_EQ(engine.state().mcs, 6);
      // Replayed numbers are taken as they are needed, which the order of atomics decides.
      if (s.settings.replayed_mcs == 0) {
        EXPECT_EQ(engine.counts().attempts, host.counts().attempts) << s.what << ", seed " << seed;
      }
      EXPECT_LE(engine.counts().accepted, engine.counts().live);
      accepted += engine.counts().accepted;
    }
  EXPECT_GT(accepted, 1000);
}
TEST(CudaCheckerboard, KeepsExactBooks2D) {
  KILN_NEEDS_GPU();
  check_books<2>(kSettings);
  check_books<2>(kMeetingSettings);
}
TEST(CudaCheckerboard, KeepsExactBooks3D) {
  KILN_NEEDS_GPU();
  check_books<3>(kSettings);
  check_books<3>(kMeetingSettings);
}

// Without volume and perimeter the attempts of a step have nothing in common, so their order does not matter.
template <int Dim>
void check_same_as_threads() {
  for (const Setting& s : kSettings) {
    if (s.settings.mutex) continue;
    for (unsigned seed = 0; seed < 2; ++seed) {
      SmallWorld w = world_of(Dim, seed);
      for (TypePhysics& t : w.types) t.volume.lambda = t.perimeter.lambda = 0;
      std::vector<float> values(std::size_t(3 * w.state.lattice.sites()));
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(int(i * 7 % 11) - 5);
      if (seed % 2 == 1) {
        w.fields[0].shape = VectorField::Shape::stored;
        w.fields[0].data = values.data();
      }
      const Physics physics = w.physics();
      CheckerboardEngine engine(w.state, physics, seed, s.settings, kMaxAct, 0);
      CheckerboardEngine plain(w.state, physics, seed, s.settings, kMaxAct, 0, {false, false}),
          unskipping(w.state, physics, seed, s.settings, kMaxAct, 0, {false, false, false});
      kiln::CheckerboardEngine<Dim> host(w.state, physics, seed, s.settings, 1);
      for (int mcs = 0; mcs < 6; ++mcs) {
        engine.advance(1);
        host.advance(1);
        ASSERT_EQ(state_hash(engine.state()), state_hash(host.state()))
            << s.what << ", seed " << seed << ", MCS " << mcs;
      }
      plain.advance(6);
      EXPECT_EQ(state_hash(plain.state()), state_hash(host.state())) << s.what << ", seed " << seed;
      EXPECT_EQ(engine.counts().accepted, host.counts().accepted);
      EXPECT_EQ(engine.counts().live, host.counts().live);
      // Energies that are nearly nothing take a number of their own where numbers are replayed.
      if (s.settings.replayed_mcs > 0) continue;
      unskipping.advance(6);
      EXPECT_EQ(state_hash(unskipping.state()), state_hash(host.state())) << s.what << ", seed " << seed;
    }
  }
}
TEST(CudaCheckerboard, IsThatOfTheThreadsWhereNothingIsShared2D) {
  KILN_NEEDS_GPU();
  check_same_as_threads<2>();
}
TEST(CudaCheckerboard, IsThatOfTheThreadsWhereNothingIsShared3D) {
  KILN_NEEDS_GPU();
  check_same_as_threads<3>();
}

// A single block makes its attempts one after the other, sizes and all.
TEST(CudaCheckerboard, IsThatOfTheThreadsInASingleBlock) {
  KILN_NEEDS_GPU();
  for (const int switch_every : {1, 64}) {
    const CheckerboardSettings settings{4, 12, switch_every, false, false, switch_every == 1};
    SmallWorld w = test::everything_in({{12, 12, 12}, {true, false, true}, 3}, 2);
    const Physics physics = w.physics();
    CheckerboardEngine engine(w.state, physics, 3, settings, kMaxAct, 0);
    kiln::CheckerboardEngine<3> host(w.state, physics, 3, settings, 1);
    engine.advance(40);  // longer than stamps of Act last
    host.advance(40);
    EXPECT_EQ(state_hash(engine.state()), state_hash(host.state()));
    EXPECT_EQ(engine.counts().accepted, host.counts().accepted);
  }
}

// As on threads: one cell, stripes, every copy free, 16 steps per MCS. An attempt that loses the race leaves
// the winner's copy, so a step accepts one, no more and no less.
TEST(CudaCheckerboard, MutexAcceptsOneCopyPerCellBetweenBarriers) {
  KILN_NEEDS_GPU();
  SmallWorld w;
  w.state.lattice = {{400, 400, 1}, {true, true, false}, 2};
  w.state.ids = HugeVector<CellId>(160000);
  w.state.cells.add(0);
  w.state.cells.add(1);
  for (std::size_t i = 0; i < w.state.ids.size(); ++i) w.state.ids[i] = i % 2;
  w.types.resize(2);
  w.j.assign(4, 0.0);
  w.adhesion_neighbours = w.perimeter_neighbours = neighbourhood_of_order(2, 2);
  w.recount();
  CheckerboardEngine engine(w.state, w.physics(), 1, {2, 4, 3, false, true}, 0, 0);
  for (int mcs = 1; mcs <= 5; ++mcs) {
    engine.advance(1);
    EXPECT_EQ(engine.counts().accepted, 16 * mcs);
    EXPECT_EQ(audit(engine.state(), w.perimeter_neighbours, w.frozen()), "");
  }
}

}  // namespace
}  // namespace kiln::cuda
