// What all readers of images have to check, so that they refuse in the same words.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "data/array.hpp"

namespace kiln {

// The size of a stack in bytes. Refuses an empty one, and one that needs more memory than is allowed.
std::size_t stack_bytes(const std::string& name, const std::array<int64_t, 3>& zyx, Array::Element element,
                        std::size_t most_bytes);

// Refuses a channel or a time (`what`) that is not one of `count`.
void check_choice(const std::string& name, const std::string& what, int64_t chosen, int64_t count);

}  // namespace kiln
