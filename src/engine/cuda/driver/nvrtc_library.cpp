#include "engine/cuda/driver/nvrtc_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "engine/cuda/driver/api.hpp"

namespace kiln::cuda {
namespace {

constexpr int kOldestMajor = 12;  // the first that compiles C++20

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> candidates() {
  if (const std::string chosen = environment("KILN_NVRTC"); !chosen.empty()) return {chosen};
  std::vector<std::string> folders = {""};  // the loader's own search
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string home = environment(name); !home.empty()) folders.push_back(home + "/lib64/");
  folders.push_back("/usr/local/cuda/lib64/");
  std::vector<std::string> files;
  for (const char* file : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"})
    for (const std::string& folder : folders) files.push_back(folder + file);
  return files;
}

template <class Call>
bool find(void* library, Call& call, const char* name) {
  call = reinterpret_cast<Call>(dlsym(library, name));
  return call != nullptr;
}

bool find_all(void* library, NvrtcLibrary& n) {
  return find(library, n.version, "nvrtcVersion") &&
         find(library, n.get_error_string, "nvrtcGetErrorString") &&
         find(library, n.get_num_supported_archs, "nvrtcGetNumSupportedArchs") &&
         find(library, n.get_supported_archs, "nvrtcGetSupportedArchs") &&
         find(library, n.create_program, "nvrtcCreateProgram") &&
         find(library, n.destroy_program, "nvrtcDestroyProgram") &&
         find(library, n.compile_program, "nvrtcCompileProgram") &&
         find(library, n.get_program_log_size, "nvrtcGetProgramLogSize") &&
         find(library, n.get_program_log, "nvrtcGetProgramLog") &&
         find(library, n.get_cubin_size, "nvrtcGetCUBINSize") && find(library, n.get_cubin, "nvrtcGetCUBIN");
}

NvrtcLibrary opened(void* library, const std::string& file) {
  NvrtcLibrary nvrtc;
  const bool complete = find_all(library, nvrtc) && nvrtc.version(&nvrtc.major, &nvrtc.minor) == 0;
  if (!complete)
    nvrtc.why_not = fmt::format("{} is not an NVRTC library of CUDA {} or later", file, kOldestMajor);
  else if (nvrtc.major < kOldestMajor)
    nvrtc.why_not =
        fmt::format("NVRTC is {}.{}, and {}.0 or later is needed", nvrtc.major, nvrtc.minor, kOldestMajor);
  return nvrtc;
}

// A library that is passed over stays open: closing it would run its exit code early for nothing gained.
NvrtcLibrary open() {
  const int driver_major = api::open_driver().version / 1000;  // 0: no driver, and any NVRTC will do
  NvrtcLibrary best;
  best.why_not =
      "NVIDIA's run-time compiler is not installed: its library libnvrtc.so was not found; it comes with the "
      "CUDA toolkit, or set KILN_NVRTC to the library's path";
  bool found = false;
  for (const std::string& file : candidates()) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    NvrtcLibrary nvrtc = opened(library, file);
    const bool good = nvrtc.why_not.empty();
    if (good && (driver_major == 0 || nvrtc.major <= driver_major)) return nvrtc;
    if (!found || (good && !best.why_not.empty())) best = nvrtc;
    found = true;
  }
  if (!found && !environment("KILN_NVRTC").empty())
    best.why_not =
        fmt::format("the NVRTC library {} that KILN_NVRTC names cannot be opened", environment("KILN_NVRTC"));
  return best;
}

}  // namespace

const NvrtcLibrary& nvrtc_library() {
  static const NvrtcLibrary library = open();
  return library;
}

}  // namespace kiln::cuda
