#include "engine/cuda/tiles_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/kernel_cache.hpp"
#include "engine/cuda/model_source.hpp"

namespace kiln::cuda {

std::string tiles_source(const Physics& physics, const tiles::Settings& settings, const SiteLayout& layout,
                         int history, const KernelShape& shape) {
  return model_prologue(physics, layout, history) +
         fmt::format(
             "namespace kiln::model {{\n"
             "constexpr int kSpacing = {}, kPasses = {}, kUnit = {}, kWarpsPerBlock = {};\n"
             "constexpr bool kTrackSums = {};\n"
             "}}  // namespace kiln::model\n"
             "#include \"engine/cuda/tiles.cuh\"\n",
             settings.spacing, settings.passes, shape.steps_per_unit, shape.warps_per_block, history > 0);
}

TilesKernels compile_tiles(const Physics& physics, const tiles::Settings& settings, const SiteLayout& layout,
                           int history, int steps_per_unit, int architecture) {
  TilesKernels result;
  for (const int warps : {24, 16, 8}) {
    if (warps == 24 && layout.word_bytes == 8) continue;  // their queues would not fit into shared memory
    result.shape = {warps, steps_per_unit};
    result.compiled = compile_cached(tiles_source(physics, settings, layout, history, result.shape),
                                     "tiles.cu", architecture);
    const auto used = resources(result.compiled);
    if (std::none_of(used.begin(), used.end(), [](const KernelResources& r) { return r.spill_stores > 0; }))
      break;
  }
  return result;
}

}  // namespace kiln::cuda
