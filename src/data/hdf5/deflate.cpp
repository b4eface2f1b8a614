#include "data/hdf5/deflate.hpp"

#if __has_include(<zlib.h>)
#include <zlib.h>

#include <new>

namespace kiln {

std::vector<uint8_t> deflated(const uint8_t* bytes, std::size_t size, int level) {
  uLongf length = compressBound(uLong(size));
  std::vector<uint8_t> result(length);
  if (compress2(result.data(), &length, bytes, uLong(size), level) != Z_OK) throw std::bad_alloc();
  result.resize(length);
  return result;
}

}  // namespace kiln
#else
#include "base/error.hpp"

namespace kiln {

std::vector<uint8_t> deflated(const uint8_t*, std::size_t, int) {
  throw Failure("this build of Kiln cannot compress; install zlib1g-dev and rebuild.");
}

}  // namespace kiln
#endif
