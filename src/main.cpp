#include <fcntl.h>
#include <unistd.h>

#include "cli/cli.hpp"

namespace {

// A standard stream that is closed leaves its number to the first file that is opened, and what is said on it
// would end up there.
void open_standard_streams() {
  int file = 0;
  do file = ::open("/dev/null", O_RDWR);
  while (file >= 0 && file <= STDERR_FILENO);
  if (file > STDERR_FILENO) ::close(file);
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  return kiln::run_command_line(argc, argv);
}
