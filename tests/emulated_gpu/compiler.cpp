// NVRTC (libnvrtc.so.13) as far as Kiln calls it (src/engine/cuda/driver/nvrtc_library.hpp), for the GPUs of
// driver.cpp: kernels are compiled by this machine's own compiler. "Machine code" is a shared library behind
// its size.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace kiln::emulated {
namespace {

namespace fs = std::filesystem;
using Result = int;
constexpr Result kCompilationFailed = 6;

std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_file(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/kiln-emulated-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

struct Program {
  std::string source, name, log, code;
  std::vector<std::pair<std::string, std::string>> headers;  // names and texts

  Result compile();
};

// What the driver looks for by name; shared memory belongs to a block, and a thread of the host plays one.
std::string with_entries(const std::string& preprocessed) {
  std::string text = std::regex_replace(preprocessed, std::regex(R"(extern\s+__shared__[^;]*?(\w+)\[\];)"),
                                        "unsigned char* const $1 = emulated_shared_memory;");
  text = std::regex_replace(text, std::regex(R"(__shared__)"), "static thread_local");
  std::set<std::string> kernels;
  static const std::regex kernel(
      R"(__global__\s+void\s+(?:__launch_bounds__\s*\(([^()]|\([^()]*\))*\)\s*)?(\w+)\s*\()");
  for (auto found = std::sregex_iterator(text.begin(), text.end(), kernel); found != std::sregex_iterator();
       ++found)
    kernels.insert((*found)[2]);
  text = std::regex_replace(text, std::regex(R"(__launch_bounds__\s*\(([^()]|\([^()]*\))*\))"), "");
  text = std::regex_replace(text, std::regex(R"(__global__)"), "");
  for (const std::string& name : kernels)
    text += "extern \"C\" const kiln::emulated::Kernel kiln_kernel_" + name + " = emulated_kernel<&" + name +
            ">();\n";
  return text;
}

// Contractions would change bits; unique symbols would be shared by all modules of a process.
Result run_compiler(const std::string& arguments, const fs::path& log) {
  const std::string command = std::string(KILN_EMULATED_COMPILER) +
                              " -std=c++20 -w -ffp-contract=off -fno-strict-aliasing -fno-gnu-unique " +
                              arguments + " 2> " + log.string();
  return std::system(command.c_str()) == 0 ? 0 : kCompilationFailed;
}

Result Program::compile() {
  const Folder folder;
  for (const auto& [header, text] : headers)
    write_file(folder / header, header == "engine/cuda/instructions.cuh"
                                    ? read_file(KILN_EMULATED_FOLDER "/instructions.cuh")
                                    : text);
  const fs::path main = folder / "main.cpp", expanded = folder / "expanded.cpp",
                 library = folder / "kernels.so", messages = folder / "log";
  write_file(main, source);
  const auto give_up = [&] {
    log = read_file(messages);
    return kCompilationFailed;
  };
  if (run_compiler("-E -P -D__CUDACC__ -D__CUDACC_RTC__ -D__CUDA_ARCH__=900 -include " KILN_EMULATED_FOLDER
                   "/language.hpp -I" +
                       (folder / "").string() + " " + main.string() + " -o " + expanded.string(),
                   messages) != 0)
    return give_up();
  write_file(expanded, with_entries(read_file(expanded)));
  if (run_compiler("-O1 -fPIC -shared " + expanded.string() + " -o " + library.string(), messages) != 0)
    return give_up();
  const std::string bytes = read_file(library);
  const std::size_t size = bytes.size();
  code.assign(reinterpret_cast<const char*>(&size), sizeof(size));
  code += bytes;
  return 0;
}

}  // namespace
}  // namespace kiln::emulated

using namespace kiln::emulated;

#pragma GCC visibility push(default)
extern "C" {

const char* nvrtcGetErrorString(Result result) {
  return result == 0 ? "NVRTC_SUCCESS" : "NVRTC_ERROR_COMPILATION";
}
Result nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return 0;
}
Result nvrtcGetNumSupportedArchs(int* count) {
  *count = 1;
  return 0;
}
Result nvrtcGetSupportedArchs(int* architectures) {
  *architectures = 90;
  return 0;
}
Result nvrtcCreateProgram(Program** program, const char* source, const char* name, int headers,
                          const char* const* texts, const char* const* names) {
  *program = new Program{source, name, "", "", {}};
  for (int i = 0; i < headers; ++i) (*program)->headers.emplace_back(names[i], texts[i]);
  return 0;
}
Result nvrtcDestroyProgram(Program** program) {
  delete *program;
  return 0;
}
Result nvrtcCompileProgram(Program* program, int, const char* const*) { return program->compile(); }
Result nvrtcGetProgramLogSize(Program* program, std::size_t* bytes) {
  *bytes = program->log.size() + 1;
  return 0;
}
Result nvrtcGetProgramLog(Program* program, char* log) {
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return 0;
}
Result nvrtcGetCUBINSize(Program* program, std::size_t* bytes) {
  *bytes = program->code.size();
  return 0;
}
Result nvrtcGetCUBIN(Program* program, char* code) {
  std::memcpy(code, program->code.data(), program->code.size());
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
