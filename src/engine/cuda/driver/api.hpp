// The calls of NVIDIA's driver (libcuda) that Kiln uses, declared here and opened at run time. Names, values
// and signatures follow the CUDA driver API's reference manual; _v2 is the 64-bit form to which its header
// maps the plain name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace kiln::cuda {

// The device has less memory free than is needed.
struct OutOfMemory : UserError {
  using UserError::UserError;
};

// What the device held is lost: a kernel crashed, or the device went away.
struct DeviceLost : Failure {
  using Failure::Failure;
};

namespace api {

using Result = int;  // 0 is success
using DeviceHandle = int;
using Address = unsigned long long;
using ContextHandle = struct CUctx_st*;
using ModuleHandle = struct CUmod_st*;
using FunctionHandle = struct CUfunc_st*;
using StreamHandle = struct CUstream_st*;
using EventHandle = struct CUevent_st*;

constexpr Result kOutOfMemory = 2;
constexpr Result kNoDevice = 100;
constexpr Result kPeerAccessAlreadyEnabled = 704;

struct Driver {
  Result (*get_error_name)(Result, const char**) = nullptr;
  Result (*get_error_string)(Result, const char**) = nullptr;
  Result (*init)(unsigned) = nullptr;
  Result (*driver_get_version)(int*) = nullptr;

  Result (*device_get_count)(int*) = nullptr;
  Result (*device_get)(DeviceHandle*, int) = nullptr;
  Result (*device_get_name)(char*, int, DeviceHandle) = nullptr;
  Result (*device_get_attribute)(int*, int, DeviceHandle) = nullptr;
  Result (*device_total_mem)(std::size_t*, DeviceHandle) = nullptr;
  Result (*device_primary_ctx_retain)(ContextHandle*, DeviceHandle) = nullptr;
  Result (*device_primary_ctx_release)(DeviceHandle) = nullptr;
  Result (*ctx_set_current)(ContextHandle) = nullptr;
  Result (*ctx_synchronize)() = nullptr;
  Result (*device_can_access_peer)(int*, DeviceHandle, DeviceHandle) = nullptr;
  Result (*ctx_enable_peer_access)(ContextHandle, unsigned) = nullptr;

  Result (*mem_get_info)(std::size_t*, std::size_t*) = nullptr;
  Result (*mem_alloc)(Address*, std::size_t) = nullptr;
  Result (*mem_free)(Address) = nullptr;
  Result (*mem_alloc_host)(void**, std::size_t) = nullptr;
  Result (*mem_free_host)(void*) = nullptr;
  Result (*memcpy_to_device)(Address, const void*, std::size_t) = nullptr;
  Result (*memcpy_to_host)(void*, Address, std::size_t) = nullptr;
  Result (*memcpy_on_device)(Address, Address, std::size_t) = nullptr;
  Result (*memset)(Address, unsigned char, std::size_t) = nullptr;
  Result (*memcpy_to_device_async)(Address, const void*, std::size_t, StreamHandle) = nullptr;
  Result (*memcpy_to_host_async)(void*, Address, std::size_t, StreamHandle) = nullptr;
  Result (*memcpy_on_device_async)(Address, Address, std::size_t, StreamHandle) = nullptr;
  Result (*memset_async)(Address, unsigned char, std::size_t, StreamHandle) = nullptr;

  Result (*module_load_data)(ModuleHandle*, const void*) = nullptr;
  Result (*module_unload)(ModuleHandle) = nullptr;
  Result (*module_get_function)(FunctionHandle*, ModuleHandle, const char*) = nullptr;
  Result (*module_get_global)(Address*, std::size_t*, ModuleHandle, const char*) = nullptr;
  Result (*func_get_attribute)(int*, int, FunctionHandle) = nullptr;
  Result (*func_set_attribute)(FunctionHandle, int, int) = nullptr;
  Result (*occupancy_blocks)(int*, FunctionHandle, int, std::size_t) = nullptr;
  // Grid x, y, z, block x, y, z, dynamic shared bytes, stream, addresses of the arguments; no extras.
  Result (*launch_kernel)(FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, StreamHandle, void**, void**) = nullptr;
  Result (*launch_cooperative_kernel)(FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned,
                                      unsigned, unsigned, StreamHandle, void**) = nullptr;
  // Index, offset and size of a parameter. From CUDA 12.4 on; null before.
  Result (*func_get_param_info)(FunctionHandle, std::size_t, std::size_t*, std::size_t*) = nullptr;

  Result (*stream_create)(StreamHandle*, unsigned) = nullptr;
  Result (*stream_synchronize)(StreamHandle) = nullptr;
  Result (*stream_wait_event)(StreamHandle, EventHandle, unsigned) = nullptr;
  Result (*stream_destroy)(StreamHandle) = nullptr;
  Result (*event_create)(EventHandle*, unsigned) = nullptr;
  Result (*event_record)(EventHandle, StreamHandle) = nullptr;
  Result (*event_synchronize)(EventHandle) = nullptr;
  Result (*event_destroy)(EventHandle) = nullptr;
};

// The driver, opened and initialised at the first call. Nothing may be called where why_not is not empty.
struct OpenedDriver {
  Driver calls;
  std::string why_not;  // a sentence; "" where the driver runs
  int version = 0;      // of CUDA, 1000 major + 10 minor; 0 where it is not known
};
const OpenedDriver& open_driver();

// For use once a device is known to be there.
inline const Driver& driver() { return open_driver().calls; }

// What the driver says of a result: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected).
std::string result_text(Result result);

// The driver's state of a process is spoilt for good by some errors: nothing on the device can be read again.
bool loses_device(Result result);

// Throws DeviceLost or Failure. `doing` completes "... failed".
[[noreturn]] void fail(Result result, std::string_view doing);

inline void check(Result result, std::string_view doing) {
  if (result != 0) fail(result, doing);
}

}  // namespace api
}  // namespace kiln::cuda
