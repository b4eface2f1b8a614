// A cell as the formulas of a model see it (model/living/living.cpp has the same for a processor). Compiled
// behind a model's prologue and the constants of living/source.cpp.
#pragma once

#include "core/random.hpp"
#include "engine/cuda/device_world.cuh"
#include "engine/cuda/living/living_tables.hpp"
#include "formula/operations.hpp"

namespace kiln::device {

struct LivingCell {
  const StateTables& state;
  const cuda::LivingTables& living;
  CellId row, host;
  TypeId type;
  int64_t mcs;

  __device__ __forceinline__ LivingCell(const StateTables& s, const cuda::LivingTables& l, CellId cell,
                                        int64_t now)
      : state(s), living(l), row(cell), host(s.host_ids[cell]), type(type_of(s, cell)), mcs(now) {}

  __device__ __forceinline__ bool is_alive() const {
    return host != kMedium && !is_frozen(type) && state.ends[row] == 0;
  }
  __device__ __forceinline__ bool is_dying() const { return state.shrinking[row].by > 0; }

  __device__ __forceinline__ double property(int which) const {
    return state.properties[int64_t(row) * living::kProperties + which];
  }
  __device__ __forceinline__ double counted(int which) const {
    return living.counted[int64_t(which) * state.cells + row];
  }
  __device__ __forceinline__ double drawn(uint32_t which) const {
    return unit_double(draw(living.seed, Stream::rules, uint64_t(which) << 32 | host, uint32_t(mcs)).ab());
  }
  __device__ __forceinline__ static double seconds(int64_t of) { return double(of) * living::kSecondsPerMcs; }
  __device__ __forceinline__ Vec3d position() const {
    return centroid_of(anchor_of(state, row), state.sums[row], state.extents[row].volume);
  }
  __device__ __forceinline__ double volume() const { return double(state.extents[row].volume); }
  __device__ __forceinline__ double perimeter() const { return double(state.extents[row].perimeter); }
  __device__ __forceinline__ double target() const { return state.exact_targets[row]; }
  __device__ __forceinline__ double age() const { return seconds(mcs - state.born[row]); }
  __device__ __forceinline__ double generation() const { return double(state.generations[row]); }
  __device__ __forceinline__ double x() const { return position().x; }
  __device__ __forceinline__ double y() const { return position().y; }
  __device__ __forceinline__ double z() const { return position().z; }
  __device__ __forceinline__ double time() const { return seconds(mcs); }
  __device__ __forceinline__ double dt() const { return living::kSecondsPerMcs; }

  __device__ __forceinline__ void set_property(int which, double value) const {
    state.properties[int64_t(row) * living::kProperties + which] = value;
  }
  __device__ __forceinline__ void set_target_volume(double value) const {
    const double target = value < 0.0 ? 0.0 : value;
    state.exact_targets[row] = target;
    state.target_volumes[row] = float(target);
  }
  __device__ __forceinline__ void shrink() const {
    set_target_volume(state.exact_targets[row] - double(state.shrinking[row].by));
  }
  __device__ __forceinline__ void set_target_perimeter(double value) const {
    state.target_perimeters[row] = float(value < 0.0 ? 0.0 : value);
  }
  template <float OwnLambdas::*kWhich>
  __device__ __forceinline__ void set_lambda(double value, double least, double most) const {
    state.own_lambdas[row].*kWhich = float(value < least ? least : most < value ? most : value);
  }
  __device__ __forceinline__ void grow(double rate, double up_to) const {
    const double now = state.exact_targets[row], limit = now < up_to ? up_to : now;
    const double grown = now + rate * living::kSecondsPerMcs;
    set_target_volume(limit < grown ? limit : grown);
  }
  // What happens to it; its number among such events.
  __device__ __forceinline__ uint32_t list(int32_t event) const {
    const uint32_t at = atomicAdd(living.event_count, 1u);
    living.events[at] = {host, event};
    return at;
  }

  // The first one tells why it cannot go on.
  template <int kInputs>
  __device__ __noinline__ void fail(cuda::LivingFailure::Kind kind, int32_t number, double value,
                                    double before, const double (&inputs)[kInputs]) const {
    cuda::LivingFailure& failure = *living.failure;
    if (atomicCAS(&failure.taken, 0u, 1u) != 0) return;
    failure.kind = kind;
    failure.cell = host;
    failure.type = type;
    failure.number = number;
    failure.mcs = mcs;
    failure.value = value;
    failure.before = before;
    for (int i = 0; i < kInputs && i < cuda::kMostFailureInputs; ++i) failure.inputs[i] = inputs[i];
  }
};

// Which event happens to a cell: that of the lowest rank, of equals the first.
class ChosenEvent {
 public:
  template <int kFirst, int kCount, int kResults>
  __device__ __forceinline__ void take(int32_t rule, int rank, const double (&results)[kResults]) {
    if (rank_ <= rank) return;
    rule_ = rule;
    rank_ = rank;
#pragma unroll
    for (int i = 0; i < kCount; ++i) set_[i] = results[kFirst + i];
  }
  __device__ __forceinline__ void list(const LivingCell& cell) const {
    if (rank_ == kNone) return;
    const uint32_t at = cell.list(rule_);
#pragma unroll
    for (int i = 0; i < living::kMostSet; ++i) cell.living.set[int64_t(at) * living::kMostSet + i] = set_[i];
  }

 private:
  static constexpr int kNone = 100;
  int32_t rule_ = 0;
  int rank_ = kNone;
  double set_[living::kMostSet] = {};
};

}  // namespace kiln::device
