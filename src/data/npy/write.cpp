#include "data/npy/write.hpp"

#include <fmt/format.h>

#include <fstream>

#include "base/error.hpp"
#include "data/array.hpp"

namespace kiln {

void write_npy(const std::filesystem::path& path, const NpyHeader& header,
               std::span<const std::byte> values) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", header.descr,
                                 header.fortran_order ? "True" : "False", shape_text(header.shape));
  constexpr std::size_t kStart = 10, kBlock = 64;  // data begins at a multiple of 64
  text += std::string((kBlock - (kStart + text.size() + 1) % kBlock) % kBlock, ' ') + '\n';
  std::string start("\x93NUMPY\x01\x00", 8);
  start += char(text.size() & 0xFF);
  start += char(text.size() >> 8);
  std::ofstream out(path, std::ios::binary);
  out.write(start.data(), std::streamsize(start.size()));
  out.write(text.data(), std::streamsize(text.size()));
  out.write(reinterpret_cast<const char*>(values.data()), std::streamsize(values.size()));
  out.close();
  if (!out) throw Failure(fmt::format("cannot write {}.", path.string()));
}

}  // namespace kiln
