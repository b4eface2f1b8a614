// validate and info.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "model/explain.hpp"
#include "model/wording.hpp"
#include "output/hdf5.hpp"
#include "output/png.hpp"
#include "output/run_record.hpp"

namespace kiln {
namespace {

std::string compiler_name() {
#if defined(__clang__)
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

int validate_command(const ValidateOptions& options) {
  const Model model = load_model(options.model, options.set, std::nullopt, std::nullopt);
  fmt::print("{}", explain(model));
  return 0;
}

int info_command() {
  fmt::print("Kiln {}\n\n", KILN_VERSION);
  fmt::print("Processor      {}\n", processor_name());
  fmt::print("Memory         {}\n", bytes_text(physical_memory()));
  fmt::print("Compiler       {}\n", compiler_name());
  fmt::print("Engines        serial\n");
  fmt::print("Schedules      serial\n");
  fmt::print("Pictures       {}\n", kHasPng ? "yes (libpng)" : "no: install libpng-dev and rebuild");
  fmt::print("Snapshots      {}\n", kHasHdf5 ? "yes (HDF5)" : "no: install libhdf5-dev and rebuild");
  return 0;
}

}  // namespace kiln
