// What this machine has for CUDA, and why not.
#include <fmt/format.h>

#include "engine/cuda/driver/context.hpp"
#include "engine/cuda/driver/nvrtc.hpp"

namespace kiln::cuda {
namespace {

using api::check;
using api::driver;

int attribute(api::DeviceHandle device, int which) {
  int value = 0;
  check(driver().device_get_attribute(&value, which, device), "asking about a GPU");
  return value;
}

DeviceInfo device_info(int index) {
  api::DeviceHandle device = 0;
  check(driver().device_get(&device, index), "asking about a GPU");
  DeviceInfo info;
  info.index = index;
  char name[256] = "";
  check(driver().device_get_name(name, sizeof(name), device), "asking about a GPU");
  info.name = name;
  std::size_t memory = 0;
  check(driver().device_total_mem(&memory, device), "asking about a GPU");
  info.memory = int64_t(memory);
  // CUdevice_attribute
  info.clock_khz = attribute(device, 13);
  info.multiprocessors = attribute(device, 16);
  info.memory_clock_khz = attribute(device, 36);
  info.major = attribute(device, 75);
  info.minor = attribute(device, 76);
  info.shared_per_block = attribute(device, 97);
  return info;
}

void list_devices(Availability& found) {
  int count = 0;
  check(driver().device_get_count(&count), "counting GPUs");
  for (int index = 0; index < count; ++index) found.devices.push_back(device_info(index));
}

Availability look() {
  Availability found;
  const api::OpenedDriver& opened = api::open_driver();
  if (opened.version != 0)
    found.driver_version = fmt::format("{}.{}", opened.version / 1000, opened.version % 1000 / 10);
  found.nvrtc_version = nvrtc_version();
  if (!opened.why_not.empty()) {
    found.why_not = opened.why_not;
    return found;
  }
  try {
    list_devices(found);
  } catch (const Failure& e) {
    found.why_not = e.what();
    return found;
  }
  if (found.devices.empty()) found.why_not = "NVIDIA's driver shows no GPU";
  for (const DeviceInfo& device : found.devices) {
    found.why_not = unsupported_reason(device);
    if (found.why_not.empty()) break;
  }
  return found;
}

}  // namespace

const Availability& availability() {
  static const Availability found = look();
  return found;
}

std::string unsupported_reason(const DeviceInfo& device) {
  if (std::string reason = nvrtc_missing_reason(); !reason.empty()) return reason;
  const int driver_version = api::open_driver().version;
  if (driver_version / 1000 < nvrtc_major())
    return fmt::format("the driver speaks CUDA {}.{} and NVRTC is {}: update the driver, or install NVRTC {}",
                       driver_version / 1000, driver_version % 1000 / 10, nvrtc_version(),
                       driver_version / 1000);
  return unsupported_reason(device, supported_architectures());
}

std::string unsupported_reason(const DeviceInfo& device, const std::vector<int>& architectures) {
  if (architecture_for(device, architectures) != 0) return "";
  std::string list;
  for (const int architecture : architectures)
    list += fmt::format("{}{}.{}", list.empty() ? "" : ", ", architecture / 10, architecture % 10);
  return fmt::format("{} has compute capability {}.{}, and NVRTC {} compiles for {}", device_text(device),
                     device.major, device.minor, nvrtc_version(), list);
}

}  // namespace kiln::cuda
