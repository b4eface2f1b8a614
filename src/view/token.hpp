// Random secrets, and their comparison in constant time.
#pragma once

#include <string>
#include <string_view>

namespace kiln::view {

// 192 bits of the system's randomness, as 48 hexadecimal digits. Failure where it gives none.
std::string new_token();

// In a time that does not depend on where they differ.
bool same_secret(std::string_view given, std::string_view secret);

}  // namespace kiln::view
