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

// Attempts of a block that a load into the cache serves.
uint64_t steps_together(const CheckerboardSettings& settings) {
  return settings.mutex ? 1 : uint64_t(settings.switch_every);
}

}  // namespace

uint64_t steps_per_launch(const checkerboard::Plan& plan, uint64_t step) {
  const bool waits = plan.settings().barriers == CheckerboardSettings::Barriers::attempt;
  return waits && !plan.settings().mutex ? plan.steps_until_switch(step) : plan.steps_until_barrier(step);
}

bool attempts_may_meet(const Physics& physics, const CheckerboardSettings& settings) {
  return checkerboard::Plan(physics.lattice, settings, 0)
      .attempts_may_meet(longest_reach(*physics.adhesion_neighbours, *physics.perimeter_neighbours));
}

BoardShape board_shape(const Physics& physics, const CheckerboardSettings& settings, const SiteLayout& layout,
                       const BoardKernels& kernels) {
  if (!kernels.cached || attempts_may_meet(physics, settings)) return {kUncachedThreads, false};
  const int halo = settings.region + (settings.draws_source ? 4 : 2),
            places = halo * halo * (physics.lattice.dimension == 3 ? halo : 1);
  if (uint64_t(places) > kPlacesPerStep * steps_together(settings)) return {kUncachedThreads, false};
  for (const int threads : {256, 128, 64})
    if (threads * (places * layout.word_bytes + 12) <= kSharedBytes) return {threads, true};
  return {kUncachedThreads, false};
}

std::string checkerboard_source(const Physics& physics, const CheckerboardSettings& settings,
                                const SiteLayout& layout, int history, const BoardKernels& kernels,
                                Numbers numbers) {
  using Barriers = CheckerboardSettings::Barriers;
  const BoardShape shape = board_shape(physics, settings, layout, kernels);
  return model_prologue(physics, layout, history, numbers) +
         fmt::format(
             "namespace kiln::model {{\n"
             "constexpr int kRegion = {}, kPerThread = {}, kSwitchEvery = {}, kThreads = {};\n"
             "constexpr bool kCached = {}, kMutex = {}, kDrawsSource = {}, kWaits = {}, kOneRegion = {}, "
             "kMayMeet = {}, kReplays = {};\n"
             "}}  // namespace kiln::model\n"
             "#include \"engine/cuda/checkerboard/kernels.cuh\"\n",
             settings.region, settings.per_thread, settings.switch_every, shape.threads, shape.cached,
             settings.mutex, settings.draws_source, settings.barriers == Barriers::attempt,
             settings.barriers != Barriers::none, attempts_may_meet(physics, settings),
             settings.replayed_mcs > 0);
}

}  // namespace kiln::cuda
