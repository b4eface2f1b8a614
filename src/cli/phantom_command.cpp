#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "data/tiff/write_stack.hpp"

namespace kiln {

int phantom_command(const PhantomOptions& options) {
  const auto* kind = std::find_if(std::begin(kPhantoms), std::end(kPhantoms),
                                  [&](const PhantomKind& k) { return k.name == options.kind; });
  if (kind == std::end(kPhantoms)) {
    std::string known;
    for (const PhantomKind& k : kPhantoms) known += fmt::format("{}{}", known.empty() ? "" : ", ", k.name);
    throw UserError(fmt::format("there is no phantom {}; there are {}.", options.kind, known));
  }
  PhantomSettings settings = options.settings;
  if (!options.size_um.empty())
    settings.size_um = {options.size_um[0], options.size_um[1], options.size_um[2]};
  if (!options.voxel_um.empty())
    settings.voxel_um = {options.voxel_um[0], options.voxel_um[1], options.voxel_um[2]};
  const std::string out = options.out.empty() ? options.kind + ".tif" : options.out;
  const Grid<uint8_t> stack = phantom(*kind, settings);
  write_stack(out, stack, settings.voxel_um);
  fmt::print("{}: {} x {} x {} voxels of {:g} x {:g} x {:g} µm\n", out, stack.size.x, stack.size.y,
             stack.size.z, settings.voxel_um.x, settings.voxel_um.y, settings.voxel_um.z);
  return 0;
}

}  // namespace kiln
