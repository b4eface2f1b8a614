#include "model/initial/phantom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/wording.hpp"
#include "core/random.hpp"
#include "model/file/read.hpp"

namespace kiln {
namespace {

// The network on a grid of its own, fine enough for its strands.
Volume network(const PhantomKind& kind, const PhantomSettings& s, double site_um) {
  const auto sites = [&](double um) { return std::max(8, int(um / site_um + 0.5)); };
  const std::string text = fmt::format(
      "seed = {}\n[lattice]\nsize = [{}, {}, {}]\nboundary = \"closed\"\n[types.strand]\nfrozen = true\n"
      "[[initial]]\nkind = \"network\"\nfraction = {}\nradius = {}\nnode_spacing = {}\n",
      s.seed, sites(s.size_um.x), sites(s.size_um.y), sites(s.size_um.z), kind.fraction,
      kind.radius_um / site_um, kind.spacing_um / site_um);
  const State state = initial_state(parse_model(text, kind.name, "."));
  Volume volume(state.lattice.size);
  for (std::size_t i = 0; i < volume.values.size(); ++i)
    volume.values[i] = state.ids[i] != kMedium ? 1.0f : 0.0f;
  return volume;
}

// Near enough to a normal distribution for noise: a sum of four, with standard deviation 1.
double noise_of(uint64_t seed, std::size_t voxel) {
  const Draw d = draw(seed, Stream::phantom_noise, voxel, 0);
  const double sum = (double(d.a) + double(d.b) + double(d.c) + double(d.d)) * 0x1p-32;
  return (sum - 2) * 1.7320508075688772;
}

void require_memory(const PhantomKind& kind, const PhantomSettings& s, double site_um) {
  const Vec3d& size = s.size_um;
  const double volume = size.x * size.y * size.z;
  const double sites = volume / (site_um * site_um * site_um);
  const double voxels = volume / (s.voxel_um.x * s.voxel_um.y * s.voxel_um.z);
  constexpr double kBytesPerSite = 8;   // ids and floats
  constexpr double kBytesPerVoxel = 5;  // floats, and the stack
  const double need = kBytesPerSite * sites + kBytesPerVoxel * voxels, there = physical_memory();
  if (need > there)
    throw UserError(
        fmt::format("the phantom {} of {:g} x {:g} x {:g} µm with voxels of {:g} x {:g} x {:g} µm needs "
                    "about {} of memory "
                    "to make, but there are {}.",
                    kind.name, size.x, size.y, size.z, s.voxel_um.x, s.voxel_um.y, s.voxel_um.z,
                    bytes_text(need), bytes_text(there)));
}

}  // namespace

Grid<uint8_t> phantom(const PhantomKind& kind, const PhantomSettings& s) {
  const double site_um = std::clamp(std::min(s.voxel_um.x, s.voxel_um.y), 0.5, kind.radius_um / 2);
  require_memory(kind, s, site_um);
  const Volume sharp = network(kind, s, site_um);
  const double blur = s.blur_um / site_um;
  const Volume volume =
      gathered(resampled(smoothed(planes_of(sharp), {blur, blur, 3 * blur}), s.voxel_um * (1 / site_um)));
  Grid<uint8_t> stack(volume.size);
  in_parallel(int64_t(stack.values.size()), all_threads(), [&](int, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const double light = s.background + s.signal * double(volume.values[std::size_t(i)]);
      const double value = light + s.noise * std::sqrt(light) * noise_of(s.seed, std::size_t(i));
      stack.values[std::size_t(i)] = uint8_t(std::clamp(value + 0.5, 0.0, 255.0));
    }
  });
  return stack;
}

ImageStack phantom_image(const PhantomSource& source) {
  Grid<uint8_t> stack = phantom(*source.kind, source.settings);
  ImageStack image;
  image.values.element = Array::Element::uint8;
  image.values.shape = {stack.size.z, stack.size.y, stack.size.x};
  image.values.bytes = std::move(stack.values);
  image.voxel_um = source.settings.voxel_um;
  return image;
}

}  // namespace kiln
