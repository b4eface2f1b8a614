// Opens TIFF files so that libtiff never prints anything.
#pragma once

#include <cstddef>
#include <string>

struct tiff;  // libtiff's

namespace kiln {

// Null where it fails. `error` gets the first thing that libtiff has to say about this file, now and later:
// its address is kept. No single piece of memory that libtiff takes may be larger than `most_bytes`.
tiff* open_tiff(const char* path, const char* mode, std::string& error, std::size_t most_bytes);

}  // namespace kiln
