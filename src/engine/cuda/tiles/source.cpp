#include "engine/cuda/tiles/source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/driver/kernel_cache.hpp"
#include "engine/cuda/tiles/data.hpp"
#include "engine/schedule/tick.hpp"

namespace kiln::cuda {
namespace {

// Whether kernels keep centroid sums copy by copy: for terms that read them, and where a kernel plays several
// MCS.
bool tracks_sums(const Physics& physics, int history, const KernelShape& shape) {
  return reads_moments(physics.uses) || (history > 0 && shape.members);
}

int64_t divided_up(int64_t number, int64_t divisor) { return (number + divisor - 1) / divisor; }

// `unit`: the header of this folder whose kernels are wanted.
std::string source_of(const char* unit, const Physics& physics, const tiles::Settings& settings,
                      const SiteLayout& layout, int history, const KernelShape& shape, Numbers numbers,
                      const StoredSites& stored) {
  return model_prologue(physics, layout, history, numbers, stored) +
         fmt::format(
             "#include \"engine/schedule/tiles.hpp\"\nnamespace kiln::model {{\n"
             "constexpr uint32_t kCrew = {};\n"
             "constexpr bool kMembers = {};\n"
             "constexpr tiles::Settings kSettings{{{{{}, {}, {}}}, {}, {}}};\n"
             "__device__ __forceinline__ float hopeless() {{ return {}; }}\n"
             "constexpr int kPasses = kSettings.passes, kWarpsPerBlock = {};\n"
             "constexpr uint32_t kBatches = {}, kUnit = {};\n"
             "constexpr bool kShareRest = {}, kTrackSums = {}, kSkipsDead = {};\n"
             "constexpr int kBlocksPerMultiprocessor = {}, kAnchorChecks = {};\n"
             "}}  // namespace kiln::model\n"
             "#include \"engine/cuda/tiles/{}.cuh\"\n",
             shape.crew, shape.members, settings.tile.x, settings.tile.y, settings.tile.z, settings.apart,
             settings.passes,
             numbers == Numbers::folded ? fmt::format("{:a}f", settings.hopeless) : "kNumbers.hopeless",
             shape.warps_per_block, shape.batches, shape.steps_per_unit, shape.share_rest,
             tracks_sums(physics, history, shape), shape.skips_dead, shape.blocks_per_multiprocessor,
             mcs_between_anchor_checks(physics.lattice), unit);
}

}  // namespace

std::string tiles_source(const Physics& physics, const tiles::Settings& settings, const SiteLayout& layout,
                         int history, const KernelShape& shape, Numbers numbers, const StoredSites& stored) {
  const char* const unit = shape.members ? "members" : stored.is_brick ? "brick" : "play";
  return source_of(unit, physics, settings, layout, history, shape, numbers, stored);
}

Compiled compile_mark_live(const Physics& physics, const tiles::Settings& settings, const SiteLayout& layout,
                           int history, const KernelShape& shape, Numbers numbers, int architecture) {
  return compile_cached(
      source_of("mark_live", physics, settings, layout, history, shape, numbers, all_sites(physics.lattice)),
      "mark_live.cu", architecture);
}

// Cells are taken to be as large as their targets.
bool is_sparse(const State& state, const Physics& physics) {
  double filled = 0;
  for (CellId cell = 1; cell < state.cells.count(); ++cell) {
    const TypePhysics& type = physics.types[state.cells.type[cell]];
    if (!type.frozen) filled += std::max(double(state.cells.extent[cell].volume), double(type.volume.target));
  }
  return filled < 0.75 * double(state.lattice.sites());
}

namespace {

int64_t steps_of_round(const Lattice& lattice, const StoredSites& stored, const tiles::Settings& settings,
                       int batches) {
  return round_shape(lattice, stored.own, stored.is_brick, settings, batches).steps();
}

struct Compiling {
  const Physics& physics;
  const tiles::Settings& settings;
  const SiteLayout& layout;
  int history;
  Numbers numbers;
  int architecture;
  StoredSites stored;
};

// Warps per multiprocessor. With more, each has too few registers, which are allocated four warps at a time.
int most_warps(const Physics& physics) { return physics.lattice.dimension == 2 ? 24 : 20; }

// In 2-D more warps are possible, each a little slower: worth it where a round then takes fewer turns.
int warps_for(int64_t steps, int multiprocessors, const Physics& physics) {
  int best = most_warps(physics);
  if (physics.lattice.dimension == 3) return best;
  const auto turns = [&](int warps) { return divided_up(steps, int64_t(multiprocessors) * warps); };
  for (const int warps : {28, 32})
    if (turns(warps) < turns(best)) best = warps;
  return best;
}

// Leaves 1/7 of shared memory to L1; with less, extra warps no longer pay (measured).
int room_in(int shared_per_block) { return shared_per_block / 7 * 6; }

int batches_for(const Physics& physics, const tiles::Settings& settings) {
  return physics.lattice.dimension == 2 && settings.tile.x <= 3 ? 2 : 1;
}

// Steps that share one Philox draw.
int steps_of_draw(int batches) { return int(tiles::kGroup) / (int(tiles::kStride) * batches); }

constexpr int kMostRegisters = 255;  // of a thread

// Registers that a thread can have. A multiprocessor has four parts with 2^14 each, allocated to warps in
// units of 8 per thread.
int registers_with(int warps_per_multiprocessor) {
  const int warps = int(divided_up(warps_per_multiprocessor, 4));
  return std::min(kMostRegisters, (1 << 14) / (32 * warps) / 8 * 8);
}

// Registers that would have been enough where so many bytes were spilled: a value of 4 bytes is stored at
// about 1.6 places. (That of all kernels that spilled tells those that 16 registers more helped from those
// that they did not help.)
int registers_for(int registers, int spilled_bytes) {
  return std::min(kMostRegisters, registers + std::max(1, spilled_bytes * 10 / 64));
}

// Compiles with as many warps per block as shared memory and registers allow. NVRTC takes seconds, so numbers
// of warps that would spill, going by what the last compile spilled, are not tried.
TilesKernels compile_with_most_warps(const Compiling& c, KernelShape shape, int warps_at_most,
                                     int shared_at_most) {
  TilesKernels result{{}, shape};
  const unsigned extra = shape.members ? sizeof(TilesTables) : 0;
  int needed = 0;
  for (const int warps : {32, 28, 24, 20, 18, 17, 16, 14, 12, 10, 8, 6, 5, 4, 3, 2, 1}) {
    const int registers = registers_with(warps * shape.blocks_per_multiprocessor);
    if (warps > warps_at_most || (registers < needed && warps > 1)) continue;
    result.shape.warps_per_block = warps;
    result.shape.shared_bytes =
        extra + shared_bytes(warps, shape.batches, c.physics.lattice, c.settings.tile.x, c.layout.word_bytes,
                             c.layout.max_act);
    if (int(result.shape.shared_bytes) > shared_at_most && warps > 1) continue;
    result.compiled = compile_cached(
        tiles_source(c.physics, c.settings, c.layout, c.history, result.shape, c.numbers, c.stored),
        "tiles.cu", c.architecture);
    int spilled = 0;
    for (const KernelResources& r : resources(result.compiled)) spilled += r.spill_stores;
    if (spilled == 0 || registers == kMostRegisters) break;
    needed = registers_for(registers, spilled);
  }
  return result;
}

}  // namespace

WorkSplit work_split_of(const Lattice& lattice, const tiles::Settings& settings, const KernelShape& shape,
                        const StoredSites& stored) {
  return {uint32_t(steps_of_round(lattice, stored, settings, shape.batches)), uint32_t(shape.steps_per_unit),
          uint32_t(shape.crew), uint32_t(shape.warps_per_block), shape.share_rest};
}

// A warp takes no more shared steps than its list has room for, and the lists together have room for all.
int64_t most_open(const WorkSplit& split, const KernelShape& shape) {
  const int64_t own = split.steps_per_warp(), fair = divided_up(split.end(), split.warps());
  return (shape.share_rest ? std::max(own, fair) + 4 : own) * int64_t(tiles::kStride) * shape.batches;
}

TilesKernels compile_tiles(const Physics& physics, const tiles::Settings& settings, const SiteLayout& layout,
                           int history, Numbers numbers, int architecture, int multiprocessors,
                           int shared_per_block, bool skips_dead, const StoredSites& stored) {
  KernelShape shape;
  shape.crew = multiprocessors;
  shape.skips_dead = skips_dead;
  // Where every warp has one step at most, short steps end sooner.
  const bool one_each =
      steps_of_round(physics.lattice, stored, settings, 1) <= int64_t(multiprocessors) * most_warps(physics);
  shape.batches = one_each ? 1 : batches_for(physics, settings);
  const int64_t steps = steps_of_round(physics.lattice, stored, settings, shape.batches);
  const int warps = warps_for(steps, multiprocessors, physics);
  const int64_t steps_per_warp = steps / (int64_t(multiprocessors) * warps);
  // Where warps have few steps each, and these take long, smaller units balance better.
  const bool many = steps_per_warp >= 16;
  shape.steps_per_unit = steps_of_draw(shape.batches) / (many || physics.lattice.dimension == 2 ? 1 : 2);
  // In several passes, warps that took more attempts would hold up the barrier of every pass; and with few
  // steps per warp, the atomic takes as long as it saves.
  shape.share_rest = settings.passes == 1 && many;
  return compile_with_most_warps({physics, settings, layout, history, numbers, architecture, stored}, shape,
                                 warps, room_in(shared_per_block));
}

TilesKernels compile_tiles_for_members(int64_t members, const Physics& physics,
                                       const tiles::Settings& settings, const SiteLayout& layout, int history,
                                       Numbers numbers, int architecture, int multiprocessors,
                                       int shared_per_block, bool skips_dead) {
  KernelShape shape;
  shape.members = true;
  shape.skips_dead = skips_dead;
  shape.batches = batches_for(physics, settings);
  shape.steps_per_unit = steps_of_draw(shape.batches);
  const StoredSites stored = all_sites(physics.lattice);
  const int64_t steps = steps_of_round(physics.lattice, stored, settings, shape.batches);
  const int warps = most_warps(physics);
  const int64_t blocks_with_work = divided_up(steps, warps);
  shape.crew = int(std::clamp<int64_t>(multiprocessors / members, 1, blocks_with_work));
  // Several blocks per multiprocessor hide each other's barriers; with more than a few, each has too few
  // warps. As many as make turns of equal length.
  constexpr int64_t kMost = 6;
  const int64_t per_multiprocessor = divided_up(members, multiprocessors);
  const int64_t turns = divided_up(per_multiprocessor, kMost);
  shape.blocks_per_multiprocessor = shape.crew > 1 ? 1 : int(divided_up(per_multiprocessor, turns));
  constexpr int kReserved = 1024;  // bytes of shared memory that every block takes beside its own
  const int blocks = shape.blocks_per_multiprocessor;
  return compile_with_most_warps({physics, settings, layout, history, numbers, architecture, stored}, shape,
                                 std::max(1, warps / blocks),
                                 (shared_per_block + kReserved) / blocks - kReserved);
}

}  // namespace kiln::cuda
