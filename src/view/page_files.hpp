// The page's files, which are part of the program as text (cmake/page_files.cmake).
#pragma once

#include <span>
#include <string_view>

namespace kiln::view {

struct PageFile {
  std::string_view name, text;
};

std::span<const PageFile> page_files();

}  // namespace kiln::view
