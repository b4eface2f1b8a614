// The cells' ids at every site as an OME-TIFF of labels, for Fiji, napari and other programs of microscopy.
#pragma once

#include <filesystem>

#include "core/state.hpp"
#include "engine/state_parts.hpp"
#include "model/model.hpp"

namespace kiln {

// Appears whole or not at all, in a folder that is made where it is missing.
void write_label_image(const std::filesystem::path& path, const State& state, const Model& model);
// The same of a state in parts: some planes at a time come here.
void write_label_image(const std::filesystem::path& path, StateParts& state, const Model& model);

}  // namespace kiln
