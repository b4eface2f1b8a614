#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "data/label_types.hpp"
#include "model/file/reading.hpp"

namespace kiln {
namespace {

using Kind = InitialStep::Kind;

Kind kind_of(const std::string& name) {
  for (int kind = 0; kind < kInitialKinds; ++kind)
    if (kind_name(Kind(kind)) == name) return Kind(kind);
  throw std::logic_error("a kind of the schema without a name: " + name);
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
    read_region(reading_, *find(node_, "region"), path_ + ".region", step_.region);
    read_boxes();
    read_seeds();
    read_volume();
    read_slivers();
    read_network();
    if (const Node* radius = find(node_, "radius")) step_.radius = radius->real();
    if (const Node* from = find(node_, "from")) step_.from = place_of(*from);
    if (const Node* to = find(node_, "to")) step_.to = place_of(*to);
    read_mask();
    if (step_.kind == Kind::labels || step_.kind == Kind::image)
      read_image_mask(reading_, node_, path_, step_.image);
    if (step_.kind == Kind::labels) read_labels();
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
        (find(node_, "label_types") != nullptr && !find(node_, "label_types")->table()->empty()) ||
        find(node_, "label_types_file") != nullptr;
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

  void read_labels() {
    const Node& labels = *find(node_, "label_types");
    for (const Entry& e : *labels.table()) step_.label_types[std::stoll(e.key)] = type_id(e.node.text());
    if (Node* file = find(node_, "label_types_file")) {
      if (!step_.label_types.empty())
        fail_at(
            *file,
            fmt::format("{0}.label_types and {0}.label_types_file are both given; take one of them.", path_));
      step_.label_types_file = file->text();
      const std::string absolute = absolute_file(reading_.model, file->text());
      if (!std::filesystem::exists(absolute))
        fail_at(*file, fmt::format("{}.label_types_file is \"{}\", but there is no file {}.", path_,
                                   file->text(), absolute));
      file->value = absolute;  // resolved models are kept elsewhere
      for (const LabelType& row : read_label_types(file->text())) {
        const Node at{row.type, fmt::format("{}:{}", step_.label_types_file, row.line)};
        step_.label_types[row.label] = TypeId(index_of_type(at, "the table", row.type, reading_.scope));
      }
    }
    const Node* offset = find(node_, "offset");
    if (offset == nullptr) return;
    step_.centred = offset->array() == nullptr;
    if (!step_.centred) step_.offset = whole_place_of(*offset, 0);
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
      const Vec3i box = box_of_volume(usual_volume(), lattice());
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

  // Of the first type's cells, or a size that looks well where they have no target.
  double usual_volume() const {
    constexpr double kWithoutTarget = 100;
    const double target = double(physics_.declared_volume(step_.types.front().first));
    return target > 0 ? target : kWithoutTarget;
  }

  void read_volume() {
    if (step_.kind != Kind::hexagonal && step_.kind != Kind::voronoi) return;
    if (const Node* relax = find(node_, "relax")) step_.relax = int(relax->whole());
    if (step_.count || step_.density) return;
    if (find(node_, "volume") == nullptr) put(node_, "volume", {std::max(1.0, usual_volume()), node_.place});
    step_.volume = find(node_, "volume")->real();
  }

  void read_slivers() {
    const Node* slivers = find(node_, "slivers");
    if (slivers == nullptr) return;
    step_.slivers = slivers->text() == "give"   ? InitialStep::Slivers::give
                    : slivers->text() == "drop" ? InitialStep::Slivers::drop
                                                : InitialStep::Slivers::keep;
    step_.smallest_share = find(node_, "smallest_share")->real();
  }

  void read_seeds() {
    if (step_.kind != Kind::seeds && step_.kind != Kind::voronoi) return;
    const Node* count = find(node_, "count");
    const Node* density = find(node_, "density");
    if (step_.kind == Kind::seeds && (count == nullptr) == (density == nullptr))
      fail_at(node_, fmt::format("{0}.count and {0}.density are {1} given; exactly one of them must be.",
                                 path_, count == nullptr ? "not" : "both"));
    const Node* volume = find(node_, "volume");
    if ((count != nullptr) + (density != nullptr) + (volume != nullptr) > 1)
      fail_at(
          volume != nullptr ? *volume : *density,
          fmt::format("{0}.count, {0}.density and {0}.volume each say how many cells there are; give one of "
                      "them.",
                      path_));
    if (count != nullptr) step_.count = count->whole();
    if (density == nullptr) return;
    step_.density = density->real();
    for (const auto& [type, weight] : step_.types)
      if (weight > 0 && !(physics_.declared_volume(type) > 0))
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
