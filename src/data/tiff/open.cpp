#ifdef KILN_HAS_TIFF
#include "data/tiff/open.hpp"

#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <limits>

namespace kiln {
namespace {

// Keeps the first message: later ones follow from it. What libtiff quotes from the file may be anything.
void keep_error(std::string& error, const char* format, va_list values) {
  if (!error.empty()) return;
  char text[300];
  std::vsnprintf(text, sizeof(text), format, values);
  error = text;
  for (char& c : error)
    if (c < ' ' || c > '~') c = '?';
  while (!error.empty() && error.back() == '.') error.pop_back();
}

#if TIFFLIB_VERSION >= 20221213  // 4.5: handlers of their own for each file
int on_error(TIFF*, void* error, const char*, const char* format, va_list values) {
  keep_error(*static_cast<std::string*>(error), format, values);
  return 1;
}

int on_warning(TIFF*, void*, const char*, const char*, va_list) { return 1; }

}  // namespace

TIFF* open_tiff(const char* path, const char* mode, std::string& error, std::size_t most_bytes) {
  TIFFOpenOptions* options = TIFFOpenOptionsAlloc();
  if (options == nullptr) return nullptr;
  TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, &error);
  TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, nullptr);
  const auto most = std::min<std::size_t>(most_bytes, std::numeric_limits<tmsize_t>::max());
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, tmsize_t(most));
  TIFF* file = TIFFOpenExt(path, mode, options);
  TIFFOpenOptionsFree(options);
  return file;
}
#else
// One handler for all files: the message belongs to the file that was opened last.
thread_local std::string* error_of_thread = nullptr;

void on_error(thandle_t, const char*, const char* format, va_list values) {
  if (error_of_thread != nullptr) keep_error(*error_of_thread, format, values);
}

}  // namespace

TIFF* open_tiff(const char* path, const char* mode, std::string& error, std::size_t) {
  error_of_thread = &error;
  TIFFSetErrorHandler(nullptr);
  TIFFSetWarningHandler(nullptr);
  TIFFSetErrorHandlerExt(on_error);
  return TIFFOpen(path, mode);
}
#endif

}  // namespace kiln
#endif
