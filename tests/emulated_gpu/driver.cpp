// NVIDIA's driver (libcuda.so.1) as far as Kiln calls it (src/engine/cuda/driver/api.hpp), for GPUs that are
// this processor. Everything is done when a call returns. Memory is poisoned, and its edges are watched.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "launch.hpp"

namespace kiln::emulated {
namespace {

using Result = int;
using Address = unsigned long long;
constexpr Result kInvalidValue = 1, kOutOfMemory = 2, kInvalidDevice = 101, kNoSuchName = 500,
                 kPeerAccessAlreadyEnabled = 704, kTooManyBlocks = 720;

constexpr int kVersion = 13000;
constexpr std::size_t kMemory = std::size_t(4) << 30;         // of each GPU
constexpr int kMultiprocessors = 2, kSharedBytes = 64 << 10;  // small ones: blocks of few threads

constexpr std::size_t kEdge = 256;
constexpr int kUnwritten = 0xCD, kFreed = 0xDD, kOutside = 0xFD;

int gpus() {
  const char* asked = std::getenv("KILN_EMULATED_GPUS");
  return asked == nullptr ? 2 : std::atoi(asked);
}

struct Context {
  int device;
  std::atomic<std::size_t> used{0};
};
Context* context_of(int device) {
  static std::mutex lock;
  static std::map<int, std::unique_ptr<Context>> contexts;
  const std::lock_guard guard(lock);
  std::unique_ptr<Context>& context = contexts[device];
  if (!context) context.reset(new Context{device});
  return context.get();
}
thread_local Context* current = nullptr;

struct Block {
  std::size_t bytes;
  Context* context;
};
std::mutex blocks_lock;
std::map<Address, Block> blocks;

[[noreturn]] void die(const std::string& what) {
  std::fprintf(stderr, "emulated GPU: %s\n", what.c_str());
  std::abort();
}

// Of variables of modules nothing is known.
void check_range(Address address, std::size_t bytes) {
  const std::lock_guard guard(blocks_lock);
  auto block = blocks.upper_bound(address);
  if (block == blocks.begin()) return;
  --block;
  if (address >= block->first + block->second.bytes) return;
  if (address + bytes > block->first + block->second.bytes) die("a copy goes beyond the end of a buffer");
}

Result reserve(Address* address, std::size_t bytes) {
  if (current->used + bytes > kMemory) return kOutOfMemory;
  auto* const memory = static_cast<unsigned char*>(
      std::aligned_alloc(kEdge, (kEdge + bytes + kEdge + kEdge - 1) / kEdge * kEdge));
  if (memory == nullptr) return kOutOfMemory;
  std::memset(memory, kOutside, kEdge);
  std::memset(memory + kEdge, kUnwritten, bytes);
  std::memset(memory + kEdge + bytes, kOutside, kEdge);
  *address = reinterpret_cast<Address>(memory + kEdge);
  current->used += bytes;
  const std::lock_guard guard(blocks_lock);
  blocks[*address] = {bytes, current};
  return 0;
}

Result give_back(Address address) {
  Block block;
  {
    const std::lock_guard guard(blocks_lock);
    const auto found = blocks.find(address);
    if (found == blocks.end()) return kInvalidValue;
    block = found->second;
    blocks.erase(found);
  }
  auto* const memory = reinterpret_cast<unsigned char*>(address);
  for (std::size_t i = 0; i < kEdge; ++i)
    if (memory[block.bytes + i] != kOutside || memory[-1 - std::ptrdiff_t(i)] != kOutside)
      die("a kernel has written beyond a buffer of " + std::to_string(block.bytes) + " bytes");
  std::memset(memory, kFreed, block.bytes);
  block.context->used -= block.bytes;
  std::free(memory - kEdge);
  return 0;
}

Result copy(Address to, Address from, std::size_t bytes) {
  check_range(to, bytes);
  check_range(from, bytes);
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return 0;
}
Address host(const void* memory) { return reinterpret_cast<Address>(memory); }

struct Module {
  void* library = nullptr;
  std::map<std::string, std::unique_ptr<Function>> functions;
};

// A file of its own for every module that is loaded: no two of them share variables.
Result load(Module** loaded, const void* image) {
  std::size_t bytes = 0;  // compiler.cpp puts it before the library
  std::memcpy(&bytes, image, sizeof(bytes));
  char name[] = "/tmp/kiln-emulated-XXXXXX";
  const int file = mkstemp(name);
  if (file < 0) die("cannot write to /tmp");
  const auto* at = static_cast<const char*>(image) + sizeof(bytes);
  for (std::size_t written = 0; written < bytes;) {
    const ssize_t some = write(file, at + written, bytes - written);
    if (some <= 0) die("cannot write to /tmp");
    written += std::size_t(some);
  }
  close(file);
  auto module = std::make_unique<Module>();
  module->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (module->library == nullptr) die(dlerror());
  unlink(name);
  reinterpret_cast<void (*)(const Calls*)>(dlsym(module->library, "kiln_emulated_begin"))(&calls());
  *loaded = module.release();
  return 0;
}

template <class T>
T find(const Module& module, const std::string& name) {
  return reinterpret_cast<T>(dlsym(module.library, name.c_str()));
}

Result find_function(Function** found, Module* module, const char* name) {
  std::unique_ptr<Function>& function = module->functions[name];
  if (!function) {
    const auto* const kernel = find<const Kernel*>(*module, "kiln_kernel_" + std::string(name));
    if (kernel == nullptr) return kNoSuchName;
    function.reset(new Function{kernel, find<Places* (*)()>(*module, "kiln_emulated_places"),
                                find<unsigned char* (*)()>(*module, "kiln_emulated_shared"),
                                module->functions.find(name)->first.c_str()});
  }
  *found = function.get();
  return 0;
}

Result find_variable(Address* address, std::size_t* bytes, Module* module, const char* name) {
  void* const variable = dlsym(module->library, name);
  Dl_info info;
  ElfW(Sym)* symbol = nullptr;
  if (variable == nullptr ||
      dladdr1(variable, &info, reinterpret_cast<void**>(&symbol), RTLD_DL_SYMENT) == 0 || symbol == nullptr)
    return kNoSuchName;
  *address = host(variable);
  *bytes = symbol->st_size;
  return 0;
}

Result attribute(int* value, int which) {
  switch (which) {  // CUdevice_attribute
    case 13:
      *value = 1000000;
      return 0;
    case 16:
      *value = kMultiprocessors;
      return 0;
    case 36:
      *value = 1000000;
      return 0;
    case 75:
      *value = 9;
      return 0;
    case 76:
      *value = 0;
      return 0;
    case 97:
      *value = kSharedBytes;
      return 0;
    default:
      return kInvalidValue;
  }
}

}  // namespace
}  // namespace kiln::emulated

