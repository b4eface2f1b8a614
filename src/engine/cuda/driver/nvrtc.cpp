#include "engine/cuda/driver/nvrtc.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/driver/nvrtc_library.hpp"
#include "engine/cuda/driver/sources.hpp"

namespace kiln::cuda {
namespace {

constexpr int kFirstMajorWithCache = 13;

const NvrtcLibrary& usable_library() {
  const NvrtcLibrary& nvrtc = nvrtc_library();
  if (!nvrtc.why_not.empty()) throw UserError("kernels cannot be compiled: " + nvrtc.why_not);
  return nvrtc;
}

void check(NvrtcLibrary::Result result, const char* doing) {
  if (result != 0)
    throw CompileError(fmt::format("{} failed: {}", doing, nvrtc_library().get_error_string(result)));
}

// One source with the headers, held by NVRTC.
class Program {
 public:
  Program(const std::string& source, const std::string& name) {
    std::vector<const char*> texts, names;
    for (const EmbeddedHeader& header : device_headers()) {
      texts.push_back(header.text.data());
      names.push_back(header.name);
    }
    check(nvrtc_.create_program(&handle_, source.c_str(), name.c_str(), int(names.size()), texts.data(),
                                names.data()),
          "handing kernels to NVRTC");
  }
  ~Program() { nvrtc_.destroy_program(&handle_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  NvrtcLibrary::Result compile(const std::vector<std::string>& options) {
    std::vector<const char*> given;
    for (const std::string& option : options) given.push_back(option.c_str());
    return nvrtc_.compile_program(handle_, int(given.size()), given.data());
  }

  std::string log() const {
    std::size_t bytes = 0;
    check(nvrtc_.get_program_log_size(handle_, &bytes), "asking NVRTC for its log");
    std::string text(bytes, '\0');
    check(nvrtc_.get_program_log(handle_, text.data()), "asking NVRTC for its log");
    text.resize(std::min(text.find('\0'), text.size()));
    return text;
  }

  std::vector<char> cubin() const {
    std::size_t bytes = 0;
    check(nvrtc_.get_cubin_size(handle_, &bytes), "asking NVRTC for machine code");
    std::vector<char> code(bytes);
    check(nvrtc_.get_cubin(handle_, code.data()), "asking NVRTC for machine code");
    return code;
  }

 private:
  const NvrtcLibrary& nvrtc_ = usable_library();
  NvrtcLibrary::Program handle_ = nullptr;
};

}  // namespace

std::vector<std::string> all_options(int architecture, const std::vector<std::string>& options) {
  // -v makes the assembler report registers and spills in the log.
  std::vector<std::string> all = {fmt::format("--gpu-architecture=sm_{}", architecture), "--std=c++20",
                                  "--fmad=false", "--ptxas-options=-v",
                                  "--device-as-default-execution-space"};  // terms annotate no function twice
  // Where there is a driver, NVRTC keeps machine code in its cache, and what comes from there has no report.
  if (nvrtc_major() >= kFirstMajorWithCache) all.push_back("--no-cache");
  all.insert(all.end(), options.begin(), options.end());
  return all;
}

Compiled compile(const std::string& source, const std::string& name, int architecture,
                 const std::vector<std::string>& options) {
  Program program(source, name);
  const NvrtcLibrary::Result result = program.compile(all_options(architecture, options));
  if (result != 0)
    throw CompileError(fmt::format("{} does not compile for sm_{} with NVRTC {} ({}):\n{}", name,
                                   architecture, nvrtc_version(), nvrtc_library().get_error_string(result),
                                   program.log()));
  return {program.cubin(), program.log()};
}

std::string nvrtc_version() {
  const NvrtcLibrary& nvrtc = nvrtc_library();
  return nvrtc.why_not.empty() ? fmt::format("{}.{}", nvrtc.major, nvrtc.minor) : "";
}

int nvrtc_major() { return nvrtc_library().why_not.empty() ? nvrtc_library().major : 0; }

std::string nvrtc_missing_reason() { return nvrtc_library().why_not; }

std::vector<int> supported_architectures() {
  const NvrtcLibrary& nvrtc = usable_library();
  int count = 0;
  check(nvrtc.get_num_supported_archs(&count), "asking NVRTC for its architectures");
  std::vector<int> architectures(std::size_t(count), 0);
  check(nvrtc.get_supported_archs(architectures.data()), "asking NVRTC for its architectures");
  return architectures;
}

int architecture_for(const DeviceInfo& device) { return architecture_for(device, supported_architectures()); }

int architecture_for(const DeviceInfo& device, const std::vector<int>& architectures) {
  int best = 0;
  for (const int architecture : architectures)
    if (architecture / 10 == device.major && architecture % 10 <= device.minor)
      best = std::max(best, architecture);
  return best;
}

}  // namespace kiln::cuda
