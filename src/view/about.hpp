// What all sources tell in the same words.
#pragma once

#include <string>

#include "model/model.hpp"

namespace kiln::view {

// `name`: of the run. `steers`: whether the page may change it.
std::string about_json(const Model& model, const std::string& name, bool steers);

}  // namespace kiln::view
