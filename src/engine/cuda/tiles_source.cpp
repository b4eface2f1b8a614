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
             "constexpr int kPasses = kSettings.passes, kWarpsPerBlock = {};\n"
             "constexpr uint32_t kBatches = {}, kUnit = {};\n"
             "constexpr bool kShareRest = {}, kTrackSums = {};\n"
             "}}  // namespace kiln::model\n"
             "#include \"engine/cuda/tiles.cuh\"\n",
             settings.tile.x, settings.tile.y, settings.tile.z, settings.apart, settings.passes,
             shape.warps_per_block, shape.batches, shape.steps_per_unit, shape.share_rest, history > 0);
}

int64_t steps_of_round(const Lattice& lattice, const tiles::Settings& settings, int batches) {
  const Vec3i tiles = tiles::tile_counts(lattice, settings);
  const int64_t across = int64_t(tiles::kStride) * batches;
  return (tiles.x + across - 1) / across * tiles.y * tiles.z;
}

TilesKernels compile_tiles(const Physics& physics, const tiles::Settings& settings, const SiteLayout& layout,
                           int history, int architecture, int multiprocessors, int shared_per_block) {
  TilesKernels result;
  KernelShape& shape = result.shape;
  const bool is_flat = physics.lattice.dimension == 2;
  const int most_warps = is_flat ? 24 : 20;  // measured: then registers gain more
  shape.batches = is_flat && settings.tile.x <= 3 ? 2 : 1;
  // Where warps have few steps each, single ones balance better than whole draws.
  const int64_t steps = steps_of_round(physics.lattice, settings, shape.batches);
  const bool many = steps >= int64_t(multiprocessors) * most_warps * 16;
  shape.steps_per_unit = many ? 4 / shape.batches : 1;
  // (In several passes warps with more attempts than others would keep everybody waiting.)
  shape.share_rest = many && settings.passes == 1;
  for (const int warps : {24, 22, 20, 18, 17, 16, 14, 12, 10, 8, 6, 4, 3, 2, 1}) {
    if (warps > most_warps) continue;
    shape.warps_per_block = warps;
    shape.shared_bytes = shared_bytes(warps, shape.batches, physics.lattice.dimension, settings.tile.x,
                                      layout.word_bytes, layout.max_act);
    if (int(shape.shared_bytes) > shared_per_block) continue;
    result.compiled =
        compile_cached(tiles_source(physics, settings, layout, history, shape), "tiles.cu", architecture);
    const auto used = resources(result.compiled);
    if (std::none_of(used.begin(), used.end(), [](const KernelResources& r) { return r.spill_stores > 0; }))
      break;
  }
  return result;
}

}  // namespace kiln::cuda
