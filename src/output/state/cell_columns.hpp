// Columns of the cells' table in HDF5 files, a dataset for every field.
#pragma once

#include "core/columns.hpp"
#include "data/hdf5/file.hpp"
#include "output/state/linked_parts.hpp"

namespace kiln {

void write_columns(const hdf5::Group& root, const Cells& cells);
CellId count_of_columns(const hdf5::Group& root);
int properties_of_columns(const hdf5::Group& root);
// `frame` knows how many rows of a column a cell has.
Cells read_columns(const hdf5::Group& root, const Cells& frame, CellId first, CellId count);
// As one, those that files of parts have; `like` has the columns that are there.
void link_columns(const hdf5::Group& root, const Cells& like, const LinkedParts& parts);

}  // namespace kiln
