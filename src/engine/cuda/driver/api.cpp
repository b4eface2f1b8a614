#include "engine/cuda/driver/api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kiln::cuda::api {
namespace {

// The loader's own search finds it nearly everywhere; the others are where containers and WSL put it.
constexpr std::array kLibraries = {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1",
                                   "/usr/lib/wsl/lib/libcuda.so.1"};

struct Loader {
  void* library;
  std::string missing;  // the first call that the library does not have

  template <class Call>
  void optional(Call& call, const char* name) {
    call = reinterpret_cast<Call>(dlsym(library, name));
  }
  template <class Call>
  void operator()(Call& call, const char* name) {
    optional(call, name);
    if (call == nullptr && missing.empty()) missing = name;
  }
};

void load_device_calls(Loader& load, Driver& d) {
  load(d.get_error_name, "cuGetErrorName");
  load(d.get_error_string, "cuGetErrorString");
  load(d.init, "cuInit");
  load(d.driver_get_version, "cuDriverGetVersion");
  load(d.device_get_count, "cuDeviceGetCount");
  load(d.device_get, "cuDeviceGet");
  load(d.device_get_name, "cuDeviceGetName");
  load(d.device_get_attribute, "cuDeviceGetAttribute");
  load(d.device_total_mem, "cuDeviceTotalMem_v2");
  load(d.device_primary_ctx_retain, "cuDevicePrimaryCtxRetain");
  load(d.device_primary_ctx_release, "cuDevicePrimaryCtxRelease_v2");
  load(d.ctx_set_current, "cuCtxSetCurrent");
  load(d.ctx_synchronize, "cuCtxSynchronize");
  load(d.device_can_access_peer, "cuDeviceCanAccessPeer");
  load(d.ctx_enable_peer_access, "cuCtxEnablePeerAccess");
  load(d.stream_create, "cuStreamCreate");
  load(d.stream_synchronize, "cuStreamSynchronize");
  load(d.stream_wait_event, "cuStreamWaitEvent");
  load(d.stream_destroy, "cuStreamDestroy_v2");
  load(d.event_create, "cuEventCreate");
  load(d.event_record, "cuEventRecord");
  load(d.event_synchronize, "cuEventSynchronize");
  load(d.event_destroy, "cuEventDestroy_v2");
}

void load_memory_calls(Loader& load, Driver& d) {
  load(d.mem_get_info, "cuMemGetInfo_v2");
  load(d.mem_alloc, "cuMemAlloc_v2");
  load(d.mem_free, "cuMemFree_v2");
  load(d.mem_alloc_host, "cuMemAllocHost_v2");
  load(d.mem_free_host, "cuMemFreeHost");
  load(d.memcpy_to_device, "cuMemcpyHtoD_v2");
  load(d.memcpy_to_host, "cuMemcpyDtoH_v2");
  load(d.memcpy_on_device, "cuMemcpyDtoD_v2");
  load(d.memset, "cuMemsetD8_v2");
  load(d.memcpy_to_device_async, "cuMemcpyHtoDAsync_v2");
  load(d.memcpy_to_host_async, "cuMemcpyDtoHAsync_v2");
  load(d.memcpy_on_device_async, "cuMemcpyDtoDAsync_v2");
  load(d.memset_async, "cuMemsetD8Async");
}

void load_kernel_calls(Loader& load, Driver& d) {
  load(d.module_load_data, "cuModuleLoadData");
  load(d.module_unload, "cuModuleUnload");
  load(d.module_get_function, "cuModuleGetFunction");
  load(d.module_get_global, "cuModuleGetGlobal_v2");
  load(d.func_get_attribute, "cuFuncGetAttribute");
  load(d.func_set_attribute, "cuFuncSetAttribute");
  load(d.occupancy_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  load(d.launch_kernel, "cuLaunchKernel");
  load(d.launch_cooperative_kernel, "cuLaunchCooperativeKernel");
  load.optional(d.func_get_param_info, "cuFuncGetParamInfo");
}

std::string described(const Driver& calls, Result result) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (calls.get_error_name == nullptr || calls.get_error_name(result, &name) != 0 || name == nullptr)
    return fmt::format("error {}", result);
  if (calls.get_error_string(result, &text) != 0 || text == nullptr) return name;
  return fmt::format("{} ({})", name, text);
}

OpenedDriver open() {
  OpenedDriver opened;
  void* library = nullptr;
  for (const char* name : kLibraries)
    if ((library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) != nullptr) break;
  if (library == nullptr) {
    opened.why_not = "NVIDIA's driver is not installed: its library libcuda.so.1 was not found";
    return opened;
  }
  Loader load{library, ""};
  load_device_calls(load, opened.calls);
  load_memory_calls(load, opened.calls);
  load_kernel_calls(load, opened.calls);
  if (!load.missing.empty()) {
    opened.why_not = fmt::format("NVIDIA's driver is too old: it has no {}", load.missing);
    opened.calls = {};
    return opened;
  }
  if (opened.calls.driver_get_version(&opened.version) != 0) opened.version = 0;
  const Result result = opened.calls.init(0);
  if (result == kNoDevice)
    opened.why_not = "NVIDIA's driver finds no GPU";
  else if (result != 0)
    opened.why_not = fmt::format("NVIDIA's driver does not start: {}", described(opened.calls, result));
  return opened;
}

}  // namespace

const OpenedDriver& open_driver() {
  static const OpenedDriver opened = open();
  return opened;
}

std::string result_text(Result result) { return described(driver(), result); }

bool loses_device(Result result) {
  // Driver or context gone, device unavailable, uncorrectable memory or link error, illegal address, launch
  // timeout, device assert, stack error, illegal instruction, misaligned or foreign address, bad program
  // counter, launch failure, unknown.
  constexpr std::array kLosing = {4,   46,  214, 220, 226, 700, 702, 709,
                                  710, 714, 715, 716, 717, 718, 719, 999};
  return std::find(kLosing.begin(), kLosing.end(), result) != kLosing.end();
}

void fail(Result result, std::string_view doing) {
  const std::string text = fmt::format("{} failed: {}", doing, result_text(result));
  if (!loses_device(result)) throw Failure(text);
  throw DeviceLost(text +
                   "; what the GPU held is lost, and the last state that was written to disk is still good");
}

}  // namespace kiln::cuda::api
