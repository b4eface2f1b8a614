// Reading arrays in NumPy's .npy format (versions 1 to 3; numpy.lib.format describes it).
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace kiln {

// An array in C order (last axis fastest), whatever order the file has. Values stay as narrow as they were
// stored.
struct NpyArray {
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

// "(3, 4)" as Python prints it.
std::string shape_text(const std::vector<int64_t>& shape);

// Throws UserError, naming the file, where it cannot be read, is no .npy file, is cut short, or holds
// anything but booleans, integers of 8 to 64 bits (below 2^63) and floats of 32 or 64 bits.
NpyArray read_npy(const std::filesystem::path& path);
// The same from a stream of this many bytes, which messages call `name`.
NpyArray read_npy(std::istream& in, std::size_t bytes, const std::string& name);

}  // namespace kiln
