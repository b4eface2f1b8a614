// The calls of NVRTC that Kiln uses. Signatures follow NVRTC's manual. Only nvrtc.cpp needs them.
#pragma once

#include <cstddef>
#include <string>

namespace kiln::cuda {

struct NvrtcLibrary {
  using Program = struct _nvrtcProgram*;
  using Result = int;  // 0 is success

  std::string why_not;  // a sentence; "" where NVRTC can be used, and only then are the pointers good
  int major = 0, minor = 0;

  const char* (*get_error_string)(Result) = nullptr;
  Result (*version)(int*, int*) = nullptr;
  Result (*get_num_supported_archs)(int*) = nullptr;
  Result (*get_supported_archs)(int*) = nullptr;
  // Program, source, name, number of headers, their texts, their names.
  Result (*create_program)(Program*, const char*, const char*, int, const char* const*,
                           const char* const*) = nullptr;
  Result (*destroy_program)(Program*) = nullptr;
  Result (*compile_program)(Program, int, const char* const*) = nullptr;
  Result (*get_program_log_size)(Program, std::size_t*) = nullptr;
  Result (*get_program_log)(Program, char*) = nullptr;
  Result (*get_cubin_size)(Program, std::size_t*) = nullptr;
  Result (*get_cubin)(Program, char*) = nullptr;
};

// Opened at the first call: the file that $KILN_NVRTC names, else the newest that is found and that is not
// newer than the driver.
const NvrtcLibrary& nvrtc_library();

}  // namespace kiln::cuda
