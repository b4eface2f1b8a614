// validate and info.
#include <fmt/format.h>

#include "base/cores.hpp"
#include "base/processor.hpp"
#include "base/wording.hpp"
#include "cli/commands.hpp"
#include "data/hdf5/file.hpp"
#include "engine/cuda/driver/driver.hpp"
#include "engine/cuda/driver/nvrtc.hpp"
#include "engine/ranks/join.hpp"
#include "model/explain.hpp"
#include "output/picture/png.hpp"
#include "output/run/record.hpp"
#include "output/table/columns.hpp"
#include "view/http/server.hpp"

namespace kiln {
namespace {

std::string compiler_name() {
#if defined(__clang__)
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

void print_cuda(const cuda::Availability& found) {
  const std::string nvrtc_missing = cuda::nvrtc_missing_reason();
  fmt::print("CUDA           {}\n", found.why_not.empty() ? "yes" : "no: " + found.why_not);
  fmt::print("NVIDIA driver  {}\n",
             found.driver_version.empty() ? "none" : fmt::format("for CUDA {}", found.driver_version));
  fmt::print("NVRTC          {}\n", nvrtc_missing.empty() ? found.nvrtc_version : "no: " + nvrtc_missing);
  for (const cuda::DeviceInfo& gpu : found.devices) {
    fmt::print("GPU {:<10} {}, compute capability {}.{}, {} multiprocessors, {}\n", gpu.index, gpu.name,
               gpu.major, gpu.minor, gpu.multiprocessors, bytes_text(double(gpu.memory)));
    if (const std::string reason = cuda::unsupported_reason(gpu); !reason.empty())
      fmt::print("               cannot be used: {}\n", reason);
  }
}

}  // namespace

int validate_command(const ValidateOptions& options) {
  const Model model = load_model(options.model, options.set, std::nullopt, std::nullopt);
  fmt::print("{}", explain(model));
  return 0;
}

int info_command(const InfoOptions& options) {
  if (options.tables) {
    fmt::print("{}", tables_reference());
    return 0;
  }
  fmt::print("Kiln {}\n\n", KILN_VERSION);
  fmt::print("Processor      {}\n", processor_name());
  const Cores cores = allowed_cores();
  fmt::print("Threads        {}{}\n", cores.count,
             cores.why.empty() ? ", one per core" : " (" + cores.why + ")");
  fmt::print("Memory         {}\n", bytes_text(physical_memory()));
  fmt::print("Compiled for   {}\n", processor_level());
  fmt::print("Compiler       {}\n", compiler_name());
  const cuda::Availability& found = cuda::availability();
  fmt::print("Engines        serial, threads{}\n", found.why_not.empty() ? ", cuda" : "");
  fmt::print("Schedules      serial, tiles, checkerboard\n");
  print_cuda(found);
  const std::string mpi = mpi_module();
  fmt::print("Processes      {}\n", mpi.empty()
                                        ? "one: for several (mpirun, srun) install libopenmpi-dev and rebuild"
                                        : fmt::format("several, by mpirun or srun ({})", mpi));
  fmt::print("Pictures       {}\n", kHasPng ? "yes (libpng)" : "no: install libpng-dev and rebuild");
  fmt::print("Images         .npy{}{}\n", kHasHdf5 ? ", HDF5" : "",
             kHasTiff ? ", TIFF" : "; for TIFF install libtiff-dev and libpugixml-dev and rebuild");
  fmt::print("Viewer         {}\n",
             http::kHasServer ? "yes (cpp-httplib)" : "no: install libcpp-httplib-dev and rebuild");
  fmt::print("Snapshots      {}\n", kHasHdf5 ? "yes (HDF5)" : "no: install libhdf5-dev and rebuild");
  return 0;
}

}  // namespace kiln
