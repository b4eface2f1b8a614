// Other programs look at our files, or make some for us: scripts of tests/ for Debian's Python and its
// modules.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace kiln {

// The exit code of tests/SCRIPT; 77 is for a module that is missing.
inline int run_python(const std::string& script, const std::vector<std::string>& arguments) {
  // Debian's own, which has Debian's modules; another one may come first on the PATH.
  std::string command = "/usr/bin/python3 '" + std::string(KILN_SOURCE_DIR) + "/tests/" + script + "'";
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Whether a module, or Python itself, was missing.
inline bool python_is_missing(int exit_code) {
  return exit_code == 77 || exit_code == 126 || exit_code == 127;
}

inline bool may_skip() {
  const char* ci = std::getenv("CI");
  return ci == nullptr || std::string(ci) != "true";
}

enum class Missing {
  fails_in_ci,
  skips,  // for packages that are too large to ask for
};

// A script that asserts something about our files. Skipped where what it needs is missing.
inline void check_with_python(const std::string& script, const std::vector<std::string>& arguments,
                              const std::string& needs, Missing missing = Missing::fails_in_ci) {
  const int code = run_python(script, arguments);
  if (python_is_missing(code) && (missing == Missing::skips || may_skip()))
    GTEST_SKIP() << "needs /usr/bin/python3 with " << needs;
  ASSERT_EQ(code, 0) << "tests/" << script << " failed";
}

}  // namespace kiln
