// What `kiln info` says of cores and of CUDA.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>
#include <thread>

#include "engine/cuda/driver/driver.hpp"

namespace kiln {
namespace {

std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  std::array<char, 4096> part;
  while (const std::size_t bytes = std::fread(part.data(), 1, part.size(), pipe))
    text.append(part.data(), bytes);
  pclose(pipe);
  return text;
}

TEST(Info, SaysWhatWasFoundOfCudaOrWhyNot) {
  const cuda::Availability& found = cuda::availability();
  const std::string text = output_of("\"" KILN_BINARY "\" info");
  const std::string verdict = found.why_not.empty() ? "yes" : "no: " + found.why_not;
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "\nCUDA           " + verdict + "\n", text);
  if (!found.nvrtc_version.empty()) {
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "\nNVRTC          " + found.nvrtc_version + "\n", text);
  }
  for (const cuda::DeviceInfo& gpu : found.devices)
    EXPECT_PRED_FORMAT2(testing::IsSubstring, gpu.name + ", compute capability ", text);
}

TEST(Info, NamesTheNvrtcLibraryThatCannotBeOpened) {
  const std::string text = output_of("KILN_NVRTC=/no/such/library.so \"" KILN_BINARY "\" info");
  EXPECT_PRED_FORMAT2(
      testing::IsSubstring,
      "\nNVRTC          no: the NVRTC library /no/such/library.so that KILN_NVRTC names cannot be "
      "opened\n",
      text);
}

TEST(Info, SaysHowManyThreadsAndWhichLimitDecided) {
  const std::string one = output_of("SLURM_CPUS_PER_TASK=1 \"" KILN_BINARY "\" info");
  const std::string why =
      std::thread::hardware_concurrency() > 1 ? " (SLURM_CPUS_PER_TASK is 1)" : ", one per core";
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "\nThreads        1" + why + "\n", one);
}

TEST(Info, ARunUsesTheThreadsThatTheJobWasGiven) {
  const std::string bench = "\"" KILN_BINARY "\" bench sorting2d --size 32 --mcs 1 --engine threads --json";
  EXPECT_PRED_FORMAT2(testing::IsSubstring, ", 1 thread\"", output_of("SLURM_CPUS_PER_TASK=1 " + bench));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, ", 3 threads\"", output_of(bench + " --threads 3"));
}

}  // namespace
}  // namespace kiln
