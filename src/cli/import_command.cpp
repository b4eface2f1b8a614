// What a model would make of an image, before there is a model.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/wording.hpp"
#include "cli/commands.hpp"
#include "core/lattice_size.hpp"
#include "output/picture/palette.hpp"
#include "output/picture/png.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

std::string axes_text(const Vec3i& v, int dimension) { return size_text({v, {}, dimension}); }
std::string toml_list(const Vec3d& v, int dimension) {
  return dimension == 2 ? fmt::format("[{:g}, {:g}]", v.x, v.y)
                        : fmt::format("[{:g}, {:g}, {:g}]", v.x, v.y, v.z);
}

// A plane through the middle, across `axis`; colour(place) is that of a site, and a line is drawn between
// sites whose id(place) differs, but not around those of id 0. Small planes are enlarged.
template <class ColourOf, class IdOf>
Image plane(const Vec3i& size, int axis, const ColourOf& colour, const IdOf& id) {
  constexpr int kWide = 480;
  const int u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
  const int zoom = std::max(1, kWide / std::max(size[u], size[v]));
  Image image(size[u] * zoom, size[v] * zoom);
  const auto place = [&](int i, int j) {
    Vec3i p{0, 0, 0};
    p[axis] = size[axis] / 2;
    p[u] = std::min(i, image.width - 1) / zoom;
    const int row = std::min(j, image.height - 1) / zoom;
    p[v] = v == 2 ? size[v] - 1 - row : row;  // as in slices: y points down, as image files have it, and z up
    return p;
  };
  constexpr float kLine = 0.4f;  // share of light that a line keeps
  for (int j = 0; j < image.height; ++j)
    for (int i = 0; i < image.width; ++i) {
      const auto own = id(place(i, j));
      const bool line = own != 0 && (id(place(i + 1, j)) != own || id(place(i, j + 1)) != own);
      const Colour c = colour(place(i, j));
      image.set(i, j, line ? to_srgb(to_linear(c) * kLine) : c);
    }
  return image;
}

template <class ColourOf>
Image plane(const Vec3i& size, int axis, const ColourOf& colour) {
  return plane(size, axis, colour, [](const Vec3i&) { return 0; });
}

Image side_by_side(const Image& left, const Image& right) {
  constexpr int kGap = 8;
  Image both(left.width + kGap + right.width, left.height);
  for (int y = 0; y < left.height; ++y) {
    for (int x = 0; x < left.width; ++x) both.set(x, y, left.at(x, y));
    for (int x = 0; x < right.width; ++x) both.set(left.width + kGap + x, y, right.at(x, y));
  }
  return both;
}

// Draws the middle planes across z and, in 3-D, y and x.
template <class Draw>
void write_planes(const fs::path& folder, int dimension, const Draw& draw) {
  if (!kHasPng) {
    fmt::print("No pictures: this build has no libpng.\n");
    return;
  }
  fs::create_directories(folder);
  for (int axis = 2; axis >= (dimension == 3 ? 0 : 2); --axis) {
    const fs::path path = folder / fmt::format("preview_{}.png", axis == 2 ? "xy" : axis == 1 ? "xz" : "yz");
    write_png(draw(axis), path);
    fmt::print("{}\n", path.string());
  }
}

void print_choice(const char* what, const char* option, int64_t count, int chosen, const char* kinds) {
  if (count > 1)
    fmt::print("{:<16}{}{}, of which {} is taken; {} N takes another\n", what, count, kinds, chosen, option);
}

