#include "engine/cuda/driver/driver.hpp"

#include <fmt/format.h>

#include "base/wording.hpp"
#include "engine/cuda/driver/context.hpp"

namespace kiln::cuda {

using api::check;
using api::driver;

std::string device_text(const DeviceInfo& info) {
  return fmt::format("{} (device {})", info.name, info.index);
}

Context::Context(const DeviceInfo& info) : info_(info) {
  check(driver().device_get(&device_, info.index), "opening the GPU " + device_text(info));
  check(driver().device_primary_ctx_retain(&handle_, device_), "opening the GPU " + device_text(info));
}

Context::~Context() { driver().device_primary_ctx_release(device_); }

void Context::make_current() const { check(driver().ctx_set_current(handle_), "turning to the GPU"); }

void Context::make_current_quietly() const noexcept { driver().ctx_set_current(handle_); }

bool Context::reach(const Context& other) const {
  if (device_ == other.device_) return true;
  int can = 0;
  check(driver().device_can_access_peer(&can, device_, other.device_), "asking about two GPUs");
  if (can == 0) return false;
  make_current();
  const api::Result result = driver().ctx_enable_peer_access(other.handle_, 0);
  if (result != api::kPeerAccessAlreadyEnabled) check(result, "letting two GPUs see each other");
  return true;
}

Device::Device(int index) {
  const Availability& found = availability();
  if (found.devices.empty()) throw UserError("no GPU can be used: " + found.why_not);
  if (index < 0 || index >= int(found.devices.size()))
    throw UserError(fmt::format("there is no GPU number {}: the driver shows {}, numbered from 0", index,
                                found.devices.size()));
  const DeviceInfo& info = found.devices[std::size_t(index)];
  if (const std::string reason = unsupported_reason(info); !reason.empty())
    throw UserError(fmt::format("the GPU {} cannot be used: {}", device_text(info), reason));
  context_ = std::make_shared<Context>(info);
}

const DeviceInfo& Device::info() const { return context_->info(); }

int64_t Device::free_memory() const {
  context_->make_current();
  std::size_t free = 0, total = 0;
  check(driver().mem_get_info(&free, &total), "asking the GPU for its free memory");
  return int64_t(free);
}

OutOfMemory Device::too_little_memory(double bytes, const std::string& what) const {
  return OutOfMemory(fmt::format("the GPU {} has too little memory: {} needs {}, and {} of its {} are free",
                                 device_text(info()), what, bytes_text(bytes),
                                 bytes_text(double(free_memory())), bytes_text(double(info().memory))));
}

void Device::synchronize() const {
  context_->make_current();
  check(driver().ctx_synchronize(), "waiting for the GPU");
}

bool Device::reach(const Device& other) const { return context_->reach(*other.context_); }

Stream::Stream(const Device& device) : context_(device.context()) {
  context_->make_current();
  api::StreamHandle handle = nullptr;
  check(driver().stream_create(&handle, 0), "making a stream on the GPU");
  handle_ = {handle, [context = context_](api::StreamHandle stream) {
               context->make_current_quietly();
               driver().stream_destroy(stream);
             }};
}

void Stream::synchronize() const {
  context_->make_current();
  check(driver().stream_synchronize(handle()), "waiting for the GPU");
}

Event::Event(const Device& device) : context_(device.context()) {
  context_->make_current();
  api::EventHandle handle = nullptr;
  check(driver().event_create(&handle, 0), "making an event on the GPU");
  handle_ = {handle, [context = context_](api::EventHandle event) {
               context->make_current_quietly();
               driver().event_destroy(event);
             }};
}

void Event::record(const Stream& stream) {
  context_->make_current();
  check(driver().event_record(handle_.get(), stream.handle()), "recording an event on the GPU");
}

void Event::synchronize() const {
  context_->make_current();
  check(driver().event_synchronize(handle_.get()), "waiting for the GPU");
}

void Event::hold_back(const Stream& stream) const {
  context_->make_current();
  check(driver().stream_wait_event(stream.handle(), handle_.get(), 0), "ordering streams on the GPU");
}

}  // namespace kiln::cuda
