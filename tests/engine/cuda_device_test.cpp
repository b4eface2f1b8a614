// The driver's wrapper: what it says where there is no GPU, and, where there is one, that memory, kernels,
// streams and errors work.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "engine/cuda/driver/driver.hpp"
#include "engine/cuda/driver/nvrtc.hpp"
#include "support/nvrtc.hpp"

namespace kiln::cuda {
namespace {

const char* const kSelfTest = R"(
__constant__ int factor;
__device__ short powers[3];
struct Term { double slope; int offset; };
extern "C" __global__ void linear(long long n, Term term, const int* in, int* out) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = factor * (int(term.slope * in[i]) + term.offset);
}
extern "C" __global__ void reverse(int* line) {
  extern __shared__ int copy[];
  copy[threadIdx.x] = line[threadIdx.x];
  __syncthreads();
  line[threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}
// Every block reads what another wrote before a barrier of the whole grid.
extern "C" __global__ void exchange(unsigned* arrived, volatile int* between, int* out) {
  const unsigned n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  between[i] = int(7 * i);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1u);
    while (atomicAdd(arrived, 0u) < gridDim.x) {}
    __threadfence();
  }
  __syncthreads();
  out[i] = between[(i + blockDim.x) % n];
}
extern "C" __global__ void show_powers(int* out) { out[threadIdx.x] = powers[threadIdx.x]; }
extern "C" __global__ void stray(int* nowhere) { nowhere[threadIdx.x] = 1; }
)";

struct Term {
  double slope;
  int offset;
};

struct Gpu {
  Device device{0};
  Module module{device, compile(kSelfTest, "selftest.cu", architecture_for(device.info())).cubin};
  Stream stream{device};
};

TEST(CudaAvailability, IsAGpuOrAReason) {
  const Availability& found = availability();
  EXPECT_EQ(found.nvrtc_version, nvrtc_version());
  if (found.why_not.empty()) {
    ASSERT_FALSE(found.devices.empty());
    EXPECT_GE(std::stoi(found.driver_version), 12);
  } else if (found.driver_version.empty()) {
    EXPECT_TRUE(found.why_not.starts_with("NVIDIA's driver is ")) << found.why_not;
    EXPECT_TRUE(found.devices.empty());
  }
}

TEST(CudaAvailability, ADeviceThatIsNotThereIsTheUsersError) {
  const Availability& found = availability();
  const int index = int(found.devices.size());
  const std::string expected = index == 0
                                   ? "no GPU can be used: " + found.why_not
                                   : "there is no GPU number " + std::to_string(index) +
                                         ": the driver shows " + std::to_string(index) + ", numbered from 0";
  try {
    Device device(index);
    FAIL() << "there is one";
  } catch (const UserError& e) {
    EXPECT_EQ(e.what(), expected);
  }
}

TEST(CudaErrors, SayWhatIsLost) {
  try {
    api::fail(700, "copying from the GPU");
  } catch (const DeviceLost& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with("copying from the GPU failed: ")) << e.what();
    EXPECT_TRUE(
        std::string(e.what()).ends_with("; what the GPU held is lost, and the last state that was written "
                                        "to disk is still good"))
        << e.what();
  }
  try {
    api::fail(1, "copying from the GPU");
  } catch (const DeviceLost& e) {
    FAIL() << "a bad argument loses nothing: " << e.what();
  } catch (const Failure& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with("copying from the GPU failed: ")) << e.what();
  }
  EXPECT_NO_THROW(api::check(0, "copying from the GPU"));
}

TEST(CudaSelfTest, Compiles) {
  KILN_NEEDS_NVRTC();
  for (const int architecture : {75, 90})
    EXPECT_EQ(resources(compile(kSelfTest, "selftest.cu", architecture)).size(), 5u);
}

TEST(CudaDevice, KnowsItself) {
  KILN_NEEDS_GPU();
  const Device device(0);
  const DeviceInfo& info = device.info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_GE(info.architecture(), 70);
  EXPECT_GT(info.multiprocessors, 0);
  EXPECT_GE(info.shared_per_block, 48 * 1024);
  EXPECT_GT(device.free_memory(), 0);
  EXPECT_LE(device.free_memory(), info.memory);
}

