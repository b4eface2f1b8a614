// Compiled kernels on disk, so that a model's second run starts at once. An entry's name is a hash of all
// that shapes the machine code: source, headers, architecture, options, compiler version.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/cuda/driver/nvrtc.hpp"

namespace kiln::cuda {

// compile(), but from the cache where it is there. An entry that is damaged is compiled anew; a folder that
// cannot be written is no error. A new entry lets those go that were not used for longest, beyond 512 MiB.
Compiled compile_cached(const std::string& source, const std::string& name, int architecture,
                        const std::vector<std::string>& options = {});

// Removes entries, the one used longest ago first, until they take no more than so many bytes. Other
// processes may use the folder meanwhile: an entry that one of them misses is compiled anew, and one that it
// has open stays readable.
void trim_cache(const std::filesystem::path& folder, int64_t most_bytes);

// $KILN_CACHE, else $XDG_CACHE_HOME/kiln, else ~/.cache/kiln; empty where there is none of these.
std::filesystem::path cache_folder();

// The file name of an entry, without its folder.
std::string cache_key(const std::string& source, const std::string& name, int architecture,
                      const std::vector<std::string>& options);

}  // namespace kiln::cuda
