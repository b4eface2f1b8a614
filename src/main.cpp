#include "cli/cli.hpp"

int main(int argc, char** argv) { return kiln::run_command_line(argc, argv); }