TEST(CudaDevice, CopiesFillsAndChecksRanges) {
  KILN_NEEDS_GPU();
  const Device device(0);
  Buffer<int> a(device, 1000, "a test"), b(device, 1000, "a test");
  std::vector<int> in(1000), out(1000, -1);
  std::iota(in.begin(), in.end(), 5);
  a.upload(in.data(), 1000);
  b.copy(a, 1000);
  b.download(out.data(), 1000);
  EXPECT_EQ(out, in);

  a.fill(0xFF);
  a.upload(in.data(), 10, 100);
  a.download(out.data(), 12, 99);
  EXPECT_EQ(out[0], -1);
  EXPECT_EQ(out[1], 5);
  EXPECT_EQ(out[10], 14);
  EXPECT_EQ(out[11], -1);

  EXPECT_THROW(a.upload(in.data(), 1, 1000), Failure);
  EXPECT_THROW(a.download(out.data(), 1001), Failure);

  Buffer<int> moved = std::move(a);
  EXPECT_EQ(moved.size(), 1000);
  EXPECT_EQ(a.size(), 0);
  EXPECT_EQ(Buffer<int>(device, 0, "nothing").data(), nullptr);
}

TEST(CudaDevice, RunsAKernelWithArgumentsAndConstants) {
  KILN_NEEDS_GPU();
  const Gpu gpu;
  const Function linear = gpu.module.function("linear");
  EXPECT_GT(linear.registers(), 0);
  EXPECT_GE(linear.blocks_per_multiprocessor(256, 0), 1);
  gpu.module.set_global("factor", 2);

  constexpr int64_t kCount = 1000;
  Pinned<int> host(gpu.device, kCount);
  for (int64_t i = 0; i < kCount; ++i) host[i] = int(i);
  Buffer<int> in(gpu.device, kCount, "a test"), out(gpu.device, kCount, "a test");
  Event after(gpu.device);
  in.upload(host.data(), kCount, 0, &gpu.stream);
  linear.launch({.grid = {4}, .block = {256}}, gpu.stream, kCount, Term{1.5, -3}, in.data(), out.data());
  out.download(host.data(), kCount, 0, &gpu.stream);
  after.record(gpu.stream);
  after.synchronize();
  for (int64_t i = 0; i < kCount; ++i) ASSERT_EQ(host[i], 2 * (int(1.5 * double(i)) - 3)) << i;
}

TEST(CudaDevice, WritesAnArrayOfTheKernels) {
  KILN_NEEDS_GPU();
  const Gpu gpu;
  gpu.module.set_global("powers", std::vector<short>{1, 10, 100});
  Buffer<int> out(gpu.device, 3, "a test");
  gpu.module.function("show_powers").launch({.grid = {1}, .block = {3}}, gpu.stream, out.data());
  std::vector<int> result(3);
  out.download(result.data(), 3);
  EXPECT_EQ(result, (std::vector<int>{1, 10, 100}));
  EXPECT_THROW(gpu.module.set_global("powers", std::vector<short>{1, 10}), Failure);
}

TEST(CudaDevice, ChecksArgumentsAndNames) {
  KILN_NEEDS_GPU();
  const Gpu gpu;
  EXPECT_THROW(gpu.module.function("no_such_kernel"), Failure);
  EXPECT_THROW(gpu.module.set_global("factor", int64_t(2)), Failure);
  const Function linear = gpu.module.function("linear");
  Buffer<int> data(gpu.device, 1, "a test");
  if (api::driver().func_get_param_info == nullptr) GTEST_SKIP() << "the driver does not know parameters";
  const Launch one{.grid = {1}, .block = {1}};
  EXPECT_THROW(linear.launch(one, gpu.stream, int64_t(1)), Failure);
  EXPECT_THROW(linear.launch(one, gpu.stream, 1, Term{1, 0}, data.data(), data.data()), Failure);
}

