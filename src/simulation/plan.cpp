#include "simulation/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/wording.hpp"
#include "core/lattice_size.hpp"
#include "engine/ranks/sharing.hpp"
#include "engine/schedule/tiles_plan.hpp"
#include "simulation/run/summary.hpp"

namespace kiln {
namespace {

// bench/gpu_bench on an H200, `kiln bench --threads 2` on an Arm Neoverse V1, and what `kiln bench --bricks`
// counted (docs/clusters.md). What cutting costs a GPU is that of act3d 1024^3 per brick for all cases in
// 3-D, and of sorting2d 16384^2 in four bricks.
const MeasuredCase kCases[] = {
    {"act3d", 3, true, false, false, 0.110, 4.70e-11, 7.9e-8, 5.26, {1.24, 1.05}},
    {"collective3d", 3, false, true, true, 0.047, 4.44e-11, 3.9e-8, 8.41, {1.24, 1.05}},
    {"dense3d", 3, false, false, true, 0.038, 3.63e-11, 3.3e-8, 5.84, {1.24, 1.05}},
    {"sorting2d", 2, false, false, false, 0.125, 1.35e-11, 1.77e-8, 6.25, {1.48, 1.39}},
};

// Counted on these cases in bricks; see tests/simulation/plan_test.cpp.
constexpr double kCopyBytes = 16, kClaimBytes = 8;
constexpr double kClaimsPerCopy = 2.3;    // where there are several passes
constexpr double kSharingPerCopy = 0.03;  // bytes on who shares what, per byte of copies
constexpr int kPassesUntilNothingIsOpen = 4;

const std::vector<Hardware> kHardware = {
    {"h200", "H200", "H200", "an H200", 150e9, 8, {15e-6, 450e9}, {30e-6, 50e9}},
    {"core", "core", "cores", "a core of an Arm Neoverse V1", 0, 64, {5e-6, 10e9}, {10e-6, 12.5e9}},
};

// Neighbours along an axis that a brick in the middle has, at most.
int faces_along(const BrickGrid& grid, int axis) {
  if (!grid.is_cut(axis)) return 0;
  return !grid.lattice().periodic[axis] && grid.counts()[axis] == 2 ? 1 : 2;
}

Vec3i largest_brick(const BrickGrid& grid) {
  Vec3i size;
  for (int axis = 0; axis < 3; ++axis)
    size[axis] = (grid.lattice().size[axis] + grid.counts()[axis] - 1) / grid.counts()[axis];
  return size;
}

// Sites of a brick whose cells are shared with a neighbour.
struct SharedSites {
  double all = 0;   // summed over all neighbours: beside a face, an edge, a corner
  double face = 0;  // beside one face alone, the largest
};
SharedSites shared_sites(const BrickGrid& grid, double depth) {
  const Vec3i size = largest_brick(grid);
  SharedSites shared;
  for (int directions = 1; directions < 8; ++directions) {
    double sites = 1, times = 1;
    int faces = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const bool beside = directions >> axis & 1;
      sites *= beside ? std::min(depth, double(size[axis])) : double(size[axis]);
      if (beside) times *= faces_along(grid, axis);
      faces += beside ? 1 : 0;
    }
    if (times == 0) continue;
    shared.all += sites * times;
    if (faces == 1) shared.face = std::max(shared.face, sites);
  }
  return shared;
}

double mean_volume(const Model& model, double cells) {
  double largest = 0;
  const PhysicsData& physics = model.phases.front().physics;
  for (std::size_t type = 0; type < physics.types.size(); ++type)
    largest = std::max(largest, double(physics.declared_volume(type)));
  const double room = double(model.lattice.sites()) / std::max(1.0, cells);
  return largest > 0 ? std::min(largest, room) : room;
}

// A part of a step: milliseconds where it is short.
std::string step_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.3g} ms", 1e3 * seconds) : duration_text(seconds);
}

}  // namespace

const Hardware& hardware_named(const std::string& key) {
  for (const Hardware& hardware : kHardware)
    if (key == hardware.key) return hardware;
  throw UserError(fmt::format("--on is \"{}\", but it can be h200 or core.", key));
}

const MeasuredCase& measured_case_like(const Model& model) {
  const bool several_passes = tiles::settings_for(model).passes != 1;
  const auto likeness = [&](const MeasuredCase& c) {
    return 8 * (c.dimension == model.lattice.dimension) + 4 * (c.several_passes == several_passes) +
           2 * (c.act == model.uses_act()) + (c.history == (model.history_length() > 0));
  };
  return *std::max_element(std::begin(kCases), std::end(kCases),
                           [&](const auto& a, const auto& b) { return likeness(a) < likeness(b); });
}

