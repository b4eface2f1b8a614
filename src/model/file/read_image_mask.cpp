// Where an image comes from, where it comes to lie and which part of it counts.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "model/file/reading.hpp"

namespace kiln {
namespace {

void read_file(const Reading& reading, Node& file, const std::string& path, ImageMask& image) {
  image.file = file.text();
  const std::string absolute = absolute_file(reading.model, file.text());
  if (!std::filesystem::exists(absolute))
    fail_at(file, fmt::format("{}.file is \"{}\", but there is no file {}.", path, file.text(), absolute));
  file.value = absolute;  // resolved models are kept elsewhere
}

void read_phantom(const Reading& reading, Node& given, const std::string& path, ImageMask& image) {
  if (reading.scope.dimension != 3)
    fail_at(given, fmt::format("{}.phantom cannot be: a phantom is a stack, but the lattice is 2-D.", path));
  given = complete_section(given, kPhantomSection, path + ".phantom", reading.scope);
  PhantomSource& source = image.phantom.emplace();
  source.kind = std::find_if(std::begin(kPhantoms), std::end(kPhantoms), [&](const PhantomKind& kind) {
    return find(given, "kind")->text() == kind.name;
  });
  PhantomSettings& s = source.settings;
  s.size_um = place_of(*find(given, "size_um"));
  s.voxel_um = place_of(*find(given, "voxel_um"));
  s.noise = find(given, "noise")->real();
  s.seed = uint64_t(find(given, "seed")->whole());
}

void read_source(const Reading& reading, Node& table, const std::string& path, ImageMask& image) {
  Node* file = find(table, "file");
  Node* phantom = find(table, "phantom");
  if ((file == nullptr) == (phantom == nullptr))
    fail_at(table, fmt::format("{0}.file and {0}.phantom are {1} given; exactly one of them must be.", path,
                               file == nullptr ? "not" : "both"));
  if (file != nullptr) read_file(reading, *file, path, image);
  if (phantom != nullptr) read_phantom(reading, *phantom, path, image);
}

void read_placement(const Reading& reading, const Node& table, ImagePlacement& p) {
  p.part.dataset = find(table, "dataset")->text();
  p.part.channel = int(find(table, "channel")->whole());
  p.part.time = int(find(table, "time")->whole());
  if (const Node* edges = find(table, "voxel_um")) {
    p.voxel_um = place_of(*edges);
    if (reading.scope.dimension == 2) p.voxel_um->z = reading.model.units.voxel_um;
  }
  if (const Node* from = find(table, "crop_from")) p.crop_from = whole_place_of(*from, 0);
  if (const Node* to = find(table, "crop_to")) p.crop_to = whole_place_of(*to, 1);
}

void read_segmentation(const Node& table, Segmentation& s) {
  s.smooth_um = find(table, "smooth_um")->real();
  const Node& threshold = *find(table, "threshold");
  if (!std::holds_alternative<std::string>(threshold.value)) s.threshold = threshold.real();
  s.below = find(table, "keep")->text() == "below";
  s.specks_um3 = find(table, "specks_um3")->real();
  s.close_um = find(table, "close_um")->real();
}

}  // namespace

void read_image_mask(const Reading& reading, Node& table, const std::string& path, ImageMask& image) {
  read_source(reading, table, path, image);
  read_placement(reading, table, image.placement);
  const Node* mirror = find(table, "mirror");
  if (mirror == nullptr) return;  // labels
  read_segmentation(table, image.segmentation);
  image.mirror = mirror->flag();
}

}  // namespace kiln
