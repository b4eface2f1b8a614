// A device's primary context, held as long as anything made in it. Only the driver*.cpp files need it.
#pragma once

#include "engine/cuda/driver/driver.hpp"

namespace kiln::cuda {

class Context {
 public:
  explicit Context(const DeviceInfo& info);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const DeviceInfo& info() const { return info_; }
  // For the calling thread: every driver call works on its thread's current context.
  void make_current() const;
  // The same where nothing may be thrown; an error shows in the call that follows.
  void make_current_quietly() const noexcept;
  // Lets kernels of this one read the other's memory; false where they cannot.
  bool reach(const Context& other) const;

 private:
  DeviceInfo info_;
  api::DeviceHandle device_ = 0;
  api::ContextHandle handle_ = nullptr;
};

// NVIDIA H200 (device 0)
std::string device_text(const DeviceInfo& info);

}  // namespace kiln::cuda
