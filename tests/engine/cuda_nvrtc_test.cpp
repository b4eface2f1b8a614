// Compiling for devices. It needs no GPU, only NVRTC's library.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/cuda/driver/nvrtc.hpp"
#include "engine/cuda/driver/sources.hpp"
#include "support/nvrtc.hpp"

namespace kiln::cuda {
namespace {

// `many` keeps 64 values per thread at work, which is more than 24 registers hold.
const char* const kKernels = R"(
extern "C" __global__ void reverse(int* a) {
  __shared__ int line[32];
  line[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = line[31 - threadIdx.x];
}
extern "C" __global__ void many(int* a) {
  int r[64];
  for (int i = 0; i < 64; ++i) r[i] = a[i * blockDim.x + threadIdx.x];
  for (int round = 0; round < 8; ++round)
    for (int i = 0; i < 64; ++i) r[i] = r[i] * r[(i * 7 + 1) % 64] + round;
  for (int i = 0; i < 64; ++i) a[i * blockDim.x + threadIdx.x] = r[i];
}
)";

KernelResources named(const std::vector<KernelResources>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& r) { return r.name == name; });
  if (found == all.end()) throw Failure("the report does not speak of " + name);
  return *found;
}

// The machine in an ELF file's header is 190 for CUDA (e_machine, bytes 18 and 19).
bool is_cuda_elf(const std::vector<char>& code) {
  return code.size() > 64 && std::string(code.data(), 4) == "\177ELF" &&
         static_cast<unsigned char>(code[18]) == 190 && code[19] == 0;
}

TEST(Nvrtc, GivesMachineCodeForEachArchitecture) {
  KILN_NEEDS_NVRTC();
  const Compiled old_card = compile(kKernels, "kernels.cu", 75);
  const Compiled new_card = compile(kKernels, "kernels.cu", 90);
  EXPECT_TRUE(is_cuda_elf(old_card.cubin));
  EXPECT_TRUE(is_cuda_elf(new_card.cubin));
  EXPECT_NE(old_card.cubin, new_card.cubin);
}

TEST(Nvrtc, SupportsTheCardsWeName) {
  KILN_NEEDS_NVRTC();
  const std::vector<int> all = supported_architectures();
  for (const int architecture : {75, 80, 86, 90})
    EXPECT_EQ(std::count(all.begin(), all.end(), architecture), 1) << architecture;
}

TEST(Nvrtc, SaysWhatDoesNotCompile) {
  KILN_NEEDS_NVRTC();
  try {
    compile("extern \"C\" __global__ void k(int* a) { *a = no_such_thing; }", "broken.cu", 90);
    FAIL() << "it compiled";
  } catch (const CompileError& e) {
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "broken.cu does not compile for sm_90 with NVRTC ", e.what());
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "identifier \"no_such_thing\" is undefined", e.what());
  }
}

TEST(Nvrtc, SaysWhichArchitectureOrOptionItDoesNotKnow) {
  KILN_NEEDS_NVRTC();
  EXPECT_THROW(compile(kKernels, "kernels.cu", 13), CompileError);
  try {
    compile(kKernels, "kernels.cu", 90, {"--no-such-option"});
    FAIL() << "it compiled";
  } catch (const CompileError& e) {
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "--no-such-option", e.what());
  }
}

TEST(Nvrtc, NeverContractsMultiplyAndAdd) {
  KILN_NEEDS_NVRTC();
  const char* const source = "extern \"C\" __global__ void k(float* a) { a[0] = a[1] * a[2] + a[3]; }";
  const std::vector<char> ours = compile(source, "k.cu", 90).cubin;
  EXPECT_EQ(ours, compile(source, "k.cu", 90, {"--fmad=false"}).cubin);
  EXPECT_NE(ours, compile(source, "k.cu", 90, {"--fmad=true"}).cubin);
}

