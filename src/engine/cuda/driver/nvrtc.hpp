// NVIDIA's run-time compiler, opened at run time. It needs no GPU, so the tests compile everything that a GPU
// would run.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/cuda/driver/driver.hpp"

namespace kiln::cuda {

struct CompileError : Failure {
  using Failure::Failure;
};

struct Compiled {
  std::vector<char> cubin;  // machine code for one architecture
  std::string log;          // warnings, and the assembler's report of resources
};

// Compiles CUDA C++ for one architecture (90 is sm_90). `name` is what messages call it. The headers of
// device_headers() are there under their names in src/; options are NVRTC's, added to those that are always
// given: C++20, no contracted multiply-add. Throws CompileError with the log.
Compiled compile(const std::string& source, const std::string& name, int architecture,
                 const std::vector<std::string>& options = {});

// All options that compile() hands to NVRTC.
std::vector<std::string> all_options(int architecture, const std::vector<std::string>& options);

std::string nvrtc_version();         // 13.0; "" where NVRTC cannot be used
int nvrtc_major();                   // 0 where NVRTC cannot be used
std::string nvrtc_missing_reason();  // a sentence; "" where NVRTC can be used
std::vector<int> supported_architectures();

// What to compile for so that the device can run it: its own architecture, or the nearest earlier one of the
// same generation. 0 where there is none.
int architecture_for(const DeviceInfo& device);
int architecture_for(const DeviceInfo& device, const std::vector<int>& architectures);

struct KernelResources {
  std::string name;     // as in the machine code
  bool kernel = false;  // else a device function that was not inlined, of which registers are not reported
  int registers = 0;    // per thread
  int stack_bytes = 0;  // per thread
  int spill_stores = 0, spill_loads = 0;  // bytes per thread
  int shared_bytes = 0;                   // static
};

std::vector<KernelResources> resources(const Compiled& compiled);

}  // namespace kiln::cuda
