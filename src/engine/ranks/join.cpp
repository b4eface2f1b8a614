#include "engine/ranks/join.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"
#include "base/text.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModule = "libkiln_mpi.so";

int number_of(const Environment& variable, const char* name, int otherwise) {
  const char* const text = variable(name);
  const std::optional<int64_t> number = text == nullptr ? std::nullopt : whole_in(text);
  return number ? int(*number) : otherwise;
}

}  // namespace

Launch launch_by(const Environment& variable) {
  if (const char* const wanted = variable("KILN_MPI"); wanted != nullptr && wanted == std::string("off"))
    return {};
  // Open MPI's mpirun; that of MPICH and its kin, or srun --mpi=pmi2.
  for (const auto& [rank, ranks] :
       {std::pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), std::pair("PMI_RANK", "PMI_SIZE")})
    if (variable(ranks) != nullptr)
      return {number_of(variable, rank, 0), number_of(variable, ranks, 1), true};
  // srun, which tells the number of a step's tasks in any case, and with --mpi=pmix has a way between them.
  if (variable("SLURM_STEP_NUM_TASKS") != nullptr && variable("SLURM_PROCID") != nullptr)
    return {number_of(variable, "SLURM_PROCID", 0), number_of(variable, "SLURM_STEP_NUM_TASKS", 1),
            variable("PMIX_RANK") != nullptr};
  return {};
}

std::string mpi_module() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return "";
  for (const fs::path& folder : {program.parent_path(), program.parent_path() / "../lib/kiln"})
    if (fs::exists(folder / kModule, error)) return fs::weakly_canonical(folder / kModule).string();
  return "";
}

std::unique_ptr<Processes> join_processes(const Launch& launch) {
  if (launch.ranks < 2) return nullptr;
  const auto refuse = [&](const std::string& why) {
    return UserError(
        fmt::format("was started as {} processes that are to play one tissue, but {} (KILN_MPI=off lets each "
                    "play alone.)",
                    launch.ranks, why));
  };
  if (!launch.has_mpi)
    throw refuse(
        "srun gave them no way to find each other: add --mpi=pmix, or the one that `srun --mpi=list` "
        "names for your MPI.");
  const std::string file = mpi_module();
  if (file.empty())
    throw refuse("this build has no MPI: install libopenmpi-dev (or another MPI) and rebuild.");
  void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);  // an MPI opens parts that look for it
  if (module == nullptr) throw refuse(fmt::format("{} cannot be opened: {}.", file, dlerror()));
  using Join = Processes*(const char*);
  auto* const join = reinterpret_cast<Join*>(dlsym(module, "kiln_join_processes"));
  std::unique_ptr<Processes> processes(join == nullptr ? nullptr : join(KILN_VERSION));
  if (processes == nullptr) throw refuse(fmt::format("{} is of another version of Kiln.", file));
  if (processes->ranks() == 1)
    throw refuse("its MPI is not the one that started them: they do not see each other.");
  return processes;
}

}  // namespace kiln
