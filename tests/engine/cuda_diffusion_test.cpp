// Substances on a GPU: their kernels compile, and give the bits of threads.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "engine/cuda/driver/nvrtc.hpp"
#include "engine/cuda/substances/substances.hpp"
#include "engine/cuda/tiles/source.hpp"
#include "engine/schedule/tiles_plan.hpp"
#include "engine/substances/diffusion.hpp"
#include "support/nvrtc.hpp"
#include "support/played.hpp"

namespace kiln::cuda {
namespace {

TEST(DiffusionKernels, CompileWithoutSpills) {
  KILN_NEEDS_NVRTC();
  using namespace substances;
  for (const int dimension : {2, 3})
    for (const bool obstacles : {false, true}) {
      const Lattice voxels{{64, 32, dimension == 3 ? 32 : 1}, {false, true, false}, dimension};
      Properties like{100, 0.01, {}};
      like.sides[0] = {Side::Kind::value, 1};
      like.sides[1] = {Side::Kind::flux, 1};
      const std::vector<bool> open(std::size_t(voxels.sites()), true);
      const Equation equation(voxels, 4, like, obstacles ? openness_of(voxels, 1, open) : Openness{});
      const Sources sources{{0}, {{0.4, 0.15, {0}}, {0.1, 0.3, {0}}}, {uint8_t(obstacles)}};
      const SourceForm form = obstacles ? SourceForm{} : SourceForm{Shares::fit_floats, 0.1};
      for (const KernelResources& r :
           resources(compile(diffusion_source(equation, sources, form), "diffusion.cu", 90)))
        EXPECT_EQ(r.spill_stores + r.spill_loads, 0) << r.name << ", " << dimension << "-D";
    }
}

TEST(CudaDiffusion, GivesTheBitsOfThreads) {
  KILN_NEEDS_GPU();
  using namespace substances;
  const Device device(0);
  const Stream stream(device);
  Team team(2);
  std::mt19937 rng(5);
  std::uniform_real_distribution<double> any(0, 1);
  for (const int dimension : {2, 3})
    for (const double alpha : {0.0, 2.0, 60.0})
      for (const bool obstacles : {false, true}) {
        const Lattice voxels{{71, 18, dimension == 3 ? 13 : 1}, {false, true, false}, dimension};
        const auto count = std::size_t(voxels.sites());
        Properties like{4 * alpha, 0.02, {}};
        like.sides[0] = {Side::Kind::value, 0.7};
        like.sides[1] = {Side::Kind::flux, 0.2};
        if (dimension == 3) like.sides[5] = {Side::Kind::value, 0};
        std::vector<bool> open(count, true);
        for (std::size_t i = 0; i < count && obstacles; ++i) open[i] = rng() % 5 != 0;
        const Openness openness = obstacles ? openness_of(voxels, 1, open) : Openness{};
        Sources sources{std::vector<double>(count), {{0.4, 0.15, std::vector<double>(count)}}};
        const SourceForm form{obstacles ? Shares::any : Shares::fit_floats,
                              alpha == 2 && !obstacles ? 0.7 : 0.0};
        std::vector<double> here(count, 0);
        for (std::size_t i = 0; i < count; ++i) {
          sources.secretion[i] = form.secreted != 0 ? form.secreted * double(rng() % 65) / 64 : any(rng);
          sources.uptake[0].share[i] = obstacles ? any(rng) : double(rng() % 65) / 64;
          if (open[i]) here[i] = any(rng);
        }
        Diffusion on_threads(voxels, 2, like, openness);
        DeviceDiffusion on_gpu(device, stream, Equation(voxels, 2, like, openness), sources, form);
        on_gpu.set(here);
        on_gpu.set(sources);
        Budget expected;
        for (int i = 0; i < 5; ++i) {
          on_threads.advance(here, sources, 1, team, &expected);
          on_gpu.advance(1);
        }
        const std::vector<double> there = on_gpu.concentration();
        for (std::size_t i = 0; i < count; ++i)
          ASSERT_EQ(std::bit_cast<uint64_t>(there[i]), std::bit_cast<uint64_t>(here[i]))
              << dimension << "-D, alpha " << alpha << ", voxel " << i;
        const Budget found = on_gpu.budget();
        EXPECT_EQ(on_gpu.total(), on_threads.total(here));
        EXPECT_EQ(found.secreted, expected.secreted);
        EXPECT_EQ(found.taken_up, expected.taken_up);
        EXPECT_EQ(found.decayed, expected.decayed);
        EXPECT_EQ(found.crossed_walls, expected.crossed_walls);
      }
}

// A source, a wall that holds, an obstacle; cells of two types that take up, secrete and follow.
std::string tissue_in(const std::string& size) {
  return R"toml(
seed = 11
temperature = 15
[lattice]
size = )toml" +
         size + R"toml(
boundary = "closed"
[units]
voxel_um = 2
seconds_per_mcs = 3
[substances.food]
diffusion = 12
decay = 0.02
coarsen = 2
start = "0.1 + 0.001 * x"
boundary = { x_low = 0.5, y = "periodic", x_high = { flux = 0.02 } }
impermeable = "bone"
[substances.signal]
diffusion = 300
decay = 0.05
update_every = 2
[substances.scent]
diffusion = 40
decay = 0.01
mode = "steady"
coarsen = 4
[substances.trace]
diffusion = 30
decay = 0.03
coarsen = 4
[types.medium]
takes_up.signal = 0.01
[types.bone]
frozen = true
[types.vessel]
frozen = true
holds.food = 0.8
secretes.scent = 0.1
[types.cell]
volume = { target = 24, lambda = 6 }
takes_up.food = { rate = 0.2, at_most = 0.1 }
secretes = { signal = { rate = 3, per = "cell" }, trace = 0.07 }
act = { lambda = 20, max = 8 }
chemotaxis = { lambda = 900, substance = "food", response = "saturated", half = 0.3 }
[types.other]
volume = { target = 30, lambda = 6 }
secretes = { food = 0.1, scent = 0.02 }
takes_up = { food = 0.05, scent = 0.3 }
chemotaxis = { lambda = 300, substance = "signal", response = "logarithmic", half = 0.1, who = "both", at = "medium" }
[adhesion]
default = 4
[[initial]]
kind = "seeds"
types = { bone = 1, vessel = 1 }
count = 6
radius = 4
[[initial]]
kind = "seeds"
types = { cell = 2, other = 1 }
count = 60
radius = 2
[schedule]
checkerboard = { per_thread = 8, region = 4 }
)toml";
}
const char* const kSizes[] = {"[96, 64]", "[40, 32, 24]"};

