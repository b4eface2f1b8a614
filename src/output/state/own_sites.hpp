// The sites of a part of a tissue in a file.
#pragma once

#include "data/hdf5/file.hpp"
#include "engine/ranks/tissue_part.hpp"

namespace kiln {

struct OwnSites {
  bool flat;   // without the axis z, in two dimensions
  bool types;  // also those
};
// Datasets ids, act where there is any, and type.
void write_own_sites(const hdf5::Group& group, const TissuePart& part, const OwnSites& how);

}  // namespace kiln
