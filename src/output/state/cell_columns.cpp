#include "output/state/cell_columns.hpp"

#include <cstring>

namespace kiln {
namespace {

// Calls visit with a value of the type that an element stands for.
template <class Visit>
void with_type_of(Element element, const Visit& visit) {
  switch (element) {
    case Element::u8:
      return visit(uint8_t());
    case Element::i32:
      return visit(int32_t());
    case Element::i64:
      return visit(int64_t());
    case Element::f32:
      return visit(float());
    case Element::f64:
      return visit(double());
  }
}

// One number per row is stored as a list, several with an axis of their own.
hdf5::Shape shape_of(const Field& field, std::size_t rows) {
  if (field.count == 1) return {rows};
  return {rows, uint64_t(field.count)};
}

// A field's bytes, row after row.
template <class Move>
void for_each_row(const Column& column, const Field& field, std::size_t rows, const Move& move) {
  const std::size_t bytes = std::size_t(field.count) * bytes_of(field.element);
  for (std::size_t row = 0; row < rows; ++row)
    move(row * column.row_bytes + field.offset, row * bytes, bytes);
}

void write_column(const hdf5::Group& group, const Column& column, const Cells& cells) {
  const std::size_t rows = column.rows(cells);
  for (const Field& field : column.fields)
    with_type_of(field.element, [&](auto number) {
      std::vector<decltype(number)> values(rows * std::size_t(field.count));
      for_each_row(column, field, rows, [&](std::size_t in_column, std::size_t packed, std::size_t bytes) {
        std::memcpy(reinterpret_cast<std::byte*>(values.data()) + packed, column.data_of(cells) + in_column,
                    bytes);
      });
      group.write(field.name, values.data(), shape_of(field, rows));
    });
}

// Of so many cells, from cell `first` on.
void read_column(const hdf5::Group& group, const Column& column, CellId first, CellId count, Cells& cells) {
  const auto per_cell = std::size_t(column.rows_per_cell(cells)), rows = per_cell * count;
  column.resize(cells, rows);
  for (const Field& field : column.fields)
    with_type_of(field.element, [&](auto number) {
      std::vector<decltype(number)> values(rows * std::size_t(field.count));
      const hdf5::Dataset dataset = group.open_dataset(field.name, hdf5::element_of<decltype(number)>);
      hdf5::Shape start(dataset.shape().size(), 0);
      if (!start.empty()) start[0] = per_cell * first;
      dataset.read_box(start, shape_of(field, rows), values.data());
      for_each_row(column, field, rows, [&](std::size_t in_column, std::size_t packed, std::size_t bytes) {
        std::memcpy(column.data(cells) + in_column,
                    reinterpret_cast<const std::byte*>(values.data()) + packed, bytes);
      });
    });
}

void link_column(const hdf5::Group& group, const std::string& path, const Column& column, const Cells& like,
                 const LinkedParts& parts) {
  const auto per_cell = std::size_t(column.rows_per_cell(like));
  for (const Field& field : column.fields)
    with_type_of(field.element, [&](auto number) {
      group.create_virtual(field.name, hdf5::element_of<decltype(number)>,
                           shape_of(field, per_cell * parts.cells()),
                           parts.rows(path + field.name, per_cell, shape_of(field, 1)));
    });
}

}  // namespace

// Columns that every state has are in a group of their own.
void write_columns(const hdf5::Group& root, const Cells& cells) {
  const hdf5::Group group = root.create_group("cells");
  for (const Column& column : columns())
    if (!column.optional)
      write_column(group, column, cells);
    else if (column.is_there(cells))
      write_column(root, column, cells);
}

CellId count_of_columns(const hdf5::Group& root) {
  const hdf5::Shape shape = root.open_group("cells").open_dataset("type", hdf5::element_of<TypeId>).shape();
  return shape.empty() ? 0 : CellId(shape[0]);
}

int properties_of_columns(const hdf5::Group& root) {
  if (!root.has("property")) return 0;
  const CellId cells = count_of_columns(root);
  const hdf5::Shape shape = root.open_dataset("property", hdf5::element_of<double>).shape();
  return shape.empty() || cells == 0 ? 0 : int(shape[0] / cells);
}

Cells read_columns(const hdf5::Group& root, const Cells& frame, CellId first, CellId count) {
  const hdf5::Group group = root.open_group("cells");
  Cells cells;
  cells.history_length = frame.history_length;
  cells.property_count = frame.property_count;
  for (const Column& column : columns())
    if (!column.optional)
      read_column(group, column, first, count, cells);
    else if (root.has(column.fields[0].name))
      read_column(root, column, first, count, cells);
  return cells;
}

void link_columns(const hdf5::Group& root, const Cells& like, const LinkedParts& parts) {
  const hdf5::Group group = root.create_group("cells");
  for (const Column& column : columns())
    if (!column.optional)
      link_column(group, "cells/", column, like, parts);
    else if (column.is_there(like))
      link_column(root, "", column, like, parts);
}

}  // namespace kiln
