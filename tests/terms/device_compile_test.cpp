// The term headers are compiled unchanged for devices: NVRTC takes them as they are. It needs no GPU, only
// its library.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using Program = void*;

// The few calls of NVRTC that are needed, opened at run time.
struct Nvrtc {
  void* library = nullptr;
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*compile)(Program, int, const char* const*) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*destroy)(Program*) = nullptr;

  Nvrtc() {
    for (const char* name : {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"})
      if ((library = dlopen(name, RTLD_NOW)) != nullptr) break;
    if (library == nullptr) return;
    find(create, "nvrtcCreateProgram");
    find(compile, "nvrtcCompileProgram");
    find(log_size, "nvrtcGetProgramLogSize");
    find(log, "nvrtcGetProgramLog");
    find(destroy, "nvrtcDestroyProgram");
  }
  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
  }
};

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
  __device__ Vec3f direction(CellId c) const { return directions[c]; }
  __device__ const Patch<Dim>& around_target() const { return patch; }
  __device__ const Tally& tally() const { return counts; }
  __device__ const FarPatch& far_around_target(const Neighbourhood& n) { far.count = n.count; return far; }
  __device__ float mean_act_at_target() const { return act::geometric_mean(patch, acts, loser, ActValue(3), logs); }
  __device__ float mean_act_at_source() const { return act::geometric_mean(patch, acts, winner, ActValue(3), logs); }
};
template <int Dim>
__device__ void judge(Physics physics, DeviceWorld<Dim>* worlds, const Copy* copies, bool* out) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  const Draw bits = draw(7, Stream::attempts, uint64_t(i), 3);
  out[i] = accepts<Dim>(physics, worlds[i], copies[i], acceptance_threshold(physics.temperature, bits.a));
}
extern "C" __global__ void judge_2d(Physics p, DeviceWorld<2>* w, const Copy* c, bool* out) { judge<2>(p, w, c, out); }
extern "C" __global__ void judge_3d(Physics p, DeviceWorld<3>* w, const Copy* c, bool* out) { judge<3>(p, w, c, out); }
extern "C" __global__ void turn(persistence::Params p, Vec3f* d, const Vec3d* now, const Vec3d* before) {
  d[threadIdx.x] = persistence::turned(p, d[threadIdx.x], now[threadIdx.x], before[threadIdx.x]);
}
)";

TEST(Device, TermHeadersCompileUnchangedWithNvrtc) {
  const Nvrtc nvrtc;
  if (nvrtc.library == nullptr)
    GTEST_SKIP() << "libnvrtc is not installed, so nothing was compiled for a device";
  for (const char* architecture : {"--gpu-architecture=compute_75", "--gpu-architecture=compute_90"}) {
    Program program = nullptr;
    ASSERT_EQ(nvrtc.create(&program, kKernel, "terms.cu", 0, nullptr, nullptr), 0);
    const std::string include = std::string("--include-path=") + KILN_SOURCE_DIR + "/src";
    const std::vector<const char*> options = {architecture, "--std=c++20", "--fmad=false", include.c_str()};
    const int result = nvrtc.compile(program, int(options.size()), options.data());
    std::size_t size = 0;
    nvrtc.log_size(program, &size);
    std::string log(size, '\0');
    nvrtc.log(program, log.data());
    EXPECT_EQ(result, 0) << log;
    nvrtc.destroy(&program);
  }
}

}  // namespace
