#include "data/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/error.hpp"

namespace kiln {
namespace {

void flush_to_disk(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY);
  const bool done = file >= 0 && ::fsync(file) == 0;
  const int error = errno;
  if (file >= 0) ::close(file);
  if (!done) throw Failure(fmt::format("cannot write {}: {}", path.string(), std::strerror(error)));
}

}  // namespace

void write_atomically(const std::filesystem::path& path,
                      const std::function<void(const std::filesystem::path&)>& write) {
  std::filesystem::path temporary = path;
  temporary += fmt::format(".{}.part", ::getpid());
  try {
    write(temporary);
    flush_to_disk(temporary);
    std::filesystem::rename(temporary, path);
  } catch (const std::filesystem::filesystem_error& e) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw Failure(fmt::format("cannot write {}: {}", path.string(), e.code().message()));
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

void write_text_atomically(const std::filesystem::path& path, std::string_view text) {
  write_atomically(path, [&](const std::filesystem::path& temporary) {
    std::ofstream out(temporary, std::ios::binary);
    out.write(text.data(), std::streamsize(text.size()));
    out.close();
    if (!out) throw Failure(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  });
}

}  // namespace kiln
