#include "base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/error.hpp"

namespace kiln {
namespace {

bool flush(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY);
  const bool done = file >= 0 && ::fsync(file) == 0;
  const int error = errno;
  if (file >= 0) ::close(file);
  errno = error;
  return done;
}

constexpr std::string_view kEnding = ".part";

std::filesystem::path temporary_for(const std::filesystem::path& path) {
  std::filesystem::path temporary = path;
  temporary += fmt::format(".{}{}", ::getpid(), kEnding);
  return temporary;
}

// A message about the temporary file, with the name of the file that was asked for.
std::string with_final_name(std::string message, const std::filesystem::path& temporary,
                            const std::filesystem::path& path) {
  const std::size_t at = message.find(temporary.string());
  if (at != message.npos) message.replace(at, temporary.string().size(), path.string());
  return message;
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& reason) {
  throw Failure(fmt::format("cannot write {}: {}.", path.string(), reason));
}

void rename_over(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (error) fail(to, error.message());
}

// Of all files beside this one, so that they outlive a loss of power, too. Where a file system cannot do it,
// nothing can be done.
void flush_names(const std::filesystem::path& path) {
  flush(path.has_parent_path() ? path.parent_path() : ".");
}

}  // namespace

void move_into_place(const std::filesystem::path& from, const std::filesystem::path& to) {
  rename_over(from, to);
  flush_names(to);
}

namespace {

using Write = std::function<void(const std::filesystem::path&)>;

void write_beside(const std::filesystem::path& path, const Write& write, bool flushes) {
  const std::filesystem::path temporary = temporary_for(path);
  try {
    write(temporary);
    if (flushes && !flush(temporary)) fail(path, std::strerror(errno));
    rename_over(temporary, path);
    if (flushes) flush_names(path);
  } catch (const std::filesystem::filesystem_error& e) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    fail(path, e.code().message());
  } catch (const Failure& e) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw Failure(with_final_name(e.what(), temporary, path));
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

Write writer_of(std::string_view text) {
  return [text](const std::filesystem::path& temporary) {
    std::ofstream out(temporary, std::ios::binary);
    out.write(text.data(), std::streamsize(text.size()));
    out.close();
    if (!out) fail(temporary, std::strerror(errno));
  };
}

}  // namespace

void write_atomically(const std::filesystem::path& path, const Write& write) {
  write_beside(path, write, true);
}

void write_text_atomically(const std::filesystem::path& path, std::string_view text) {
  write_beside(path, writer_of(text), true);
}

void write_text_unflushed(const std::filesystem::path& path, std::string_view text) {
  write_beside(path, writer_of(text), false);
}

void flush_files(const std::vector<std::filesystem::path>& paths) {
  for (const std::filesystem::path& path : paths)
    if (!flush(path) && errno != ENOENT) fail(path, std::strerror(errno));
  if (!paths.empty()) flush_names(paths.front());
}

void remove_folder_atomically(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path temporary = temporary_for(path);
  std::filesystem::rename(path, temporary, error);
  if (!error) std::filesystem::remove_all(temporary, error);
}

bool is_leftover(std::string_view name) {
  if (!name.ends_with(kEnding)) return false;
  name.remove_suffix(kEnding.size());
  const std::size_t dot = name.rfind('.');
  return dot != name.npos && dot > 0 && dot + 1 < name.size() &&
         name.find_first_not_of("0123456789", dot + 1) == name.npos;
}

void remove_leftovers(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (is_leftover(entry.path().filename().string())) found.push_back(entry.path());
  for (const auto& path : found) std::filesystem::remove_all(path, error);
}

}  // namespace kiln
