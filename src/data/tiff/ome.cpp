#ifdef KILN_HAS_TIFF
#include "data/tiff/ome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <pugixml.hpp>
#include <string_view>

#include "base/error.hpp"
#include "base/wording.hpp"
#include "data/tiff/length_unit.hpp"

namespace kiln {
namespace {

// Names may carry a prefix: <ome:Pixels>.
std::string_view local_name(const pugi::xml_node& node) {
  const std::string_view name = node.name();
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

pugi::xml_node child(const pugi::xml_node& parent, std::string_view name) {
  for (const pugi::xml_node& node : parent.children())
    if (local_name(node) == name) return node;
  return {};
}

class Parser {
 public:
  explicit Parser(const std::string& file) : file_(file) {}

  std::optional<OmePixels> parse(const std::string& text) {
    pugi::xml_document document;
    const pugi::xml_parse_result result = document.load_buffer(text.data(), text.size());
    const pugi::xml_node root = child(document, "OME");
    // A broken text is OME's if it got as far as saying so; other XML is none of our business.
    if (!root) return std::nullopt;
    if (!result) fail(result.description());
    if (const pugi::xml_node other = child(root, "BinaryOnly"))
      fail(fmt::format("its layout is described in another file, '{}'",
                       other.attribute("MetadataFile").as_string()));
    const pugi::xml_node node = child(child(root, "Image"), "Pixels");
    if (!node) fail("it describes no image");
    OmePixels pixels = read_sizes(node);
    const std::string_view own_uuid = root.attribute("UUID").as_string();
    for (const pugi::xml_node& run : node.children())
      if (local_name(run) == "TiffData") pixels.runs.push_back(read_run(run, own_uuid));
    if (pixels.runs.empty()) pixels.runs.emplace_back();
    return pixels;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(fmt::format("cannot read {}: the OME-XML in it is of no use: {}.", file_, what));
  }

  std::optional<int64_t> whole(const pugi::xml_node& node, const char* name, int64_t least) const {
    const std::string_view text = node.attribute(name).as_string();
    if (text.empty()) return std::nullopt;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least ||
        value > std::numeric_limits<int32_t>::max())
      fail(fmt::format("{} is '{}'", name, text.substr(0, 40)));
    return value;
  }

  int64_t size(const pugi::xml_node& node, const char* name) const {
    const std::optional<int64_t> value = whole(node, name, 1);
    if (!value) fail(fmt::format("{} is missing", name));
    return *value;
  }

  OmePixels read_sizes(const pugi::xml_node& node) const {
    OmePixels pixels;
    pixels.width = size(node, "SizeX");
    pixels.height = size(node, "SizeY");
    pixels.slices = size(node, "SizeZ");
    pixels.channels = size(node, "SizeC");
    pixels.times = size(node, "SizeT");
    pixels.order = node.attribute("DimensionOrder").as_string();
    std::string letters = pixels.order;
    std::sort(letters.begin(), letters.end());
    if (letters != "CTXYZ" || pixels.order.compare(0, 2, "XY") != 0)
      fail(fmt::format("DimensionOrder is '{}'", pixels.order.substr(0, 40)));
    for (int axis = 0; axis < 3; ++axis) pixels.voxel_um[axis] = edge_um(node, "XYZ"[axis]);
    return pixels;
  }

  static double edge_um(const pugi::xml_node& node, char axis) {
    const std::string name = std::string("PhysicalSize") + axis;
    const double length = node.attribute(name.c_str()).as_double(0);
    const std::optional<double> unit = micrometres(node.attribute((name + "Unit").c_str()).as_string("um"));
    const double edge = unit ? length * *unit : 0;
    return std::isfinite(edge) && edge > 0 ? edge : 0;
  }

  OmeRun read_run(const pugi::xml_node& node, std::string_view own_uuid) const {
    OmeRun run;
    const std::optional<int64_t> page = whole(node, "IFD", 0);
    run.page = page.value_or(0);
    run.count = whole(node, "PlaneCount", 0);
    if (page && !run.count) run.count = 1;
    run.slice = whole(node, "FirstZ", 0).value_or(0);
    run.channel = whole(node, "FirstC", 0).value_or(0);
    run.time = whole(node, "FirstT", 0).value_or(0);
    // Files get renamed, and UUIDs copied; either one tells that it is this file.
    if (const pugi::xml_node uuid = child(node, "UUID")) {
      const std::string_view named = uuid.attribute("FileName").as_string();
      run.elsewhere = std::string_view(uuid.text().as_string()) != own_uuid && !named.empty() &&
                      named != std::filesystem::path(file_).filename().string();
    }
    return run;
  }

  const std::string& file_;
};

// Steps a place along the axes, the fastest first.
struct Place {
  int64_t slice, channel, time;

  bool step(const OmePixels& pixels, int64_t channels) {
    for (const char axis : pixels.order) {
      int64_t* at = axis == 'Z' ? &slice : axis == 'C' ? &channel : axis == 'T' ? &time : nullptr;
      if (at == nullptr) continue;
      if (++*at < (axis == 'Z' ? pixels.slices : axis == 'C' ? channels : pixels.times)) return true;
      *at = 0;
    }
    return false;
  }
};

}  // namespace

std::optional<OmePixels> parse_ome(const std::string& text, const std::string& file) {
  const std::size_t start = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (start == std::string::npos || text[start] != '<') return std::nullopt;
  return Parser(file).parse(text);
}

std::vector<std::size_t> ome_pages(const OmePixels& pixels, const OmeChoice& choice, std::size_t pages,
                                   const std::string& file) {
  if (uint64_t(pixels.slices) > pages)
    throw UserError(fmt::format("cannot read {}: its OME-XML promises {}, but it has {}.", file,
                                counted(double(pixels.slices), "slice"), counted(double(pages), "page")));
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> found(std::size_t(pixels.slices), kNone);
  const int64_t channels = pixels.channels / choice.samples;
  bool elsewhere = false;
  std::size_t assigned = 0;
  for (const OmeRun& run : pixels.runs) {
    Place place{run.slice, run.channel / choice.samples, run.time};
    if (place.slice >= pixels.slices || place.channel >= channels || place.time >= pixels.times) continue;
    elsewhere |= run.elsewhere;
    if (run.elsewhere) continue;
    const int64_t count = std::min(run.count.value_or(int64_t(pages)), int64_t(pages) - run.page);
    for (int64_t i = 0; i < count; ++i) {
      if (++assigned > pages)
        throw UserError(fmt::format("cannot read {}: its OME-XML lists pages more than once.", file));
      if (place.channel == choice.channel && place.time == choice.time)
        found[std::size_t(place.slice)] = std::size_t(run.page + i);
      if (!place.step(pixels, channels)) break;
    }
  }
  const auto hole = std::find(found.begin(), found.end(), kNone);
  if (hole != found.end())
    throw UserError(fmt::format("cannot read {}: by its OME-XML, slice {} is not in this file{}.", file,
                                hole - found.begin() + 1,
                                elsewhere ? "; the series is spread over several files, which have to be "
                                            "joined first (as ImageJ does on saving it)"
                                          : ""));
  return found;
}

}  // namespace kiln
#endif
