#include <fmt/format.h>

#include <algorithm>

#include "model/file/reading.hpp"

namespace kiln {
namespace {

using Kind = InitialStep::Kind;

Kind kind_of(const std::string& name) {
  for (std::size_t i = 0; i < kInitialSection.variants.size(); ++i)
    if (kInitialSection.variants[i].choice == name) return Kind(i);
  return Kind::boxes;
}

// Sides whose product is near the volume, the last axes one longer where that helps: 150 is 5 x 5 x 6.
Vec3i box_of_volume(double volume, const Lattice& lattice) {
  int64_t side = 1;
  const auto power = [&lattice](int64_t s) {
    return double(s) * double(s) * (lattice.dimension == 3 ? double(s) : 1.0);
  };
  while (power(side + 1) <= volume) ++side;
  Vec3i box{int32_t(side), int32_t(side), lattice.dimension == 3 ? int32_t(side) : 1};
  double product = power(side);
  for (int axis = lattice.dimension - 1; axis >= 0; --axis) {
    const double longer = product / box[axis] * (box[axis] + 1);
    if (longer - volume >= volume - product) break;
    ++box[axis];
    product = longer;
  }
  for (int axis = 0; axis < lattice.dimension; ++axis) box[axis] = std::min(box[axis], lattice.size[axis]);
  return box;
}

Node whole_list(const Vec3i& v, int dimension, const std::string& origin) {
  Node::Array items;
  for (int axis = 0; axis < dimension; ++axis) items.push_back({int64_t(v[axis]), origin});
  return {std::move(items), origin};
}

class StepReader {
 public:
  StepReader(const Reading& reading, const PhysicsData& physics, const Node& given, std::string path)
      : reading_(reading), physics_(physics), path_(std::move(path)) {
    node_ = complete_section(given, kInitialSection, path_, reading.scope);
  }

  InitialStep read() {
    step_.kind = kind_of(find(node_, "kind")->text());
    read_types();
    read_region();
    read_boxes();
    read_seeds();
    read_network();
    if (const Node* radius = find(node_, "radius")) step_.radius = radius->real();
    if (const Node* from = find(node_, "from")) step_.from = place_of(*from);
    if (const Node* to = find(node_, "to")) step_.to = place_of(*to);
    read_mask();
    if (step_.kind == Kind::labels || step_.kind == Kind::image)
      read_image_mask(reading_, node_, path_, step_.image);
    if (const Node* labels = find(node_, "label_types"))
      for (const Entry& e : *labels->table()) step_.label_types[std::stoll(e.key)] = type_id(e.node.text());
    sort_keys(node_, kInitialSection);
    return step_;
  }

  Node node() const { return node_; }

 private:
  const Lattice& lattice() const { return reading_.model.lattice; }
  TypeId type_id(const std::string& name) const {
    return TypeId(index_of_type(node_, path_, name, reading_.scope));
  }

  void read_types() {
    const Node* one = find(node_, "type");
    const Node* several = find(node_, "types");
    if (one != nullptr && several != nullptr)
      fail_at(*several, fmt::format("{0}.type and {0}.types are both given; take one of them.", path_));
    const bool all_labelled =
        find(node_, "label_types") != nullptr && !find(node_, "label_types")->table()->empty();
    if (several != nullptr) {
      for (const Entry& e : *several->table()) step_.types.emplace_back(type_id(e.key), e.node.real());
      return;
    }
    if (one == nullptr && all_labelled) return;
    const std::vector<std::string>& names = reading_.scope.types;
    if (one == nullptr && names.size() > 2) {
      const std::vector<std::string_view> choices(names.begin() + 1, names.end());
      fail_at(node_, fmt::format("{}.type is missing; it must be one of {}.", path_, joined(choices)));
    }
    if (one == nullptr) {
      put(node_, "type", {names[1], node_.place});
      one = find(node_, "type");
    }
    step_.types.emplace_back(type_id(one->text()), 1.0);
  }