TEST(Nvrtc, ReportsResourcesAndSpills) {
  KILN_NEEDS_NVRTC();
  for (const int architecture : {75, 90}) {
    const auto roomy = resources(compile(kKernels, "kernels.cu", architecture));
    ASSERT_EQ(roomy.size(), 2u);
    EXPECT_TRUE(named(roomy, "reverse").kernel);
    EXPECT_EQ(named(roomy, "reverse").shared_bytes, 32 * 4);
    EXPECT_GT(named(roomy, "reverse").registers, 0);
    EXPECT_GE(named(roomy, "many").registers, 64);
    for (const KernelResources& r : roomy) EXPECT_EQ(r.spill_stores + r.spill_loads, 0) << r.name;

    const auto tight = resources(compile(kKernels, "kernels.cu", architecture, {"--maxrregcount=24"}));
    EXPECT_LE(named(tight, "many").registers, 24);
    EXPECT_GE(named(tight, "many").spill_stores, (64 - 24) * 4);
    EXPECT_GT(named(tight, "many").spill_loads, 0);
    EXPECT_GE(named(tight, "many").stack_bytes, (64 - 24) * 4);
    EXPECT_EQ(named(tight, "reverse").spill_stores, 0);
  }
}

TEST(Nvrtc, ReadsTheAssemblersReport) {
  const Compiled compiled{
      {},
      "kernels.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n"
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'judge' for 'sm_90'\n"
      "ptxas info    : Function properties for judge\n"
      "ptxas         .     24 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
      "ptxas info    : Used 40 registers, used 1 barriers, 24 bytes cumulative stack size, "
      "1024 bytes smem, 360 bytes cmem[0]\n"
      "ptxas info    : Function properties for _Z6helperPi\n"
      "ptxas         .     8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"};
  const auto all = resources(compiled);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "judge");
  EXPECT_TRUE(all[0].kernel);
  EXPECT_EQ(all[0].registers, 40);
  EXPECT_EQ(all[0].stack_bytes, 24);
  EXPECT_EQ(all[0].spill_stores, 12);
  EXPECT_EQ(all[0].spill_loads, 16);
  EXPECT_EQ(all[0].shared_bytes, 1024);
  EXPECT_EQ(all[1].name, "_Z6helperPi");
  EXPECT_FALSE(all[1].kernel);
  EXPECT_EQ(all[1].spill_stores, 4);
}

TEST(Nvrtc, PicksAnArchitectureThatTheDeviceRuns) {
  DeviceInfo device;
  const std::vector<int> all = {75, 80, 86, 90, 100, 120};
  const auto pick = [&](int major, int minor) {
    device.major = major;
    device.minor = minor;
    return architecture_for(device, all);
  };
  EXPECT_EQ(pick(9, 0), 90);
  EXPECT_EQ(pick(8, 9), 86);    // the nearest earlier one of the same generation
  EXPECT_EQ(pick(12, 1), 120);  // two digits of generation
  EXPECT_EQ(pick(7, 0), 0);     // 7.5 is later
  EXPECT_EQ(pick(6, 1), 0);
  EXPECT_EQ(pick(11, 0), 0);  // no other generation's code runs
}

TEST(Nvrtc, SaysWhyADeviceIsNotSupported) {
  DeviceInfo device;
  device.index = 1;
  device.name = "NVIDIA TITAN V";
  device.major = 7;
  device.minor = 0;
  EXPECT_EQ(unsupported_reason(device, {75, 100}),
            "NVIDIA TITAN V (device 1) has compute capability 7.0, and NVRTC " + nvrtc_version() +
                " compiles for 7.5, 10.0");
  EXPECT_EQ(unsupported_reason(device, {70, 75}), "");
}

TEST(DeviceHeaders, AreTheFilesOfThisSource) {
  const std::filesystem::path source = std::filesystem::path(KILN_SOURCE_DIR) / "src";
  std::vector<std::string> names;
  for (const EmbeddedHeader& header : device_headers()) {
    std::ifstream in(source / header.name, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    EXPECT_EQ(header.text, text) << header.name;
    names.push_back(header.name);
  }
  for (const char* name : {"core/types.hpp", "core/random.hpp", "terms/hamiltonian.hpp"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
}

}  // namespace
}  // namespace kiln::cuda
