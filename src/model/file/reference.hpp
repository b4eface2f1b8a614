// The reference of the model file, in Markdown, written from the same tables that read it. docs/model-file.md
// is this text.
#pragma once

#include <string>

namespace kiln {

std::string model_reference();

}  // namespace kiln
