// What all sources tell in the same words.
#pragma once

#include <cstdint>
#include <string>

#include "model/model.hpp"

namespace kiln::view {

// `name`: of the run. `steers`: whether the page may change it.
std::string about_json(const Model& model, const std::string& name, bool steers);

// A number for what about() says, larger than all before, also of other sources: whatever a page shows next,
// it sees that it has to ask again.
int64_t next_about_version();

}  // namespace kiln::view