  void read_region() {
    Node& given = *find(node_, "region");
    const std::string path = path_ + ".region";
    Node region = complete_section(given, kRegionSection, path, reading_.scope);
    const int dimension = lattice().dimension;
    const auto fill_in = [&region](std::string_view key, Node value) {
      if (find(region, key) == nullptr) put(region, key, std::move(value));
    };
    Region& r = step_.region;
    const std::string shape = find(region, "shape")->text();
    if (shape == "ball") {
      r.shape = Region::Shape::ball;
      double shortest = std::min(lattice().size.x, lattice().size.y);
      if (dimension == 3) shortest = std::min(shortest, double(lattice().size.z));
      fill_in("centre", list_of(centre_of(lattice()), dimension, region.place));
      fill_in("radius", {0.5 * shortest, region.place});
      r.centre = place_of(*find(region, "centre"));
      r.radius = find(region, "radius")->real();
    } else if (shape == "box") {
      r.shape = Region::Shape::box;
      const Vec3i& size = lattice().size;
      fill_in("low", list_of({0, 0, 0}, dimension, region.place));
      fill_in("high", list_of({double(size.x), double(size.y), double(size.z)}, dimension, region.place));
      r.low = place_of(*find(region, "low"));
      r.high = place_of(*find(region, "high"));
      if (dimension == 2) r.high.z = 1;
      for (int axis = 0; axis < dimension; ++axis)
        if (!(r.low[axis] < r.high[axis]))
          fail_at(region, fmt::format("{}.high is {}, but must be beyond low, {}, along every axis.", path,
                                      inline_toml(*find(region, "high")), inline_toml(*find(region, "low"))));
    }
    if (const Node* outside = find(region, "outside")) r.outside = outside->flag();
    sort_keys(region, kRegionSection);
    given = std::move(region);
  }

  void read_mask() {
    Node* given = find(node_, "mask");
    if (given == nullptr) return;
    const std::string path = path_ + ".mask";
    *given = complete_section(*given, kMaskSection, path, reading_.scope);
    read_image_mask(reading_, *given, path, step_.mask.emplace());
  }

  void read_boxes() {
    if (step_.kind != Kind::boxes) return;
    if (find(node_, "box") == nullptr) {
      constexpr double kWithoutTarget = 100;
      const double target = double(physics_.types[step_.types.front().first].volume.target);
      const Vec3i box = box_of_volume(target > 0 ? target : kWithoutTarget, lattice());
      put(node_, "box", whole_list(box, lattice().dimension, node_.place));
    }
    if (find(node_, "spacing") == nullptr) put(node_, "spacing", *find(node_, "box"));
    step_.box = whole_place_of(*find(node_, "box"), 1);
    step_.spacing = whole_place_of(*find(node_, "spacing"), 1);
    for (int axis = 0; axis < lattice().dimension; ++axis)
      if (step_.spacing[axis] < step_.box[axis])
        fail_at(*find(node_, "spacing"),
                fmt::format("{}.spacing is {}, but must be at least the box, {}.", path_,
                            inline_toml(*find(node_, "spacing")), inline_toml(*find(node_, "box"))));
  }

  void read_seeds() {
    if (step_.kind != Kind::seeds) return;
    const Node* count = find(node_, "count");
    const Node* density = find(node_, "density");
    if ((count == nullptr) == (density == nullptr))
      fail_at(node_, fmt::format("{0}.count and {0}.density are {1} given; exactly one of them must be.",
                                 path_, count == nullptr ? "not" : "both"));
    if (count != nullptr) step_.count = count->whole();
    if (density == nullptr) return;
    step_.density = density->real();
    for (const auto& [type, weight] : step_.types)
      if (weight > 0 && !(physics_.types[type].volume.target > 0))
        fail_at(*density,
                fmt::format("{}.density needs a target volume, but types.{} has none; give a count instead.",
                            path_, reading_.scope.types[type]));
  }

  void read_network() {
    if (step_.kind != Kind::network) return;
    step_.fraction = find(node_, "fraction")->real();
    if (find(node_, "node_spacing") == nullptr) {
      constexpr double kRadii = 10;
      put(node_, "node_spacing", {std::max(1.0, kRadii * find(node_, "radius")->real()), node_.place});
    }
    step_.node_spacing = find(node_, "node_spacing")->real();
  }

  const Reading& reading_;
  const PhysicsData& physics_;
  std::string path_;
  Node node_;
  InitialStep step_;
};

// The first type that moves, in boxes that fill the lattice.
Node default_step(const Reading& r, const PhysicsData& physics) {
  std::size_t type = 1;
  while (type + 1 < physics.types.size() && physics.types[type].frozen) ++type;
  if (physics.types[type].frozen) type = 1;
  Node step{Node::Table{}, r.given.place};
  put(step, "type", {r.scope.types[type], r.given.place});
  return step;
}

}  // namespace

void read_initial(Reading& r, const PhysicsData& physics) {
  Node::Array given = tables_of(r.given, kInitialSection.name);
  if (find(r.given, kInitialSection.name) == nullptr) given.push_back(default_step(r, physics));
  Node::Array complete;
  for (std::size_t i = 0; i < given.size(); ++i) {
    StepReader reader(r, physics, given[i], fmt::format("{}.{}", kInitialSection.name, i));
    r.model.initial.push_back(reader.read());
    complete.push_back(reader.node());
  }
  put(r.complete, kInitialSection.name, {std::move(complete), r.given.place});
}

}  // namespace kiln