TEST(CudaDevice, GivesAKernelAllItsSharedMemory) {
  KILN_NEEDS_GPU();
  const Gpu gpu;
  const Function reverse = gpu.module.function("reverse");
  const int shared = gpu.device.info().shared_per_block;
  reverse.allow_dynamic_shared(shared);
  EXPECT_EQ(reverse.blocks_per_multiprocessor(64, shared), 1);
  std::vector<int> line(64), expected(64);
  std::iota(line.begin(), line.end(), 0);
  std::iota(expected.rbegin(), expected.rend(), 0);
  Buffer<int> data(gpu.device, 64, "a test");
  data.upload(line.data(), 64);
  reverse.launch({.grid = {1}, .block = {64}, .dynamic_shared_bytes = unsigned(shared)}, gpu.stream,
                 data.data());
  data.download(line.data(), 64);
  EXPECT_EQ(line, expected);
  EXPECT_THROW(reverse.allow_dynamic_shared(shared + 1024), Failure);
}

TEST(CudaDevice, RunsACooperativeKernel) {
  KILN_NEEDS_GPU();
  const Gpu gpu;
  const Function exchange = gpu.module.function("exchange");
  constexpr unsigned kThreads = 128;
  const unsigned blocks =
      unsigned(exchange.blocks_per_multiprocessor(kThreads, 0) * gpu.device.info().multiprocessors);
  const int64_t count = int64_t(blocks) * kThreads;
  Buffer<unsigned> arrived(gpu.device, 1, "a test");
  Buffer<int> between(gpu.device, count, "a test"), out(gpu.device, count, "a test");
  arrived.fill(0);
  Launch shape{.grid = {blocks}, .block = {kThreads}, .cooperative = true};
  exchange.launch(shape, gpu.stream, arrived.data(), between.data(), out.data());
  gpu.stream.synchronize();
  std::vector<int> result(std::size_t(count), 0);
  out.download(result.data(), count);
  for (int64_t i = 0; i < count; ++i) ASSERT_EQ(result[std::size_t(i)], 7 * ((i + kThreads) % count)) << i;

  shape.grid.x = blocks + 1;  // one more than can be resident at once
  try {
    exchange.launch(shape, gpu.stream, arrived.data(), between.data(), out.data());
    FAIL() << "it started";
  } catch (const Failure& e) {
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "starting the kernel exchange", e.what());
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", e.what());
  }
}

TEST(CudaDevice, SaysHowMuchMemoryIsNeededAndThere) {
  KILN_NEEDS_GPU();
  const Device device(0);
  const std::string start =
      "the GPU " + device.info().name + " (device 0) has too little memory: the lattice needs ";
  const auto expect_sentence = [&](const auto& action, const std::string& needed) {
    try {
      action();
      FAIL() << "it fitted";
    } catch (const OutOfMemory& e) {
      EXPECT_TRUE(std::string(e.what()).starts_with(start + needed + ", and ")) << e.what();
      EXPECT_TRUE(std::string(e.what()).ends_with(" are free")) << e.what();
    }
  };
  expect_sentence([&] { Buffer<char>(device, int64_t(50'000) * 1'000'000'000, "the lattice"); }, "50 TB");
  expect_sentence([&] { Buffer<double>(device, INT64_MAX, "the lattice"); }, "7.38e+04 PB");
  // Nothing is spoilt by it.
  Buffer<int> small(device, 1, "a test");
  const int seven = 7;
  int back = 0;
  small.upload(&seven, 1);
  small.download(&back, 1);
  EXPECT_EQ(back, 7);
}

// Runs in a process of its own, because the error spoils the process for good.
[[noreturn]] void crash_a_kernel() {
  try {
    const Gpu gpu;
    gpu.module.function("stray").launch({.grid = {1}, .block = {32}}, gpu.stream, static_cast<int*>(nullptr));
    gpu.stream.synchronize();
  } catch (const DeviceLost& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::_Exit(7);
  }
  std::_Exit(0);
}

TEST(CudaDeviceDeathTest, ACrashedKernelIsADeviceLost) {
  KILN_NEEDS_GPU();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      crash_a_kernel(), testing::ExitedWithCode(7),
      "waiting for the GPU failed: CUDA_ERROR_ILLEGAL_ADDRESS.*the last state that was written to disk");
}

}  // namespace
}  // namespace kiln::cuda
