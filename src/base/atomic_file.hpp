// Files that appear whole or not at all: written beside their final name, then renamed over it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

// Calls `write` with a temporary path in the same folder, flushes that file to disk and renames it to `path`.
// If `write` throws, or anything fails, the temporary file is removed, `path` is left as it was, and a
// Failure (or what `write` threw) comes out.
void write_atomically(const std::filesystem::path& path,
                      const std::function<void(const std::filesystem::path& temporary)>& write);

void write_text_atomically(const std::filesystem::path& path, std::string_view text);

// The same for many small files, whose flush would cost more than they do: a program that dies leaves them
// whole, a loss of power only after flush_files(), which takes paths of one folder. Failure where the disk
// cannot.
void write_text_unflushed(const std::filesystem::path& path, std::string_view text);
void flush_files(const std::vector<std::filesystem::path>& paths);

// Gives a file that is on disk its name, over one that may be there; on disk, too, once it returns. Failure
// where it cannot.
void move_into_place(const std::filesystem::path& from, const std::filesystem::path& to);

// A process that dies leaves all of it or, under the name of a temporary file, a leftover.
void remove_folder_atomically(const std::filesystem::path& path);

// Whether a file of this name is one that a process that died while it wrote has left.
bool is_leftover(std::string_view name);

// Removes leftovers of processes that died while they wrote. No process may be writing in the folder.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace kiln
