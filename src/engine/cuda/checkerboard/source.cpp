#include "engine/cuda/checkerboard/source.hpp"

#include <fmt/format.h>

#include <initializer_list>

#include "engine/cuda/model_source.hpp"

namespace kiln::cuda {
namespace {

constexpr int kUncachedThreads = 128;
// Static shared memory that a thread block can have (48 KB), less what is not the cache.
constexpr int kSharedBytes = 44 << 10;
// Places loaded per attempt that profits from them. More than a few cost more than they save.
constexpr uint64_t kPlacesPerStep = 6;

}  // namespace

uint64_t most_steps_per_launch(const CheckerboardSettings& settings) {
  return settings.mutex ? 1 : uint64_t(settings.switch_every);
}

BoardShape board_shape(const CheckerboardSettings& settings, int dimension, const SiteLayout& layout,
                       const BoardKernels& kernels) {
  if (!kernels.cached) return {kUncachedThreads, false};
  const int halo = settings.region + 2, places = halo * halo * (dimension == 3 ? halo : 1);
  if (uint64_t(places) > kPlacesPerStep * most_steps_per_launch(settings)) return {kUncachedThreads, false};
  for (const int threads : {256, 128, 64})
    if (threads * (places * layout.word_bytes + 12) <= kSharedBytes) return {threads, true};
  return {kUncachedThreads, false};
}

std::string checkerboard_source(const Physics& physics, const CheckerboardSettings& settings,
                                const SiteLayout& layout, int history, const BoardKernels& kernels,
                                Numbers numbers) {
  const BoardShape shape = board_shape(settings, physics.lattice.dimension, layout, kernels);
  return model_prologue(physics, layout, history, numbers) +
         fmt::format(
             "namespace kiln::model {{\n"
             "constexpr int kRegion = {}, kPerThread = {}, kThreads = {};\n"
             "constexpr bool kCached = {}, kMutex = {};\n"
             "}}  // namespace kiln::model\n"
             "#include \"engine/cuda/checkerboard/kernels.cuh\"\n",
             settings.region, settings.per_thread, shape.threads, shape.cached, settings.mutex);
}

}  // namespace kiln::cuda