TEST(SubstanceKernels, CompileWithoutSpills) {
  KILN_NEEDS_NVRTC();
  for (const char* size : kSizes) {
    const Model model = parse_model(tissue_in(size), "m.toml", ".");
    const Physics physics = model.phases.front().physics.view();
    const SiteLayout layout = site_layout(100, model.largest_act());
    for (const KernelResources& r : resources(compile(sources_source(physics, layout, 0), "sources.cu", 90)))
      EXPECT_EQ(r.spill_stores + r.spill_loads, 0) << r.name;
    // Terms read substances on the device.
    EXPECT_EQ(used_substances(physics), 2);
    compile_tiles(physics, tiles::settings_for(model), layout, 0, Numbers::folded, 90, 132, 232448, false,
                  all_sites(physics.lattice));
  }
}

TEST(CudaSubstances, InATissueHaveTheBitsOfThreads) {
  KILN_NEEDS_GPU();
  for (const char* size : kSizes) {
    const Model model = parse_model(tissue_in(size), "m.toml", ".");
    test::Played threads(model, std::nullopt, "threads", 4), gpu(model, std::nullopt, "cuda", 1);
    State state;
    for (int mcs = 0; mcs < 40; ++mcs) {
      threads.play(1);
      gpu.play(1);
      if (mcs == 20) state = gpu.state();
      ASSERT_EQ(threads.hash(), gpu.hash()) << size << ", MCS " << mcs + 1;
    }
    test::Played again(model, state, "cuda", 1);
    again.play(19);
    EXPECT_EQ(again.hash(), gpu.hash());
    for (std::size_t s = 0; s < model.substances.size(); ++s) {
      const Substance &a = threads.state().substances[s], &b = gpu.state().substances[s],
                      &c = again.state().substances[s];
      EXPECT_TRUE(a.budget == b.budget && a.total == b.total) << a.name;
      EXPECT_TRUE(a.budget == c.budget && a.total == c.total) << a.name;
      EXPECT_TRUE(a.shown == b.shown && a.values == b.values) << a.name;
    }
  }
}

// Its copies are its own; what cells did to substances is known nevertheless.
TEST(CudaSubstances, KeepTheirBooksOnTheCheckerboard) {
  KILN_NEEDS_GPU();
  for (const char* size : kSizes) {
    test::Played gpu(parse_model(tissue_in(size), "m.toml", "."), std::nullopt, "cuda", 1, "checkerboard");
    gpu.play(40);
    EXPECT_EQ(gpu.books(), "");
    for (const Substance& s : gpu.state().substances) {
      EXPECT_GT(s.total, 0) << s.name;
      if (s.name == "scent") continue;  // it is steady: it has no books
      EXPECT_NEAR(s.total, s.first_total + s.budget.gain(), 1e-12 * (s.total + s.budget.decayed)) << s.name;
    }
  }
}

}  // namespace
}  // namespace kiln::cuda
