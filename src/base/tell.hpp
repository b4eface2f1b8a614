// Words for whoever watches. A run goes on where nobody can be told, be it that a reader went away or that
// the disk with the log is full: unlike fmt::print, this never throws.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace kiln {

template <class... T>
void tell(std::FILE* where, fmt::format_string<T...> words, T&&... values) {
  std::fputs(fmt::format(words, std::forward<T>(values)...).c_str(), where);
}

}  // namespace kiln