void print_facts(const ImageHeader& header, const ImagePart& part, const ImageFacts& facts, double site_um,
                 int dimension) {
  fmt::print("voxels          {}\n", axes_text(facts.voxels, 3));
  print_choice("channels", "--channel", header.channels, part.channel,
               header.colours ? " (red, green, blue)" : "");
  print_choice("times", "--time", header.times, part.time, "");
  fmt::print("voxel           {} µm{}\n", toml_list(facts.voxel_um, dimension),
             facts.voxel_is_known ? ""
             : facts.only_proportions
                 ? " (the file tells its proportions but no unit; the narrowest edge is taken for a site)"
                 : " (the file does not say; taken for a site)");
  fmt::print("sites           {} of {:g} µm = {} sites\n", axes_text(facts.sites, dimension), site_um,
             grouped(double(facts.sites.x) * facts.sites.y * facts.sites.z));
}

std::string placement_toml(const ImportOptions& o, int dimension) {
  std::string text = fmt::format("file = \"{}\"\n", o.file);
  const ImagePlacement& p = o.placement;
  if (!p.part.dataset.empty()) text += fmt::format("dataset = \"{}\"\n", p.part.dataset);
  if (p.part.channel != 0) text += fmt::format("channel = {}\n", p.part.channel);
  if (p.part.time != 0) text += fmt::format("time = {}\n", p.part.time);
  if (p.voxel_um) text += fmt::format("voxel_um = {}\n", toml_list(*p.voxel_um, dimension));
  const auto list = [&](const Vec3i& v) {
    return toml_list({double(v.x), double(v.y), double(v.z)}, dimension);
  };
  if (p.crop_from) text += fmt::format("crop_from = {}\n", list(*p.crop_from));
  if (p.crop_to) text += fmt::format("crop_to = {}\n", list(*p.crop_to));
  return text;
}

std::string segmentation_toml(const Segmentation& s) {
  std::string text;
  if (s.smooth_um > 0) text += fmt::format("smooth_um = {:g}\n", s.smooth_um);
  if (s.threshold) text += fmt::format("threshold = {:g}\n", *s.threshold);
  if (s.below) text += "keep = \"below\"\n";
  if (s.specks_um3 > 0) text += fmt::format("specks_um3 = {:g}\n", s.specks_um3);
  if (s.close_um > 0) text += fmt::format("close_um = {:g}\n", s.close_um);
  return text;
}

void print_model_lines(const ImportOptions& o, const ImageFacts& facts, int dimension, const char* kind) {
  const Vec3d size{double(facts.sites.x), double(facts.sites.y), double(facts.sites.z)};
  fmt::print(
      "\nFor a model file:\n\n[lattice]\nsize = {}\n\n[units]\nvoxel_um = {:g}\n\n[[initial]]\nkind = "
      "\"{}\"\n{}",
      toml_list(size, dimension), o.site_um, kind, placement_toml(o, dimension));
}

void import_intensities(const ImportOptions& o, ImageSource& source, const ImportGrid& grid) {
  Volume seen;
  const int dimension = grid.dimension;
  const ImportedMask image = import_mask(source, o.placement, o.segmentation, grid, &seen);
  print_facts(source.header(), o.placement.part, image.facts, o.site_um, dimension);
  fmt::print("threshold       {:g}{}\n", image.facts.threshold, o.segmentation.threshold ? "" : " (Otsu)");
  if (image.facts.specks > 0)
    fmt::print("specks          {} sites dropped\n", grouped(double(image.facts.specks)));
  fmt::print("kept            {:.2f}% of the sites\n\n", 100 * image.facts.share);
  const auto [low, high] = std::minmax_element(seen.values.begin(), seen.values.end());
  const float dark = *low, range = std::max(*high - *low, 1e-30f);
  const auto grey = [&](const Vec3i& p) {
    const auto level = uint8_t(255 * (seen.at(p.x, p.y, p.z) - dark) / range);
    return Colour{level, level, level};
  };
  const auto tinted = [&](const Vec3i& p) {
    const Colour c = grey(p);
    if (!image.mask[p]) return c;
    return Colour{uint8_t(128 + c.red / 2), uint8_t(c.green / 2 + 40), uint8_t(c.blue / 2)};
  };
  write_planes(o.out, dimension, [&](int axis) {
    return side_by_side(plane(seen.size, axis, grey), plane(seen.size, axis, tinted));
  });
  print_model_lines(o, image.facts, dimension, "image");
  fmt::print("{}", segmentation_toml(o.segmentation));
}

