#include "output/state/hdf5_seal.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/error.hpp"

namespace kiln::hdf5 {
namespace {

struct Content {
  uint64_t bytes = 0;
  uint64_t checksum = 0x9E3779B97F4A7C15u;
};

// Every step is one-to-one in the checksum so far and in the word: a single changed word always shows.
void add_words(Content& content, const std::vector<char>& block, std::size_t size) {
  for (std::size_t at = 0; at < size; at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, block.data() + at, std::min<std::size_t>(8, size - at));
    content.checksum = (content.checksum ^ word) * 0xD6E8FEB86659FD93u;
    content.checksum ^= content.checksum >> 29;
  }
  content.bytes += size;
}

// Everything after the seal.
Content content_of(std::istream& in) {
  Content content;
  std::vector<char> block(std::size_t(1) << 20);
  in.seekg(std::streamoff(kSealBytes));
  while (in) {
    in.read(block.data(), std::streamsize(block.size()));
    add_words(content, block, std::size_t(in.gcount()));
  }
  return content;
}

std::string first_line(const SealKind& kind) { return fmt::format("Kiln {} {}\n", kind.kind, kind.version); }

std::string seal_text(const SealKind& kind, const Content& content) {
  std::string text =
      fmt::format("{}bytes {}\nchecksum {:016x}\n", first_line(kind), content.bytes, content.checksum);
  text.resize(kSealBytes, '\0');
  return text;
}

}  // namespace

void seal(const std::filesystem::path& path, const SealKind& kind) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const std::string text = seal_text(kind, content_of(file));
  file.clear();
  file.seekp(0);
  file.write(text.data(), std::streamsize(text.size()));
  file.close();
  if (!file) throw Failure(fmt::format("cannot write {}: {}.", path.string(), std::strerror(errno)));
}

void check_seal(const std::filesystem::path& path, const SealKind& kind) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UserError(fmt::format("cannot read {}: {}.", path.string(), std::strerror(errno)));
  std::string found(kSealBytes, '\0');
  file.read(found.data(), std::streamsize(found.size()));
  const std::string any_version = fmt::format("Kiln {} ", kind.kind);
  if (found.compare(0, any_version.size(), any_version) != 0)
    throw UserError(fmt::format("{} is not a {} of Kiln.", path.string(), kind.kind));
  const std::string line = first_line(kind);
  if (found.compare(0, line.size(), line) != 0)
    throw UserError(fmt::format("{} is a {} of another version of Kiln: this one reads format {}.",
                                path.string(), kind.kind, kind.version));
  if (found != seal_text(kind, content_of(file)))
    throw UserError(
        fmt::format("{} is damaged: it was cut off or changed after it was written.", path.string()));
}

}  // namespace kiln::hdf5
