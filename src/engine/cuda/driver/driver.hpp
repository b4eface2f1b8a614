// One GPU and what it holds: memory, compiled kernels, streams, events. A thin layer over NVIDIA's driver,
// which is opened at run time, so that Kiln is built without CUDA and runs where there is none. Everything
// that fails throws, with a sentence: UserError where there is no such device, OutOfMemory, DeviceLost, or
// Failure. Objects keep their device's context alive and may be used and destroyed from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "engine/cuda/driver/api.hpp"

namespace kiln::cuda {

struct DeviceInfo {
  int index = 0;
  std::string name;
  int major = 0, minor = 0;  // compute capability
  int multiprocessors = 0;
  int64_t memory = 0;        // bytes
  int shared_per_block = 0;  // bytes, the most that a kernel can ask for
  int clock_khz = 0;
  int memory_clock_khz = 0;
  int architecture() const { return 10 * major + minor; }
};

struct Availability {
  std::string why_not;              // a sentence; "" where at least one GPU can be used
  std::vector<DeviceInfo> devices;  // all that the driver shows, also those that cannot be used
  std::string driver_version;       // the CUDA version that the driver speaks, 13.0; "" without a driver
  std::string nvrtc_version;        // "" without NVRTC
};

// Looked up once per process.
const Availability& availability();

// Why this device cannot be used although the driver shows it; "" where it can.
std::string unsupported_reason(const DeviceInfo& device);
std::string unsupported_reason(const DeviceInfo& device, const std::vector<int>& architectures);

class Context;  // a retained primary context

class Device {
 public:
  explicit Device(int index = 0);

  const DeviceInfo& info() const;
  int64_t free_memory() const;
  // `what` is what needs the memory: "the lattice".
  OutOfMemory too_little_memory(double bytes, const std::string& what) const;
  // Waits for everything; what went wrong in kernels launched before comes out here.
  void synchronize() const;
  // Lets kernels on this device read the other's memory; false where they cannot.
  bool reach(const Device& other) const;
  const std::shared_ptr<Context>& context() const { return context_; }

 private:
  std::shared_ptr<Context> context_;
};

// Work in a stream runs in order. Copies that take no stream wait for all streams, and all streams for them.
class Stream {
 public:
  explicit Stream(const Device& device);
  Stream(Stream&&) = default;
  Stream& operator=(Stream&&) = default;

  void synchronize() const;
  api::StreamHandle handle() const { return handle_.get(); }

 private:
  std::shared_ptr<Context> context_;
  std::shared_ptr<std::remove_pointer_t<api::StreamHandle>> handle_;
};

class Event {
 public:
  explicit Event(const Device& device);
  Event(Event&&) = default;
  Event& operator=(Event&&) = default;

  void record(const Stream& stream);
  void synchronize() const;
  // Makes what comes later in `stream` wait for this event.
  void hold_back(const Stream& stream) const;

 private:
  std::shared_ptr<Context> context_;
  std::shared_ptr<std::remove_pointer_t<api::EventHandle>> handle_;
};

// Device memory in bytes; Buffer below gives it a type.
class Memory {
 public:
  Memory() = default;
  // `what` is what it is for, in messages: "the lattice".
  Memory(const Device& device, double bytes, const std::string& what);

  api::Address address() const { return block_ ? block_->address : 0; }
  std::size_t bytes() const { return block_ ? block_->bytes : 0; }
  void upload(const void* from, std::size_t bytes, std::size_t offset, const Stream* stream);
  void download(void* to, std::size_t bytes, std::size_t offset, const Stream* stream) const;
  void copy(const Memory& from, std::size_t bytes, const Stream* stream);
  void fill(uint8_t byte, std::size_t bytes, const Stream* stream);

 private:
  struct Block {
    std::shared_ptr<Context> context;
    api::Address address = 0;
    std::size_t bytes = 0;
    std::string purpose;
    ~Block();
  };
  void check_range(std::size_t bytes, std::size_t offset) const;
  std::unique_ptr<Block> block_;
};

// What this process had reserved when that was most, on all GPUs together.
struct MemoryUse {
  int64_t bytes = 0;
  std::map<std::string, int64_t> by_purpose;
};
MemoryUse most_memory_used();

// An array on the device. Without a stream a copy is done when the call returns; with one, the host's memory
// must stay as it is until the stream gets there, and should be Pinned.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(const Device& device, int64_t count, const std::string& what)
      : memory_(device, double(count) * sizeof(T), what) {}

