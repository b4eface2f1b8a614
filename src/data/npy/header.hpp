// The header of a .npy file: a Python dict literal such as
//   {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace kiln {

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;  // none negative
};

// Throws UserError, naming the file, where the text is anything else.
NpyHeader parse_npy_header(std::string_view text, const std::string& file);

}  // namespace kiln
