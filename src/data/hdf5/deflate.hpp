// Compression without loss, as HDF5 and TIFF files hold it (zlib).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kiln {

#if __has_include(<zlib.h>)
inline constexpr bool kCanDeflate = true;
#else
inline constexpr bool kCanDeflate = false;
#endif

// Levels from 1, fast, to 9. Throws a Failure in a build without zlib.
std::vector<uint8_t> deflated(const uint8_t* bytes, std::size_t size, int level);

}  // namespace kiln
