#include "data/tiff/imagej.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "base/error.hpp"
#include "base/wording.hpp"
#include "data/tiff/length_unit.hpp"

namespace kiln {
namespace {

std::optional<std::string_view> value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.size() > key.size() && line.substr(0, key.size()) == key && line[key.size()] == '=')
      return line.substr(key.size() + 1);
  }
  return std::nullopt;
}

}  // namespace

std::optional<ImagejStack> parse_imagej(const std::string& text, const std::string& file) {
  if (text.compare(0, 7, "ImageJ=") != 0) return std::nullopt;
  const auto count = [&](const char* key) -> std::optional<int64_t> {
    const std::optional<std::string_view> word = value_of(text, key);
    if (!word) return std::nullopt;
    int64_t number = 0;
    const auto [end, error] = std::from_chars(word->data(), word->data() + word->size(), number);
    if (error != std::errc() || end != word->data() + word->size() || number < 1 ||
        number > std::numeric_limits<int32_t>::max())
      throw UserError(fmt::format("cannot read {}: ImageJ's description of it says {}={}.", file, key,
                                  word->substr(0, 40)));
    return number;
  };
  ImagejStack stack;
  const std::optional<int64_t> channels = count("channels"), slices = count("slices"),
                               frames = count("frames");
  stack.images = count("images").value_or(1);
  stack.channels = channels.value_or(1);
  stack.frames = frames.value_or(1);
  // Early versions leave out everything but the number of images: a plain stack.
  stack.slices = slices.value_or(channels || frames ? 1 : stack.images);
  if (stack.slices * stack.channels > stack.images ||
      stack.slices * stack.channels * stack.frames != stack.images)
    throw UserError(
        fmt::format("cannot read {}: ImageJ's description promises {}, but {} of {} at {}.", file,
                    counted(double(stack.images), "image"), counted(double(stack.channels), "channel"),
                    counted(double(stack.slices), "slice"), counted(double(stack.frames), "time")));
  if (const auto spacing = value_of(text, "spacing"))
    stack.spacing = std::abs(std::strtod(std::string(*spacing).c_str(), nullptr));
  if (!std::isfinite(stack.spacing)) stack.spacing = 0;
  if (const auto unit = value_of(text, "unit")) stack.unit_um = micrometres(*unit);
  return stack;
}

}  // namespace kiln
