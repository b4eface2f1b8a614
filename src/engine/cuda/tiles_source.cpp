#include "engine/cuda/tiles_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/kernel_cache.hpp"
#include "engine/cuda/model_source.hpp"
#include "engine/cuda/tiles_data.hpp"

namespace kiln::cuda {

std::string tiles_source(const Physics& physics, const tiles::Settings& settings, const SiteLayout& layout,
                         int history, const KernelShape& shape) {
  return model_prologue(physics, layout, history) +
         fmt::format(
             "#include \"engine/tiles.hpp\"\nnamespace kiln::model {{\n"
             "constexpr tiles::Settings kSettings{{{{{}, {}, {}}}, {}, {}}};\n"
             "constexpr int kPasses = kSettings.passes, kUnit = {}, kWarpsPerBlock = {}, kSlots = {};\n"
             "constexpr bool kTrackSums = {};\n"
             "}}  // namespace kiln::model\n"
             "#include \"engine/cuda/tiles.cuh\"\n",
             settings.tile.x, settings.tile.y, settings.tile.z, settings.apart, settings.passes,
             shape.steps_per_unit, shape.warps_per_block, shape.slots, history > 0);
}

TilesKernels compile_tiles(const Physics& physics, const tiles::Settings& settings, const SiteLayout& layout,
                           int history, int steps_per_unit, int architecture, int shared_per_block) {
  TilesKernels result;
  // Sparse attempts fill a batch sooner with more slots, but these take room from warps.
  const int slots = physics.lattice.dimension == 2 && settings.tile.x <= 3 ? 6 : 3;
  const int most_warps = physics.lattice.dimension == 2 ? 24 : 20;  // measured: then registers gain more
  for (const int warps : {24, 22, 20, 18, 17, 16, 14, 12, 10, 8, 6, 4, 3, 2, 1}) {
    if (warps > most_warps) continue;
    result.shape = {warps, steps_per_unit, slots,
                    shared_bytes(warps, slots, physics.lattice.dimension, settings.tile.x, layout.word_bytes,
                                 layout.max_act)};
    if (int(result.shape.shared_bytes) > shared_per_block) continue;
    result.compiled = compile_cached(tiles_source(physics, settings, layout, history, result.shape),
                                     "tiles.cu", architecture);
    const auto used = resources(result.compiled);
    if (std::none_of(used.begin(), used.end(), [](const KernelResources& r) { return r.spill_stores > 0; }))
      break;
  }
  return result;
}

}  // namespace kiln::cuda
