// An array as it came from a file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace kiln {

// In C order (last axis fastest), whatever order the file has. Values stay as narrow as they were stored.
struct Array {
  enum class Kind { integer, real };  // bool counts as integer: 0 or 1
  enum class Element { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

  std::vector<int64_t> shape;  // empty for a single number
  Element element = Element::int8;
  std::vector<unsigned char> bytes;  // size() values in the byte order of this machine

  Kind kind() const {
    return element == Element::float32 || element == Element::float64 ? Kind::real : Kind::integer;
  }
  std::size_t size() const;
  // The value at a flat index below size(). Of an integer array only; every value fits.
  int64_t integer(std::size_t index) const;
  // Of either kind.
  double real(std::size_t index) const;
};

// In bytes.
std::size_t width_of(Array::Element element);

// Throws UserError, naming the file, where a value of 64 bits is 2^63 or more: integer() could not give it.
void check_below_2_63(const std::string& name, const Array& array);

// Bytes in the other order, for values of `width` bytes.
void swap_bytes(unsigned char* bytes, std::size_t size, std::size_t width);

// "(3, 4)" as Python prints it.
std::string shape_text(const std::vector<int64_t>& shape);

}  // namespace kiln
