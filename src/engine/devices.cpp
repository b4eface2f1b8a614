#include "engine/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/cuda/driver/driver.hpp"

namespace kiln {
namespace {

// None: all.
std::optional<std::vector<int64_t>> numbers_in(std::string_view text) {
  if (text == "all") return std::nullopt;
  std::vector<int64_t> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::optional<int64_t> number = whole_in(text.substr(begin, end - begin));
    if (!number || *number < 0)
      throw UserError(fmt::format(
          "--devices is \"{}\", but must be all, or numbers of GPUs with commas between, as 0,1,3.", text));
    numbers.push_back(*number);
    begin = end + 1;
  }
  return numbers;
}

}  // namespace

std::vector<int> devices_named(const std::string& text, const std::vector<std::string>& why_not) {
  const std::optional<std::vector<int64_t>> numbers = numbers_in(text);
  std::vector<int> devices;
  for (std::size_t device = 0; !numbers && device < why_not.size(); ++device)
    if (why_not[device].empty()) devices.push_back(int(device));
  for (const int64_t number : numbers.value_or(std::vector<int64_t>())) {
    if (number >= int64_t(why_not.size()))
      throw UserError(
          fmt::format("--devices is \"{}\", but there is no GPU {}: the driver shows {}, numbered from 0.",
                      text, number, why_not.size()));
    if (const std::string& reason = why_not[std::size_t(number)]; !reason.empty())
      throw UserError(
          fmt::format("--devices is \"{}\", but GPU {} cannot be used: {}.", text, number, reason));
    devices.push_back(int(number));
  }
  return devices;
}

std::vector<int> choose_devices(const std::string& text, EngineOptions& engine) {
  if (text.empty()) return {};
  numbers_in(text);  // a wrong text is told before what the machine lacks
  if (engine.engine == "auto") engine.engine = "cuda";
  if (engine.engine != "cuda")
    throw UserError(fmt::format(
        "--devices is \"{}\", but the {} engine plays on no GPU; leave one of --devices and --engine out.",
        text, engine.engine));
  const cuda::Availability& found = cuda::availability();
  if (!found.why_not.empty()) throw UserError(fmt::format("no GPU can be used: {}.", found.why_not));
  std::vector<std::string> why_not;
  for (const cuda::DeviceInfo& device : found.devices) why_not.push_back(cuda::unsupported_reason(device));
  return devices_named(text, why_not);
}

}  // namespace kiln