using namespace kiln::emulated;
struct CUstream_st {};
struct CUevent_st {};
using Stream = CUstream_st*;
using Event = CUevent_st*;

#pragma GCC visibility push(default)
extern "C" {

Result cuGetErrorName(Result result, const char** name) {
  *name = result == kOutOfMemory     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == kTooManyBlocks ? "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"
                                     : "CUDA_ERROR_EMULATED";
  return 0;
}
Result cuGetErrorString(Result result, const char** text) {
  *text = result == kOutOfMemory ? "out of memory" : "of an emulated GPU";
  return 0;
}
Result cuInit(unsigned) { return 0; }
Result cuDriverGetVersion(int* version) {
  *version = kVersion;
  return 0;
}

Result cuDeviceGetCount(int* count) {
  *count = gpus();
  return 0;
}
Result cuDeviceGet(int* device, int index) {
  *device = index;
  return index < 0 || index >= gpus() ? kInvalidDevice : 0;
}
Result cuDeviceGetName(char* name, int bytes, int) {
  std::snprintf(name, std::size_t(bytes), "Emulated GPU");
  return 0;
}
Result cuDeviceGetAttribute(int* value, int which, int) { return attribute(value, which); }
Result cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = kMemory;
  return 0;
}
Result cuDevicePrimaryCtxRetain(Context** context, int device) {
  *context = context_of(device);
  return 0;
}
Result cuDevicePrimaryCtxRelease_v2(int) { return 0; }
Result cuCtxSetCurrent(Context* context) {
  current = context;
  return 0;
}
Result cuCtxSynchronize() { return 0; }
Result cuDeviceCanAccessPeer(int* can, int, int) {
  *can = 1;
  return 0;
}
Result cuCtxEnablePeerAccess(Context*, unsigned) { return kPeerAccessAlreadyEnabled; }

