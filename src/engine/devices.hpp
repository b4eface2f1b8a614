// Several GPUs, that play the runs of a sweep or the bricks of a tissue: --devices.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.hpp"

namespace kiln {

// From "all", or numbers with commas between; one may be there twice. `why_not`
// says of every GPU that the driver shows why it cannot be used, "" where it can: "all" leaves those out.
// UserError where the text is neither, or names a GPU that cannot be used.
std::vector<int> devices_named(const std::string& text, const std::vector<std::string>& why_not);

// The same on this machine; none where the text is empty. With GPUs named, the engine "auto" becomes "cuda";
// UserError where it is another.
std::vector<int> choose_devices(const std::string& text, EngineOptions& engine);

}  // namespace kiln
