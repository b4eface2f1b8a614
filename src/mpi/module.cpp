// The door of libkiln_mpi.so, which the program opens only where it was started by mpirun or srun: so it runs
// without an MPI, too.
#include <cstring>

#include "engine/ranks/join.hpp"
#include "mpi/mpi_exchange.hpp"

namespace {

class MpiProcesses : private kiln::MpiSession, public kiln::MpiExchange {};

}  // namespace

extern "C" __attribute__((visibility("default"))) kiln::Processes* kiln_join_processes(const char* version) {
  return std::strcmp(version, KILN_VERSION) == 0 ? new MpiProcesses : nullptr;
}
