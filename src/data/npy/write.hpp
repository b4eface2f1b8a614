// Writing arrays in NumPy's .npy format (version 1; numpy.lib.format describes it).
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "data/npy/header.hpp"

namespace kiln {

// `values` are the array's bytes as the header describes them. Failure, naming the file, where it cannot.
void write_npy(const std::filesystem::path& path, const NpyHeader& header, std::span<const std::byte> values);

}  // namespace kiln
