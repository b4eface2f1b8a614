// What all sources tell in the same words.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "model/model.hpp"

namespace kiln::view {

// `name`: of the run. `steers`: whether the page may change it.
std::string about_json(const Model& model, const std::string& name, bool steers);

// What a growing file holds from a byte on, up to the last end of a line; at most a megabyte of it.
std::string whole_lines(const std::filesystem::path& file, int64_t from);

}  // namespace kiln::view
