// Substances on a GPU: their kernels compile, and give the bits of threads.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "engine/cuda/driver/nvrtc.hpp"
#include "engine/cuda/substances/diffusion.hpp"
#include "engine/substances/diffusion.hpp"
#include "support/nvrtc.hpp"

namespace kiln::cuda {
namespace {

TEST(DiffusionKernels, CompileWithoutSpills) {
  KILN_NEEDS_NVRTC();
  for (const int dimension : {2, 3})
    for (const KernelResources& r : resources(compile(diffusion_source(dimension), "diffusion.cu", 90)))
      EXPECT_EQ(r.spill_stores + r.spill_loads, 0) << r.name << ", " << dimension << "-D";
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
        std::vector<double> here(count, 0);
        for (std::size_t i = 0; i < count; ++i) {
          sources.secretion[i] = any(rng);
          sources.uptake[0].share[i] = any(rng);
          if (open[i]) here[i] = any(rng);
        }
        Diffusion on_threads(voxels, 2, like, openness);
        DeviceDiffusion on_gpu(device, stream, Equation(voxels, 2, like, openness));
        on_gpu.set(here);
        on_gpu.set(sources);
        Budget expected, found;
        for (int i = 0; i < 5; ++i) {
          on_threads.advance(here, sources, 1, team, &expected);
          on_gpu.advance(1, &found);
        }
        const std::vector<double> there = on_gpu.concentration();
        for (std::size_t i = 0; i < count; ++i)
          ASSERT_EQ(std::bit_cast<uint64_t>(there[i]), std::bit_cast<uint64_t>(here[i]))
              << dimension << "-D, alpha " << alpha << ", voxel " << i;
        EXPECT_EQ(found.secreted, expected.secreted);
        EXPECT_EQ(found.taken_up, expected.taken_up);
        EXPECT_EQ(found.decayed, expected.decayed);
        EXPECT_EQ(found.crossed_walls, expected.crossed_walls);
      }
}

}  // namespace
}  // namespace kiln::cuda
