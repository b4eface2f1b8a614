// The term headers are compiled unchanged for devices: NVRTC takes them as they are.
#include <gtest/gtest.h>

#include "engine/cuda/driver/nvrtc.hpp"
#include "support/nvrtc.hpp"

namespace kiln::cuda {
namespace {

// A device's World over plain arrays, so that every function of the headers is instantiated.
const char* const kKernel = R"(
#include "terms/hamiltonian.hpp"
using namespace kiln;
template <int Dim>
struct DeviceWorld {
  const uint8_t* types;
  const int32_t* volumes;
  const int32_t* perimeters;
  const Vec3f* directions;
  Patch<Dim> patch;
  FarPatch far;
  Tally counts;
  const uint32_t* acts;
  const int32_t* logs;
  CellId winner, loser;
  __device__ TypeId type(CellId c) const { return types[c]; }
  __device__ int32_t volume(CellId c) const { return volumes[c]; }
  __device__ int32_t perimeter(CellId c) const { return perimeters[c]; }
  __device__ Vec3i anchor(CellId) const { return {0, 0, 0}; }
  __device__ Vec3<int64_t> sum(CellId c) const { return {volumes[c], 2 * volumes[c], 0}; }
  __device__ Moments moments(CellId c) const { return {{volumes[c], volumes[c], 0, 0, 0, 0}}; }
  __device__ Vec3f direction(CellId c) const { return directions[c]; }
  __device__ const Patch<Dim>& around_target() const { return patch; }
  __device__ Vec3i target_place() const { return {0, 0, 0}; }
  __device__ const Tally& tally() const { return counts; }
  __device__ const FarPatch& far_around_target(const Neighbourhood& n) { far.count = n.count; return far; }
  __device__ float mean_act_at_target() const { return act::geometric_mean(patch, acts, loser, ActValue(3), logs); }
  __device__ float mean_act_at_source() const { return act::geometric_mean(patch, acts, winner, ActValue(3), logs); }
};
template <int Dim>
__device__ void judge(Physics physics, DeviceWorld<Dim>* worlds, const Copy* copies, bool* out) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  const Draw bits = draw(7, Stream::attempts, uint64_t(i), 3);
  CopyChange change;
  out[i] = accepts<Dim>(physics, worlds[i], copies[i], acceptance_threshold(physics.temperature, bits.a), change);
}
extern "C" __global__ void judge_2d(Physics p, DeviceWorld<2>* w, const Copy* c, bool* out) { judge<2>(p, w, c, out); }
extern "C" __global__ void judge_3d(Physics p, DeviceWorld<3>* w, const Copy* c, bool* out) { judge<3>(p, w, c, out); }
extern "C" __global__ void turn(persistence::Params p, Vec3f* d, const Vec3d* now, const Vec3d* before) {
  d[threadIdx.x] = persistence::turned(p, d[threadIdx.x], now[threadIdx.x], before[threadIdx.x]);
}
)";

TEST(DeviceTerms, CompileUnchangedWithNvrtc) {
  KILN_NEEDS_NVRTC();
  for (const int architecture : {75, 90}) {
    const auto all = resources(compile(kKernel, "terms.cu", architecture));
    int kernels = 0;
    for (const KernelResources& r : all) kernels += r.kernel;
    EXPECT_EQ(kernels, 3) << architecture;
  }
}

}  // namespace
}  // namespace kiln::cuda