Result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *total = kMemory;
  *free = kMemory - current->used;
  return 0;
}
Result cuMemAlloc_v2(Address* address, std::size_t bytes) { return reserve(address, bytes); }
Result cuMemFree_v2(Address address) { return give_back(address); }
Result cuMemAllocHost_v2(void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  if (*memory == nullptr) return kOutOfMemory;
  std::memset(*memory, kUnwritten, bytes);
  return 0;
}
Result cuMemFreeHost(void* memory) {
  std::free(memory);
  return 0;
}
Result cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
  return copy(to, host(from), bytes);
}
Result cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) { return copy(host(to), from, bytes); }
Result cuMemcpyDtoD_v2(Address to, Address from, std::size_t bytes) { return copy(to, from, bytes); }
Result cuMemsetD8_v2(Address to, unsigned char byte, std::size_t bytes) {
  check_range(to, bytes);
  std::memset(reinterpret_cast<void*>(to), byte, bytes);
  return 0;
}
Result cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, Stream) {
  return copy(to, host(from), bytes);
}
Result cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, Stream) {
  return copy(host(to), from, bytes);
}
Result cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, Stream) {
  return copy(to, from, bytes);
}
Result cuMemsetD8Async(Address to, unsigned char byte, std::size_t bytes, Stream) {
  return cuMemsetD8_v2(to, byte, bytes);
}

Result cuModuleLoadData(Module** module, const void* image) { return load(module, image); }
Result cuModuleUnload(Module* module) {
  dlclose(module->library);
  delete module;
  return 0;
}
Result cuModuleGetFunction(Function** function, Module* module, const char* name) {
  return find_function(function, module, name);
}
Result cuModuleGetGlobal_v2(Address* address, std::size_t* bytes, Module* module, const char* name) {
  return find_variable(address, bytes, module, name);
}
Result cuFuncGetAttribute(int* value, int which, Function*) {
  constexpr int kRegisters = 4;
  *value = which == kRegisters ? 32 : 0;
  return 0;
}
Result cuFuncSetAttribute(Function*, int, int bytes) { return bytes > kSharedBytes ? kInvalidValue : 0; }
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function*, int, std::size_t) {
  *blocks = 1;
  return 0;
}
Result cuLaunchKernel(Function* function, unsigned x, unsigned y, unsigned z, unsigned threads_x,
                      unsigned threads_y, unsigned threads_z, unsigned shared_bytes, Stream, void** arguments,
                      void**) {
  launch(*function, {x, y, z}, {threads_x, threads_y, threads_z}, shared_bytes, false, arguments);
  return 0;
}
Result cuLaunchCooperativeKernel(Function* function, unsigned x, unsigned y, unsigned z, unsigned threads_x,
                                 unsigned threads_y, unsigned threads_z, unsigned shared_bytes, Stream,
                                 void** arguments) {
  if (x * y * z > unsigned(kMultiprocessors)) return kTooManyBlocks;  // one on each
  launch(*function, {x, y, z}, {threads_x, threads_y, threads_z}, shared_bytes, true, arguments);
  return 0;
}
Result cuFuncGetParamInfo(Function* function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  if (index >= function->kernel->parameters) return kInvalidValue;
  *offset = 0;
  *bytes = function->kernel->parameter_bytes[index];
  return 0;
}

Result cuStreamCreate(Stream* stream, unsigned) {
  *stream = new CUstream_st;
  return 0;
}
Result cuStreamSynchronize(Stream) { return 0; }
Result cuStreamWaitEvent(Stream, Event, unsigned) { return 0; }
Result cuStreamDestroy_v2(Stream stream) {
  delete stream;
  return 0;
}
Result cuEventCreate(Event* event, unsigned) {
  *event = new CUevent_st;
  return 0;
}
Result cuEventRecord(Event, Stream) { return 0; }
Result cuEventSynchronize(Event) { return 0; }
Result cuEventDestroy_v2(Event event) {
  delete event;
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