  // A device address: for kernels, not for the host.
  T* data() const { return reinterpret_cast<T*>(memory_.address()); }
  int64_t size() const { return int64_t(memory_.bytes() / sizeof(T)); }
  void upload(const T* from, int64_t count, int64_t offset = 0, const Stream* stream = nullptr) {
    memory_.upload(from, std::size_t(count) * sizeof(T), std::size_t(offset) * sizeof(T), stream);
  }
  void download(T* to, int64_t count, int64_t offset = 0, const Stream* stream = nullptr) const {
    memory_.download(to, std::size_t(count) * sizeof(T), std::size_t(offset) * sizeof(T), stream);
  }
  // The first `count` elements, from another buffer on the same device.
  void copy(const Buffer& from, int64_t count, const Stream* stream = nullptr) {
    memory_.copy(from.memory_, std::size_t(count) * sizeof(T), stream);
  }
  void fill(uint8_t byte, const Stream* stream = nullptr) { fill(byte, size(), stream); }
  void fill(uint8_t byte, int64_t count, const Stream* stream = nullptr) {
    memory_.fill(byte, std::size_t(count) * sizeof(T), stream);
  }

 private:
  Memory memory_;
};

// Page-locked host memory: copies to and from it overlap with kernels.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  PinnedMemory(const Device& device, std::size_t bytes);
  void* data() const { return data_.get(); }

 private:
  std::shared_ptr<void> data_;
};

template <class T>
class Pinned {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Pinned() = default;
  Pinned(const Device& device, int64_t count)
      : memory_(device, std::size_t(count) * sizeof(T)), size_(count) {}
  Pinned(Pinned&&) = default;
  Pinned& operator=(Pinned&&) = default;

  T* data() const { return static_cast<T*>(memory_.data()); }
  T& operator[](int64_t i) const { return data()[i]; }
  int64_t size() const { return size_; }

 private:
  PinnedMemory memory_;
  int64_t size_ = 0;
};

struct Extent3 {
  unsigned x = 1, y = 1, z = 1;
};

struct Launch {
  Extent3 grid, block;
  unsigned dynamic_shared_bytes = 0;
  bool cooperative = false;  // the whole grid is resident at once and may use grid-wide barriers
};

// A kernel of a Module, which it keeps loaded.
class Function {
 public:
  Function() = default;

  const std::string& name() const { return name_; }
  int registers() const;
  int shared_bytes() const;  // static
  // Must be called before a launch with more than 48 KiB of dynamic shared memory.
  void allow_dynamic_shared(int bytes) const;
  int blocks_per_multiprocessor(int threads, int dynamic_shared_bytes) const;

  // Starts the kernel. Arguments must have exactly the kernel's parameter types (an int is no int64_t); their
  // number and sizes are checked where the driver can tell (from CUDA 12.4 on).
  template <class... Arguments>
  void launch(const Launch& shape, const Stream& stream, const Arguments&... arguments) const {
    static_assert((std::is_trivially_copyable_v<Arguments> && ...),
                  "kernels take plain values and addresses");
    std::array<const void*, sizeof...(Arguments) + 1> addresses{std::addressof(arguments)..., nullptr};
    const std::array<std::size_t, sizeof...(Arguments) + 1> sizes{sizeof(Arguments)..., 0};
    launch_raw(shape, stream, const_cast<void**>(addresses.data()), sizes.data(), sizeof...(Arguments));
  }

 private:
  friend class Module;
  int attribute(int which) const;
  void launch_raw(const Launch& shape, const Stream& stream, void** arguments, const std::size_t* sizes,
                  std::size_t count) const;
  void check_arguments(const std::size_t* sizes, std::size_t count) const;

  std::shared_ptr<Context> context_;
  std::shared_ptr<void> module_;
  api::FunctionHandle handle_ = nullptr;
  std::string name_;
  std::optional<std::vector<std::size_t>> parameter_bytes_;  // of each, where the driver can tell
};

class Module {
 public:
  Module(const Device& device, const std::vector<char>& cubin);

  // By the name in the machine code: kernels are best declared extern "C".
  Function function(const std::string& name) const;
  // Writes a __constant__ or __device__ variable of the module, once all launches before have ended.
  template <class T>
  void set_global(const std::string& name, const T& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    set_global_bytes(name, &value, sizeof(T));
  }
  // The same for a variable that is an array of as many elements.
  template <class T>
  void set_global(const std::string& name, const std::vector<T>& values) const {
    static_assert(std::is_trivially_copyable_v<T>);
    set_global_bytes(name, values.data(), values.size() * sizeof(T));
  }

 private:
  void set_global_bytes(const std::string& name, const void* value, std::size_t bytes) const;

  std::shared_ptr<Context> context_;
  std::shared_ptr<void> module_;
};

}  // namespace kiln::cuda
