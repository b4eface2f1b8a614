// The command line: `kiln run`, `bench`, `validate`, `info`, `render`.
#pragma once

namespace kiln {

// Exit code 0, 2 for a user's mistake, 1 for a failure.
int run_command_line(int argc, char** argv);

}  // namespace kiln
