// Reading arrays in NumPy's .npy format (versions 1 to 3; numpy.lib.format describes it).
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string>

#include "data/array.hpp"

namespace kiln {

// Throws UserError, naming the file, where it cannot be read, is no .npy file, is cut short, or holds
// anything but booleans, integers of 8 to 64 bits (below 2^63) and floats of 32 or 64 bits.
Array read_npy(const std::filesystem::path& path);
// The same from a stream of this many bytes, which messages call `name`.
Array read_npy(std::istream& in, std::size_t bytes, const std::string& name);

}  // namespace kiln
