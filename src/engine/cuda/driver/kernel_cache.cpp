#include "engine/cuda/driver/kernel_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <string_view>
#include <tuple>

#include "base/atomic_file.hpp"
#include "base/hash.hpp"
#include "engine/cuda/driver/sources.hpp"

namespace kiln::cuda {
namespace {

namespace fs = std::filesystem;

constexpr int kKeyDigits = 32;
constexpr int64_t kMostBytes = int64_t(512) << 20;  // some thousand kernels

// Lengths go in too, so that two lists of texts never look alike.
class Hash {
 public:
  void add(std::string_view text) { value_ = fnv1a(text, fnv1a(fmt::format("{}:", text.size()), value_)); }
  std::string hex() const { return fmt::format("{:016x}{:016x}", uint64_t(value_ >> 64), uint64_t(value_)); }

 private:
  using Wide = unsigned __int128;
  Wide value_ = Fnv1a<Wide>::kBasis;
};

std::string_view view(const std::vector<char>& bytes) { return {bytes.data(), bytes.size()}; }

// First line of an entry: format, sizes of the two parts that follow it, and their checksum.
std::string entry_header(std::string_view log, std::string_view cubin) {
  Hash checksum;
  checksum.add(log);
  checksum.add(cubin);
  return fmt::format("kiln-kernel 1 {} {} {}\n", log.size(), cubin.size(), checksum.hex());
}

std::optional<Compiled> read_entry(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string header;
  if (!std::getline(in, header)) return std::nullopt;
  const std::string rest{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  unsigned long long log_size = 0, cubin_size = 0;
  if (std::sscanf(header.c_str(), "kiln-kernel 1 %llu %llu", &log_size, &cubin_size) != 2)
    return std::nullopt;
  if (log_size > rest.size() || cubin_size != rest.size() - log_size) return std::nullopt;
  const std::string_view log(rest.data(), log_size), cubin(rest.data() + log_size, cubin_size);
  if (header + '\n' != entry_header(log, cubin)) return std::nullopt;
  return Compiled{{cubin.begin(), cubin.end()}, std::string(log)};
}

void write_entry(const fs::path& file, const Compiled& compiled) {
  const std::string_view cubin = view(compiled.cubin);
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  try {
    write_text_atomically(file, entry_header(compiled.log, cubin) + compiled.log + std::string(cubin));
  } catch (const Failure&) {
    // The next run compiles again: slower, and nothing worse.
  }
}

// The time of access is set here, as file systems mostly do not keep it up. A folder that cannot be written
// has no order to keep either.
void mark_as_used(const fs::path& file) {
  const timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  ::utimensat(AT_FDCWD, file.c_str(), times, 0);
}

struct CachedFile {
  fs::path path;
  int64_t bytes = 0;
  timespec used{};
};

// Entries, and temporary files of processes that died while they wrote one.
bool is_of_cache(const std::string& name) {
  return name.find_first_not_of("0123456789abcdef") == kKeyDigits &&
         name.compare(kKeyDigits, 7, ".kernel") == 0;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Where there is no folder: the last few of this process, so that a run which goes from one set of numbers to
// another and back compiles none of its kernels twice.
Compiled compile_or_recall(const std::string& source, const std::string& name, int architecture,
                           const std::vector<std::string>& options) {
  constexpr std::size_t kMost = 8;
  static std::deque<std::pair<std::string, Compiled>> last;
  const std::string key = cache_key(source, name, architecture, options);
  for (const auto& [known, compiled] : last)
    if (known == key) return compiled;
  last.emplace_back(key, compile(source, name, architecture, options));
  if (last.size() > kMost) last.pop_front();
  return last.back().second;
}

}  // namespace

fs::path cache_folder() {
  if (const std::string chosen = environment("KILN_CACHE"); !chosen.empty()) return chosen;
  // The XDG rules say that a relative path is to be ignored.
  if (const fs::path xdg = environment("XDG_CACHE_HOME"); xdg.is_absolute()) return xdg / "kiln";
  if (const std::string home = environment("HOME"); !home.empty()) return fs::path(home) / ".cache" / "kiln";
  return {};
}

std::string cache_key(const std::string& source, const std::string& name, int architecture,
                      const std::vector<std::string>& options) {
  Hash hash;
  hash.add(nvrtc_version());
  hash.add(name);
  hash.add(source);
  for (const std::string& option : all_options(architecture, options)) hash.add(option);
  for (const EmbeddedHeader& header : device_headers()) {
    hash.add(header.name);
    hash.add(header.text);
  }
  return hash.hex() + ".kernel";
}

Compiled compile_cached(const std::string& source, const std::string& name, int architecture,
                        const std::vector<std::string>& options) {
  // Threads of one process would write the same temporary file.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const fs::path folder = cache_folder();
  if (folder.empty()) return compile_or_recall(source, name, architecture, options);
  const fs::path file = folder / cache_key(source, name, architecture, options);
  if (std::optional<Compiled> cached = read_entry(file)) {
    mark_as_used(file);
    return *std::move(cached);
  }
  Compiled compiled = compile(source, name, architecture, options);
  write_entry(file, compiled);
  trim_cache(folder, kMostBytes);
  return compiled;
}

void trim_cache(const fs::path& folder, int64_t most_bytes) {
  std::vector<CachedFile> files;
  int64_t bytes = 0;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    struct stat facts {};
    if (!is_of_cache(entry.path().filename().string()) || ::stat(entry.path().c_str(), &facts) != 0) continue;
    files.push_back({entry.path(), int64_t(facts.st_size), facts.st_atim});
    bytes += facts.st_size;
  }
  if (bytes <= most_bytes) return;
  std::sort(files.begin(), files.end(), [](const CachedFile& a, const CachedFile& b) {
    return std::tie(a.used.tv_sec, a.used.tv_nsec, a.path) < std::tie(b.used.tv_sec, b.used.tv_nsec, b.path);
  });
  // Down to 7/8, so that not every new kernel sorts them again.
  for (const CachedFile& file : files) {
    if (bytes <= most_bytes / 8 * 7) break;
    fs::remove(file.path, ignored);
    bytes -= file.bytes;
  }
}

}  // namespace kiln::cuda
