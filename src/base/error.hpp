// Errors that reach a person. What() is a full sentence; the command line prints it and picks the exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace kiln {

// Something the user gave cannot be used: a model, an option, a file. Exit code 2.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Something failed that the user did not cause: a full disk, a lost device. Exit code 1.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace kiln