Plan plan_for(const Model& model, int ranks, const std::string& bricks, const Hardware& hardware) {
  Plan plan;
  plan.hardware = &hardware;
  plan.like = &measured_case_like(model);
  plan.cells = expected_cells(model);
  const int reach = longest_reach(model.adhesion_neighbours, model.perimeter_neighbours);
  plan.grid = BrickGrid(model.lattice, bricks_for(model, bricks, ranks));
  plan.ranks = ranks;
  plan.nodes = (plan.ranks + hardware.ranks_per_node - 1) / hardware.ranks_per_node;

  const bool on_gpu = hardware.memory > 0;
  const Vec3i size = largest_brick(plan.grid);
  const double sites = double(size.x) * size.y * size.z;
  double stored = 1;
  for (int axis = 0; axis < 3; ++axis) stored *= size[axis] + (plan.grid.is_cut(axis) ? 2 * reach : 0);
  const MeasuredCase::Cut cut = on_gpu && ranks > 1 ? plan.like->h200_cut : MeasuredCase::Cut{1, 1};
  const MemoryNeed need = memory_need(model, plan.cells);
  plan.memory = need.fields +  // with every rank as a whole
                (on_gpu ? plan.like->h200_bytes * cut.bytes * stored
                        : (need.total() - need.fields) / double(model.lattice.sites()) * stored);

  const tiles::Settings settings = tiles::settings_for(model);
  plan.rounds = double(tiles::Clock(model.lattice, settings.tile).rounds_after(1'000'000)) / 1e6;
  plan.computing_s = sites * (on_gpu ? plan.like->h200_s * cut.time : plan.like->core_s);
  plan.disk = disk_need(model, plan.cells);
  if (plan.ranks == 1) return plan;

  // Ids of what is near to a brick, and those and Act of the brick itself; of all cells a type and, while
  // boxes are laid out, a size; of all sites a bit, or of a row that is filled from one side to the other 16
  // bytes (first_sites.hpp).
  const int near = shared_within(plan.grid, reach, on_gpu);
  double window = 1;
  for (int axis = 0; axis < 3; ++axis) window *= size[axis] + (plan.grid.is_cut(axis) ? 2 * near : 0);
  const double rows = double(model.lattice.size.y) * double(model.lattice.size.z);
  const bool all_boxes = std::all_of(model.initial.begin(), model.initial.end(), [](const InitialStep& s) {
    return s.kind == InitialStep::Kind::boxes && !s.mask;
  });
  plan.first_state_memory = window * sizeof(CellId) +
                            stored * (sizeof(CellId) + (model.uses_act() ? sizeof(ActValue) : 0)) +
                            (all_boxes ? 16 * rows : double(model.lattice.sites()) / 8) +
                            plan.cells * (sizeof(TypeId) + sizeof(int64_t));
  // The first has two slices of the rows at a time (ranks/lead_engine.hpp); for each speed a cell's places at
  // both ends, and how often it was arrested (measure/motility/speeds.hpp).
  const double with_speeds =
      model.measure.direction_correlation ? plan.cells : std::min(plan.cells, double(kMostWithSpeeds));
  plan.measures_memory = 2 * (need.cells + need.history) / ranks +
                         with_speeds * double(model.measure.speed_intervals_mcs.size()) *
                             (2 * sizeof(Vec3d) + 2 * sizeof(int64_t));

  const double depth = shared_within(plan.grid, reach, on_gpu) +
                       std::pow(mean_volume(model, plan.cells), 1.0 / model.lattice.dimension);
  const int passes = settings.passes > 0 ? settings.passes : kPassesUntilNothingIsOpen;
  const SharedSites shared = shared_sites(plan.grid, depth);
  const auto bytes_of = [&](double sites_of_cells) {
    return kCopyBytes * plan.like->accepted * sites_of_cells;
  };
  const double claims = passes > 1 ? kClaimsPerCopy * kClaimBytes / kCopyBytes : 0;
  plan.copy_bytes = bytes_of(shared.all);
  plan.claim_bytes = claims * plan.copy_bytes;
  plan.sharing_bytes = kSharingPerCopy * plan.copy_bytes;
  plan.face_bytes = bytes_of(shared.face) * (1 + claims + kSharingPerCopy) / plan.rounds;
  plan.swaps = (passes == 1 ? 1 : 2 * passes) + 2.0 / pace_of(plan.grid, reach, on_gpu).between;
  plan.talking_s =
      plan.rounds * plan.swaps * plan.link().latency_s + plan.message_bytes() / plan.link().bytes_per_s;
  return plan;
}

