// Regions, simple ones and those that are made of others.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/file/reading.hpp"

namespace kiln {
namespace {

using Shape = Region::Shape;

constexpr std::pair<std::string_view, Shape> kShapes[] = {
    {"all", Shape::all},
    {"ball", Shape::ball},
    {"box", Shape::box},
    {"tube", Shape::tube},
    {"union", Shape::set_union},
    {"intersection", Shape::intersection},
    {"difference", Shape::difference},
};

void fill_in(Node& region, std::string_view key, Node value) {
  if (find(region, key) == nullptr) put(region, key, std::move(value));
}

void read_ball(const Lattice& lattice, Node& region, Region& r) {
  double shortest = std::min(lattice.size.x, lattice.size.y);
  if (lattice.dimension == 3) shortest = std::min(shortest, double(lattice.size.z));
  fill_in(region, "centre", list_of(centre_of(lattice), lattice.dimension, region.place));
  fill_in(region, "radius", {0.5 * shortest, region.place});
  r.centre = place_of(*find(region, "centre"));
}

void read_box(const Lattice& lattice, const std::string& path, Node& region, Region& r) {
  const Vec3i& size = lattice.size;
  fill_in(region, "low", list_of({0, 0, 0}, lattice.dimension, region.place));
  fill_in(region, "high",
          list_of({double(size.x), double(size.y), double(size.z)}, lattice.dimension, region.place));
  r.low = place_of(*find(region, "low"));
  r.high = place_of(*find(region, "high"));
  if (lattice.dimension == 2) r.high.z = 1;
  for (int axis = 0; axis < lattice.dimension; ++axis)
    if (!(r.low[axis] < r.high[axis]))
      fail_at(region, fmt::format("{}.high is {}, but must be beyond low, {}, along every axis.", path,
                                  inline_toml(*find(region, "high")), inline_toml(*find(region, "low"))));
}

constexpr int kDeepest = 16;  // regions in regions

void read_at_depth(const Reading& reading, Node& table, const std::string& path, Region& r, int depth) {
  if (depth > kDeepest)
    fail_at(table,
            fmt::format("{} lies too deep; at most {} regions may be inside of each other.", path, kDeepest));
  Node region = complete_section(table, kRegionSection, path, reading.scope);
  const Lattice& lattice = reading.model.lattice;
  const auto named = std::find_if(std::begin(kShapes), std::end(kShapes), [&](const auto& shape) {
    return shape.first == find(region, "shape")->text();
  });
  r.shape = named->second;
  if (r.shape == Shape::ball) read_ball(lattice, region, r);
  if (r.shape == Shape::box) read_box(lattice, path, region, r);
  if (r.shape == Shape::tube) {
    r.from = place_of(*find(region, "from"));
    r.to = place_of(*find(region, "to"));
  }
  if (const Node* radius = find(region, "radius")) r.radius = radius->real();
  if (Node* parts = find(region, "of")) {
    for (std::size_t i = 0; i < parts->array()->size(); ++i)
      read_at_depth(reading, (*parts->array())[i], fmt::format("{}.of.{}", path, i), r.of.emplace_back(),
                    depth + 1);
  }
  if (const Node* outside = find(region, "outside")) r.outside = outside->flag();
  sort_keys(region, kRegionSection);
  table = std::move(region);
}

}  // namespace

void read_region(const Reading& reading, Node& table, const std::string& path, Region& region) {
  read_at_depth(reading, table, path, region, 1);
}

}  // namespace kiln