void import_label_image(const ImportOptions& o, ImageSource& source, const ImportGrid& grid) {
  const int dimension = grid.dimension;
  const ImportedLabels image = import_labels(source, o.placement, grid);
  std::vector<int64_t> labels = image.labels.values;
  std::sort(labels.begin(), labels.end());
  if (!labels.empty() && labels.front() < 0)
    throw UserError(fmt::format("{} holds the label {}; labels must be 0 or more.", o.file, labels.front()));
  print_facts(source.header(), o.placement.part, image.facts, o.site_um, dimension);
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  const std::size_t count = labels.size() - (std::binary_search(labels.begin(), labels.end(), 0) ? 1 : 0);
  fmt::print("labels          {}\n", grouped(double(count)));
  fmt::print("labelled        {:.2f}% of the sites\n\n", 100 * image.facts.share);
  write_planes(o.out, dimension, [&](int axis) {
    return plane(
        image.labels.size, axis,
        [&](const Vec3i& p) {
          const int64_t label = image.labels.at(p.x, p.y, p.z);
          return label == 0 ? Colour{24, 24, 28} : cell_colour(CellId(label));
        },
        [&](const Vec3i& p) { return image.labels.at(p.x, p.y, p.z); });
  });
  print_model_lines(o, image.facts, dimension, "labels");
}

Vec3i voxels_of(const std::vector<int>& values, int beyond_2d) {
  return {values[0], values[1], values.size() == 3 ? values[2] : beyond_2d};
}

// Two numbers leave z open, which only an image of one slice can do without.
template <class Number>
void check_axes(const char* option, const std::vector<Number>& given, const ImageHeader& header,
                const char* wanted) {
  if (given.size() == 2 && header.zyx[0] > 1)
    throw UserError(fmt::format("{} has 2 numbers, but {} has {} slices; give {}: x y z.", option,
                                header.name, header.zyx[0], wanted));
}

}  // namespace

int import_command(ImportOptions options) {
  ImagePlacement& p = options.placement;
  if (!options.crop_from.empty()) p.crop_from = voxels_of(options.crop_from, 0);
  if (!options.crop_to.empty()) p.crop_to = voxels_of(options.crop_to, 1);
  const std::vector<double>& edges = options.voxel_um;
  if (edges.size() == 1) p.voxel_um = Vec3d{edges[0], edges[0], edges[0]};
  if (edges.size() > 1) p.voxel_um = Vec3d{edges[0], edges[1], edges.size() == 3 ? edges[2] : edges[0]};
  if (options.out.empty()) options.out = "import";
  ImportGrid grid{1, 3, std::size_t(physical_memory())};
  const std::unique_ptr<ImageSource> source = open_image(options.file, p.part, grid.most_bytes);
  const ImageHeader& header = source->header();
  check_axes("--voxel-um", edges, header, "one or three");
  check_axes("--crop-from", options.crop_from, header, "three");
  check_axes("--crop-to", options.crop_to, header, "three");
  const int64_t slices = p.crop_to ? p.crop_to->z - (p.crop_from ? p.crop_from->z : 0) : header.zyx[0];
  grid.dimension = slices > 1 ? 3 : 2;
  if (options.site_um == 0) {
    const Vec3d known = p.voxel_um.value_or(header.voxel_um);
    for (int axis = 0; axis < grid.dimension; ++axis)
      if (known[axis] > 0 && (options.site_um == 0 || known[axis] < options.site_um))
        options.site_um = known[axis];
    if (options.site_um == 0) options.site_um = 1;
  }
  grid.site_um = options.site_um;
  if (options.labels)
    import_label_image(options, *source, grid);
  else
    import_intensities(options, *source, grid);
  return 0;
}

}  // namespace kiln
