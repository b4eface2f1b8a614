// Progress messages. Unlike fmt::print, this never throws: a run goes on where its reader went away or the
// disk with the log is full.
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
