// Files of a state's parts, and how a file beside them shows them as one.
#pragma once

#include <filesystem>
#include <optional>

#include "data/hdf5/file.hpp"
#include "engine/state_parts.hpp"

namespace kiln {

struct LinkedParts {
  std::string folder;  // as seen from that of the file that names them
  std::vector<PartPlace> places;

  static std::string name(int part);  // of a file
  std::string file(std::size_t part) const { return folder + "/" + name(int(part)); }
  std::size_t cells() const;
  // A dataset of sites; in two dimensions without the axis z where `flat`.
  std::vector<hdf5::VirtualPart> sites(const std::string& dataset, bool flat) const;
  // A dataset with so many rows for every cell, each of some numbers: `row` is the shape of one.
  std::vector<hdf5::VirtualPart> rows(const std::string& dataset, std::size_t per_cell,
                                      hdf5::Shape row) const;

  // In the attributes of a group.
  void write(const hdf5::Group& group) const;
  static std::optional<LinkedParts> read(const hdf5::Group& group);  // none where there are no parts
};

// The sites of a box, as a dataset has them.
hdf5::Shape shape_of_box(const Box& box, bool flat);

}  // namespace kiln
