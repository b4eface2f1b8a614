// The kernels of every shipped model compile for the cards we name, and no value spills from registers to
// memory. It needs no GPU, only NVRTC's library.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "engine/cuda/driver/kernel_cache.hpp"
#include "engine/cuda/survey/survey.hpp"
#include "engine/cuda/tiles/data.hpp"
#include "engine/cuda/tiles/source.hpp"
#include "engine/ranks/bricks.hpp"
#include "engine/schedule/tiles_plan.hpp"
#include "support/nvrtc.hpp"
#include "support/shipped.hpp"
#include "support/tiles_worlds.hpp"

namespace kiln::cuda {
namespace {

using test::SmallWorld;

// Turing, Ampere and Hopper, and the newest that NVRTC knows.
std::set<int> architectures() {
  const std::vector<int> all = supported_architectures();
  return {75, 80, 90, *std::max_element(all.begin(), all.end())};
}

// That which the kernels' shapes were measured on, and another that depends on the model's name: all together
// have them all.
std::set<int> architectures_for(const std::string& model) {
  std::set<int> rest = architectures();
  rest.erase(90);
  const std::size_t pick = std::accumulate(model.begin(), model.end(), std::size_t(0));
  return {90, *std::next(rest.begin(), std::ptrdiff_t(pick % rest.size()))};
}

// Bytes that a block can have, as NVIDIA's programming guide gives them; the least for those not named here.
int shared_per_block(int architecture) {
  return architecture == 75 ? 65536 : architecture == 80 ? 166912 : architecture == 90 ? 232448 : 101376;
}

// What no shipped model asks for: words of 64 bits and the longest Act, fields from files, the most types,
// far neighbours, more sites than 32 bits count, a fixed number of passes.
TEST(TilesKernels, CompileForEveryKindOfModel) {
  KILN_NEEDS_NVRTC();
  SmallWorld w = test::everything(3, 3);
  const auto compiles = [&](const SiteLayout& layout, int passes) {
    EXPECT_NO_THROW(compile_tiles(w.physics(), test::tiles_settings(w, passes), layout,
                                  w.state.cells.history_length, Numbers::folded, 90, 132,
                                  shared_per_block(90), false, all_sites(w.physics().lattice)));
  };
  {
    SCOPED_TRACE("the longest Act");
    compiles(site_layout(1u << 20, 65535), 0);
  }
  {
    SCOPED_TRACE("a field from a file");
    w.fields[0].shape = VectorField::Shape::stored;
    compiles(site_layout(w.state.cells.count(), w.largest_act()), 2);
  }
  {
    SCOPED_TRACE("the most types, on a large lattice");
    w.types.resize(kMostTypesByRange, w.types[1]);
    w.j.assign(w.types.size() * w.types.size(), 1);
    w.state.lattice.size = {2000, 2000, 2000};
    compiles(site_layout(1u << 31, 0), 1);
  }
}

// One source whatever the numbers are, so that a cache has the kernels; of another structure another.
TEST(TilesKernels, NumbersInMemoryAreNotInTheSource) {
  KILN_NEEDS_NVRTC();
  for (const int dimension : {2, 3}) {
    SmallWorld w = test::everything(dimension, 3);
    const auto source = [&](Numbers numbers) {
      return tiles_source(w.physics(), test::tiles_settings(w, 2), site_layout(1000, w.largest_act()),
                          w.state.cells.history_length, {}, numbers, all_sites(w.physics().lattice));
    };
    const std::string before = source(Numbers::in_memory), folded = source(Numbers::folded);
    EXPECT_NO_THROW(compile_cached(before, "tiles.cu", 90));
    w.temperature *= 1.5f;
    w.types[1].volume = {w.types[1].volume.target + 3, 2 * w.types[1].volume.lambda};
    w.types[1].act.lambda += 7;
    for (double& j : w.j) j += 1;
    w.unit *= 2;
    EXPECT_EQ(source(Numbers::in_memory), before);
    EXPECT_NE(source(Numbers::folded), folded);
    w.types[1].frozen = true;
    EXPECT_NE(source(Numbers::in_memory), before);
  }
}

TEST(SurveyKernels, CompileForAnyNumberOfTypes) {
  KILN_NEEDS_NVRTC();
  for (const int dimension : {2, 3}) {
    SmallWorld w = test::everything(dimension, 3);
    const std::size_t few = w.types.size();
    for (const std::size_t types : {few, std::size_t(8), std::size_t(9), std::size_t(kMostTypesByRange)}) {
      w.types.resize(types, w.types[1]);
      w.j.assign(types * types, 1);
      for (const int architecture : types == few ? architectures() : std::set<int>{90}) {
        const std::string source = survey_source(w.physics(), site_layout(1000, w.largest_act()));
        for (const KernelResources& r : resources(compile_cached(source, "survey.cu", architecture)))
          EXPECT_EQ(r.spill_stores + r.spill_loads, 0) << r.name << " spills for sm_" << architecture;
      }
    }
  }
}

// Models that one GPU can play as a whole.
std::vector<std::string> large_models() {
  std::vector<std::string> names = test::models_in("large/");
  std::erase(names, "large/cubic-centimetre.toml");
  return names;
}

TEST(CudaKernels, RefuseACubicCentimetre) {
  const Model model = read_model(test::models_folder() / "large/cubic-centimetre.toml");
  EXPECT_THROW(tiles::require_short_numbers(model), UserError);
}

class ShippedKernels : public testing::TestWithParam<std::string> {};

TEST_P(ShippedKernels, CompileWithoutSpills) {
  KILN_NEEDS_NVRTC();
  const Model model = read_model(test::models_folder() / GetParam());
  const SiteLayout layout =
      site_layout(uint32_t(expected_cells(model)) + 1, model.uses_act() ? model.largest_act() : 0);
  for (const Phase& phase : model.phases)
    for (const int architecture : architectures_for(GetParam())) {
      const TilesKernels kernels = compile_tiles(
          phase.physics.view(), tiles::settings_for(model), layout, model.history_length(), Numbers::folded,
          architecture, 132, shared_per_block(architecture), true, all_sites(model.lattice));
      // Following a substance takes registers: two places between eight voxels each.
      const int least = architecture != 90 ? 4 : phase.physics.uses.substances ? 10 : 14;
      EXPECT_GE(kernels.shape.warps_per_block, least) << "sm_" << architecture;
      const auto all = resources(kernels.compiled);
      const auto is_play = [](const KernelResources& r) { return r.name == "play" && r.kernel; };
      ASSERT_EQ(std::count_if(all.begin(), all.end(), is_play), 1) << "no report for sm_" << architecture;
      for (const KernelResources& r : all)
        EXPECT_EQ(r.spill_stores + r.spill_loads, 0)
            << r.name << " spills for sm_" << architecture << ", with " << r.registers << " registers";
    }
}

class EnsembleKernels : public testing::TestWithParam<std::string> {};

// For crews of several blocks, and for several blocks per multiprocessor, one each.
TEST_P(EnsembleKernels, CompileWithoutSpills) {
  KILN_NEEDS_NVRTC();
  const Model model = read_model(test::models_folder() / GetParam());
  const SiteLayout layout =
      site_layout(uint32_t(expected_cells(model)) + 1, model.uses_act() ? model.largest_act() : 0);
  for (const int members : {2, 1000}) {
    const TilesKernels kernels = compile_tiles_for_members(
        members, model.phases.back().physics.view(), tiles::settings_for(model), layout,
        model.history_length(), Numbers::folded, 90, 132, shared_per_block(90), true);
    EXPECT_GE(kernels.shape.crew, 1);
    EXPECT_EQ(kernels.shape.blocks_per_multiprocessor > 1, members > 132);
    EXPECT_GE(kernels.shape.warps_per_block * kernels.shape.blocks_per_multiprocessor, 8);
    for (const KernelResources& r : resources(kernels.compiled))
      EXPECT_EQ(r.spill_stores + r.spill_loads, 0)
          << r.name << " spills, for " << members << " members, with " << r.registers << " registers";
  }
}

class BrickKernels : public testing::TestWithParam<std::string> {};

// A brick of two, along the last axis, or along x, whose rows are then padded.
TEST_P(BrickKernels, CompileWithoutSpills) {
  KILN_NEEDS_NVRTC();
  const Model model = read_model(test::models_folder() / GetParam());
  const SiteLayout layout =
      site_layout(uint32_t(expected_cells(model)) + 1, model.uses_act() ? model.largest_act() : 0);
  const bool along_x = GetParam().size() % 2 == 0;
  const Vec3i counts = along_x                        ? Vec3i{2, 1, 1}
                       : model.lattice.dimension == 2 ? Vec3i{1, 2, 1}
                                                      : Vec3i{1, 1, 2};
  const Brick brick = brick_with_halo(BrickGrid(model.lattice, counts), 1, 2);
  const TilesKernels kernels =
      compile_tiles(model.phases.back().physics.view(), tiles::settings_for(model), layout,
                    model.history_length(), Numbers::folded, 90, 132, shared_per_block(90), true,
                    sites_of_brick(brick.stored, brick.own.size(), along_x, layout.word_bytes));
  EXPECT_GE(kernels.shape.warps_per_block, 14);
  for (const KernelResources& r : resources(kernels.compiled))
    EXPECT_EQ(r.spill_stores + r.spill_loads, 0) << r.name << " spills, with " << r.registers << " registers";
}

INSTANTIATE_TEST_SUITE_P(Small, BrickKernels, testing::ValuesIn(test::shipped_models()), test::test_name);
INSTANTIATE_TEST_SUITE_P(Small, ShippedKernels, testing::ValuesIn(test::shipped_models()), test::test_name);
INSTANTIATE_TEST_SUITE_P(Small, EnsembleKernels, testing::ValuesIn(test::shipped_models()), test::test_name);
INSTANTIATE_TEST_SUITE_P(Large, ShippedKernels, testing::ValuesIn(large_models()), test::test_name);

}  // namespace
}  // namespace kiln::cuda