std::string plan_text(const Plan& plan, const Model& model) {
  const Hardware& hardware = *plan.hardware;
  const bool on_gpu = hardware.memory > 0;
  const Vec3i size = largest_brick(plan.grid);
  Lattice brick = model.lattice;
  brick.size = size;
  const double mcs = double(model.total_mcs());
  std::string text = fmt::format("{} on {} {}\n\n", model.title.empty() ? model.source : model.title,
                                 plan.ranks, plan.ranks == 1 ? hardware.name : hardware.names);
  const auto line = [&](const char* what, const std::string& said) {
    text += fmt::format("  {:<11}{}\n", what, said);
  };
  line("lattice", fmt::format("{} sites, about {}, {} MCS", size_text(model.lattice),
                              counted(plan.cells, "cell"), grouped(mcs)));
  if (plan.ranks > 1)
    line("bricks", fmt::format("{} of {} sites", bricks_text(plan.grid.counts(), model.lattice.dimension),
                               size_text(brick)));
  line("memory", fmt::format("{} per rank{}", bytes_text(plan.memory),
                             hardware.memory == 0 ? ""
                             : plan.memory <= hardware.memory
                                 ? fmt::format(", of {}", bytes_text(hardware.memory))
                                 : fmt::format(", more than the {} there are", bytes_text(hardware.memory))));
  if (plan.ranks > 1)
    line(
        "beginning",
        fmt::format("{} of host memory per rank while the first state is built, {} for measures in the first",
                    bytes_text(plan.first_state_memory), bytes_text(plan.measures_memory)));
  line("computing", fmt::format("{} per MCS", step_text(plan.computing_s)));
  if (plan.ranks > 1) {
    line("messages",
         fmt::format("{} per rank and MCS, {} per face and round; {:.0f} rounds, {:.0f} times of waiting",
                     bytes_text(plan.message_bytes()), bytes_text(plan.face_bytes), plan.rounds,
                     plan.rounds * plan.swaps));
    line("talking", fmt::format("{} per MCS", step_text(plan.talking_s)));
  }
  line("time",
       fmt::format("{} per MCS, {} in all, {:.3g} {} hours", step_text(plan.mcs_s()),
                   duration_text(plan.mcs_s() * mcs), plan.mcs_s() * mcs * plan.ranks / 3600, hardware.name));
  line("disk", fmt::format("about {}", bytes_text(plan.disk)));
  text += "\nMeasured\n";
  text +=
      fmt::format("  {} on {}: {:.3g} ns per site and MCS{}. Another model takes longer or shorter.\n",
                  plan.like->name, hardware.measured, 1e9 * (on_gpu ? plan.like->h200_s : plan.like->core_s),
                  on_gpu ? fmt::format(", {:.2f} bytes per site", plan.like->h200_bytes) : "");
  if (plan.ranks > 1) {
    if (on_gpu)
      text += fmt::format(
          "  A brick takes {:g} times as long per site as one piece does, and {:g} times the memory: {} in "
          "bricks on one card.\n",
          plan.like->h200_cut.time, plan.like->h200_cut.bytes,
          plan.like->dimension == 3 ? "act3d" : plan.like->name);
    text += fmt::format(
        "  Messages, in runs of such cases: {:.1f}% of attempts are accepted, and every one near another "
        "brick is told.\n",
        100 * plan.like->accepted);
    const Hardware::Link& link = plan.link();
    text += fmt::format(
        "\nAssumed\n  {} {}: {:g} GB/s, {:g} µs until a message is there, nothing computed meanwhile.\n",
        plan.nodes > 1 ? fmt::format("{} nodes with {} ranks each,", plan.nodes, hardware.ranks_per_node)
                       : "One node,",
        plan.nodes > 1 ? "between two" : "between two ranks", link.bytes_per_s / 1e9, link.latency_s * 1e6);
  }
  if (model.has_stages())
    text += fmt::format("\nNot counted\n  What {} between two MCS.{}\n",
                        model.living != nullptr ? "cells do" : "substances do",
                        on_gpu && plan.ranks > 1
                            ? " Where bricks lie on GPUs, processors play it, and it may take longer than "
                              "all the rest: one GPU is faster where the tissue fits it."
                            : "");
  return text;
}

std::string plan_json(const Plan& plan, const Model& model) {
  return JsonObject()
      .add("model", model.source)
      .add("on", plan.hardware->key)
      .add("ranks", plan.ranks)
      .add("nodes", plan.nodes)
      .add("bricks", bricks_text(plan.grid.counts(), model.lattice.dimension))
      .add("sites", model.lattice.sites())
      .add("cells", plan.cells)
      .add("mcs", model.total_mcs())
      .add("memory_bytes_per_rank", plan.memory)
      .add("first_state_bytes_per_rank", plan.first_state_memory)
      .add("bytes_for_measures", plan.measures_memory)
      .add("computing_seconds_per_mcs", plan.computing_s)
      .add("talking_seconds_per_mcs", plan.talking_s)
      .add("rounds_per_mcs", plan.rounds)
      .add("copy_bytes_per_rank_and_mcs", plan.copy_bytes)
      .add("claim_bytes_per_rank_and_mcs", plan.claim_bytes)
      .add("sharing_bytes_per_rank_and_mcs", plan.sharing_bytes)
      .add("bytes_per_face_and_round", plan.face_bytes)
      .add("seconds", plan.mcs_s() * double(model.total_mcs()))
      .add("disk_bytes", plan.disk)
      .add("measured_on", plan.like->name)
      .lines();
}

}  // namespace kiln
