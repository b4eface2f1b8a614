// The steps of reading a model, one per group of sections. Each takes its part of the given tree, adds it,
// complete, to the resolved one and fills its part of the Model. They run in the order in which they stand
// here.
#pragma once

#include <string>

#include "model/file/check.hpp"
#include "model/file/document.hpp"
#include "model/model.hpp"

namespace kiln {

struct Reading {
  Node given;     // the file with overrides applied
  Node complete;  // every section and key, defaults written out
  Scope scope;
  Model model;
};

// A model without types has one, called "cell". To be called before overrides are applied, so that they can
// name it; true where it was added.
bool add_default_type(Node& given);
void complete_default_type(Node& given, int dimension);

void read_names(Reading& reading);    // of types and fields, for all that refer to them
void read_lattice(Reading& reading);  // lattice, units, neighbourhood
void read_fields(Reading& reading);

// Everything that a phase can change. Of a given tree, so that phases are read like the model itself.
struct PhysicsNodes {
  double temperature = 0;
  Node types, adhesion;
};
PhysicsNodes complete_physics(const Node& given, const Scope& scope);
std::vector<CellType> cell_types(const Node& types);
PhysicsData make_physics(const PhysicsNodes& nodes, const Scope& scope);

void read_initial(Reading& reading, const PhysicsData& physics);
void read_phases(Reading& reading, const PhysicsData& physics);
void read_living(Reading& reading);  // properties, equations, growth, rules
void read_schedule(Reading& reading);
void read_measure(Reading& reading);  // measure, pictures, output

// A file that the model names, wherever the program stands.
std::string absolute_file(const Model& model, const std::string& name);

// A region, completed where it stands; `path` is its own.
void read_region(const Reading& reading, Node& table, const std::string& path, Region& region);

// The keys of an image that are there, of a table that has been completed; `path` is the table's.
void read_image_mask(const Reading& reading, Node& table, const std::string& path, ImageMask& image);

// Lists of one number per axis.
Vec3d place_of(const Node& list);
Vec3i whole_place_of(const Node& list, int32_t beyond_2d);
Node list_of(const Vec3d& place, int dimension, const std::string& origin);
Vec3d centre_of(const Lattice& lattice);

}  // namespace kiln
