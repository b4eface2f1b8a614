#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/wording.hpp"
#include "model/file/reading.hpp"

namespace kiln {
namespace {

int order_of(const Node& node, int dimension) {
  if (const auto* number = std::get_if<int64_t>(&node.value)) return int(*number);
  return node.text() == "moore" ? moore_order(dimension) : 1;
}

// Around a shorter ring a site would meet the same neighbour twice.
void check_periodic_sides(const Reading& r) {
  const Model& m = r.model;
  const int reach = std::max({1, m.adhesion_neighbours.reach, m.perimeter_neighbours.reach});
  for (int axis = 0; axis < m.lattice.dimension; ++axis)
    if (m.lattice.periodic[axis] && m.lattice.size[axis] < 2 * reach + 1)
      fail_at(
          *find(*find(r.complete, kLatticeSection.name), "size"),
          fmt::format("lattice.size is {} along {}, but a periodic side must be at least {} sites long with "
                      "neighbours {} away.",
                      m.lattice.size[axis], "xyz"[axis], 2 * reach + 1, counted(reach, "site")));
}

}  // namespace

std::string absolute_file(const Model& model, const std::string& name) {
  return std::filesystem::absolute(std::filesystem::path(model.folder) / name).lexically_normal().string();
}

Vec3d place_of(const Node& list) {
  Vec3d result;
  for (std::size_t axis = 0; axis < list.array()->size(); ++axis)
    result[int(axis)] = (*list.array())[axis].real();
  return result;
}

Vec3i whole_place_of(const Node& list, int32_t beyond_2d) {
  Vec3i result{0, 0, beyond_2d};
  for (std::size_t axis = 0; axis < list.array()->size(); ++axis)
    result[int(axis)] = int32_t((*list.array())[axis].whole());
  return result;
}

Node list_of(const Vec3d& place, int dimension, const std::string& origin) {
  Node::Array items;
  for (int axis = 0; axis < dimension; ++axis) items.push_back({place[axis], origin});
  return {std::move(items), origin};
}

Vec3d centre_of(const Lattice& lattice) {
  return {0.5 * (lattice.size.x - 1), 0.5 * (lattice.size.y - 1), 0.5 * (lattice.size.z - 1)};
}

void read_lattice(Reading& r) {
  const Node given = table_of(r.given, kLatticeSection.name);
  if (const Node* size = find(given, "size")) {  // everything else depends on the dimension
    Node checked = *size;
    check_value(checked, kLatticeSection.keys.front(), "lattice.size", r.scope);
    r.scope.dimension = int(checked.array()->size());
  }
  const Node& lattice =
      put(r.complete, kLatticeSection.name, complete_section(given, kLatticeSection, "lattice", r.scope));
  Lattice& l = r.model.lattice;
  l.dimension = r.scope.dimension;
  l.size = whole_place_of(*find(lattice, "size"), 1);
  const Node::Array& boundary = *find(lattice, "boundary")->array();
  for (int axis = 0; axis < l.dimension; ++axis)
    l.periodic[axis] = boundary[std::size_t(axis)].text() == "periodic";

  const Node& units =
      put(r.complete, kUnitsSection.name,
          complete_section(table_of(r.given, kUnitsSection.name), kUnitsSection, "units", r.scope));
  r.model.units = {find(units, "voxel_um")->real(), find(units, "seconds_per_mcs")->real()};

  const Node& near = put(r.complete, kNeighbourhoodSection.name,
                         complete_section(table_of(r.given, kNeighbourhoodSection.name),
                                          kNeighbourhoodSection, "neighbourhood", r.scope));
  r.model.adhesion_order = order_of(*find(near, "adhesion"), l.dimension);
  r.model.perimeter_order = order_of(*find(near, "perimeter"), l.dimension);
  r.model.adhesion_neighbours = neighbourhood_of_order(l.dimension, r.model.adhesion_order);
  r.model.perimeter_neighbours = neighbourhood_of_order(l.dimension, r.model.perimeter_order);
  check_periodic_sides(r);
}

}  // namespace kiln
