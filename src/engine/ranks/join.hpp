// Finds the other processes, where the program was started several times to play one tissue.
#pragma once

#include <memory>

#include "base/cores.hpp"  // Environment
#include "engine/ranks/processes.hpp"

namespace kiln {

// What mpirun or srun says of the start, by the environment.
struct Launch {
  int rank = 0, ranks = 1;
  bool has_mpi = false;  // whether there is a way to find the others
};
Launch launch_by(const Environment& variable);

// The file of the module that speaks MPI; "" where there is none.
std::string mpi_module();

// Null where the program was started alone. Throws UserError where others are there that cannot be reached.
std::unique_ptr<Processes> join_processes(const Launch& launch);

}  // namespace kiln
