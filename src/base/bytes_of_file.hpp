// A whole file in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace kiln {

// Empty where it cannot be read. In one call: an iterator over a stream takes it byte by byte.
inline std::string bytes_of_file(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::string bytes(error ? 0 : std::size_t(size), '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(bytes.data(), std::streamsize(bytes.size()));
  bytes.resize(std::size_t(in.gcount()));
  return bytes;
}

}  // namespace kiln
