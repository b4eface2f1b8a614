// The columns of the cells' table, described once: names, numbers, whether they are part of the hash, of a
// checkpoint, of a recount. A new column is a member of Cells and a row in columns.cpp.
#pragma once

#include <cstddef>
#include <span>

#include "core/cells.hpp"

namespace kiln {

enum class Element { u8, i32, i64, f32, f64 };
std::size_t bytes_of(Element element);

// A number, or a few, in every row of a column.
struct Field {
  const char* name;  // in checkpoints
  Element element;
  int count;           // of numbers
  std::size_t offset;  // in a row, bytes
  uint64_t hash_tag;   // 0: not part of the state hash; never reused
  bool counted;        // follows from the lattice and the anchors: a recount must give the same
};

struct Column {
  std::span<const Field> fields;
  std::size_t row_bytes;
  bool optional;                        // may be empty
  int (*rows_per_cell)(const Cells&);   // 1, but for a history
  std::size_t (*rows)(const Cells&);    // that are there
  std::byte* (*data)(Cells&);
  void (*resize)(Cells&, std::size_t);  // in rows

  bool is_there(const Cells& cells) const { return rows(cells) > 0; }
  const std::byte* data_of(const Cells& cells) const { return data(const_cast<Cells&>(cells)); }
};

std::span<const Column> columns();

}  // namespace kiln
