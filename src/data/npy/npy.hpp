// Reading arrays in NumPy's .npy format (versions 1 to 3; numpy.lib.format describes it).
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "data/array.hpp"

namespace kiln {

// Throws UserError, naming the file, where it cannot be read, is no .npy file, is cut short, or holds
// anything but booleans, integers of 8 to 64 bits (below 2^63) and floats of 32 or 64 bits.
Array read_npy(const std::filesystem::path& path);
// The same from a stream of this many bytes, which messages call `name`.
Array read_npy(std::istream& in, std::size_t bytes, const std::string& name);

// A file that is read in parts.
class NpyFile {
 public:
  // Arrays in Fortran's order have to be turned around as a whole, so they must fit into `most_bytes`.
  NpyFile(const std::filesystem::path& path, std::size_t most_bytes);
  NpyFile(NpyFile&&) noexcept;
  ~NpyFile();

  const std::string& name() const;
  const std::vector<int64_t>& shape() const;
  Array::Element element() const;
  // So many values from this one on, in C order. They must be there.
  void read(std::size_t first, std::size_t count, unsigned char* to);

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

}  // namespace kiln
