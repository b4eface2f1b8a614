#include "model/model.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/wording.hpp"

namespace kiln {
namespace {

double mean_target(const InitialStep& step, const PhysicsData& physics) {
  double sum = 0, weights = 0;
  for (const auto& [type, weight] : step.types) {
    sum += weight * double(physics.types[type].volume.target);
    weights += weight;
  }
  return weights > 0 ? sum / weights : 0;
}

// Boxes that fit into the lattice or are cut by its edge.
double grid_boxes(const InitialStep& step, const Lattice& lattice) {
  double boxes = 1;
  for (int axis = 0; axis < lattice.dimension; ++axis)
    boxes *= double((lattice.size[axis] + step.spacing[axis] - 1) / step.spacing[axis]);
  return boxes;
}

// How much of the lattice is free while steps take their share: a coarse grid of places stands for all sites.
class Room {
 public:
  explicit Room(const Lattice& lattice) : lattice_(lattice) {
    const int32_t most = lattice.dimension == 2 ? 128 : 32;
    Vec3i grid;
    for (int axis = 0; axis < 3; ++axis) grid[axis] = std::min(lattice.size[axis], most);
    const auto middle = [&](int axis, int32_t k) {
      return (k + 0.5) * lattice.size[axis] / grid[axis] - 0.5;
    };
    for (int32_t z = 0; z < grid.z; ++z)
      for (int32_t y = 0; y < grid.y; ++y)
        for (int32_t x = 0; x < grid.x; ++x)
          places_.push_back({{middle(0, x), middle(1, y), middle(2, z)}, 1.0});
  }

  // The share of the lattice that lies in the region and is not all taken; the free sites there.
  double open_share(const Region& region) const {
    double open = 0;
    for (const Place& p : places_) open += p.free > 0 && region.contains(p.at) ? 1 : 0;
    return open / double(places_.size());
  }
  double free_sites(const Region& region) const {
    double free = 0;
    for (const Place& p : places_) free += region.contains(p.at) ? p.free : 0;
    return free / double(places_.size()) * double(lattice_.sites());
  }
  void take(const Region& region, double share) {
    for (Place& p : places_)
      if (region.contains(p.at)) p.free *= 1 - share;
  }

 private:
  struct Place {
    Vec3d at;
    double free;
  };
  const Lattice& lattice_;
  std::vector<Place> places_;
};

double placed_cells(const InitialStep& step, const Model& model, Room& room) {
  const double target = mean_target(step, model.phases.front().physics);
  switch (step.kind) {
    case InitialStep::Kind::boxes: {
      double box_share = 1;
      for (int axis = 0; axis < model.lattice.dimension; ++axis)
        box_share *= double(step.box[axis]) / step.spacing[axis];
      const double boxes = room.open_share(step.region) * grid_boxes(step, model.lattice);
      room.take(step.region, box_share);
      return boxes;
    }
    case InitialStep::Kind::seeds:
      return step.count ? double(*step.count)
                        : *step.density * room.free_sites(step.region) / std::max(1.0, target);
    case InitialStep::Kind::fill:
      room.take(step.region, 1);
      return 1;
    case InitialStep::Kind::network:
      room.take(step.region, step.fraction);
      return 1;
    case InitialStep::Kind::labels:
      return target > 0 ? room.free_sites(step.region) / target : 0;
    case InitialStep::Kind::tube:
    case InitialStep::Kind::image:  // how much of the lattice it takes only the image knows
      return 1;
  }
  return 0;
}

}  // namespace

std::string ImageMask::name() const {
  return phantom ? fmt::format("the phantom {}", phantom->kind->name) : file;
}

Physics PhysicsData::view() const {
  Physics v;
  v.temperature = temperature;
  v.uses = uses;
  v.types.first = types.data();
  v.adhesion = {adhesion_units.data(), int(types.size()), adhesion_unit};
  v.act_logs = act_logs.data();
  if (surroundings == nullptr) return v;
  const Surroundings& s = *surroundings;
  v.lattice = s.lattice;
  v.adhesion_neighbours = &s.adhesion_neighbours;
  v.perimeter_neighbours = &s.perimeter_neighbours;
  v.adhesion_is_moore = s.adhesion_neighbours.is_moore(s.lattice.dimension);
  v.perimeter_is_moore = s.perimeter_neighbours.is_moore(s.lattice.dimension);
  v.fields = s.fields.data();
  return v;
}

int64_t Model::total_mcs() const {
  int64_t sum = 0;
  for (const Phase& phase : phases) sum += phase.mcs;
  return sum;
}

int Model::phase_number(int64_t mcs) const {
  int64_t end = 0;
  for (std::size_t i = 0; i + 1 < phases.size(); ++i) {
    end += phases[i].mcs;
    if (mcs < end) return int(i);
  }
  return int(phases.size()) - 1;
}

int64_t Model::phase_end(int64_t mcs) const {
  int64_t end = 0;
  for (int i = 0; i <= phase_number(mcs); ++i) end += phases[std::size_t(i)].mcs;
  return end;
}

std::vector<bool> frozen_flags(const std::vector<CellType>& types) {
  std::vector<bool> frozen;
  for (const CellType& type : types) frozen.push_back(type.frozen);
  return frozen;
}

std::vector<bool> Model::frozen_types() const { return frozen_flags(types); }

bool Model::uses_act() const {
  return std::any_of(phases.begin(), phases.end(), [](const Phase& p) { return p.physics.uses.act; });
}

bool Model::migrates() const {
  return std::any_of(phases.begin(), phases.end(), [](const Phase& p) {
    return p.physics.uses.act || p.physics.uses.persistence || p.physics.uses.chemotaxis;
  });
}

int Model::largest_act() const {
  float most = 0;
  for (const Phase& phase : phases)
    for (const TypePhysics& type : phase.physics.types) most = std::max(most, type.act.max);
  return int(most);
}

bool Model::reads(OptionalColumn column) const {
  return std::any_of(phases.begin(), phases.end(), [&](const Phase& phase) {
    return phase.physics.uses.any([&](auto term) { return decltype(term)::kReads == column; });
  });
}

int Model::history_length() const {
  int longest = 0;
  for (const Phase& phase : phases)
    if (phase.physics.uses.persistence)
      for (const TypePhysics& type : phase.physics.types)
        if (!type.frozen && type.persistence.lambda != 0)
          longest = std::max(longest, int(type.persistence.dt));
  return longest;
}

void count_anew(const Model& model, State& state, bool keep_anchors) {
  state.cells.moments.clear();
  if (model.reads(OptionalColumn::moments)) state.cells.moments.resize(state.cells.count());
  recount(state, model.perimeter_neighbours, model.frozen_types(), keep_anchors);
}

MemoryNeed memory_need(const Model& model, double cell_count) {
  constexpr double kBookkeepingPerSite = 0.25;  // which blocks are live
  constexpr double kBytesPerCell = 72;  // type, extent, centroid, and an engine's copy of the first two
  constexpr double kBytesPerFollowedCell = 64;  // for speeds: its place at both ends, counts of intervals
  const double sites = double(model.lattice.sites());
  MemoryNeed need;
  need.sites = sites * (double(sizeof(CellId)) + kBookkeepingPerSite);
  if (model.uses_act()) need.sites += sites * double(sizeof(ActValue));
  if (model.measure.explored) need.sites += sites / 8;
  need.cells = cell_count * kBytesPerCell;
  if (model.reads(OptionalColumn::moments)) need.cells += cell_count * double(sizeof(Moments));
  if (model.measure.speed_interval_mcs > 0) need.cells += cell_count * kBytesPerFollowedCell;
  for (const FieldData& field : model.fields)
    if (field.values != nullptr) need.fields += double(field.values->size() * sizeof(float));
  const int history = model.history_length();
  if (history > 0)
    need.history = cell_count * (double(sizeof(Vec3f)) + double(history) * double(sizeof(Vec3d)));
  return need;
}

double expected_cells(const Model& model) {
  Room room(model.lattice);
  double cells = 0;
  for (const InitialStep& step : model.initial) cells += placed_cells(step, model, room);
  return cells;
}

double physical_memory() { return double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE)); }

void require_memory(const Model& model, double available) {
  const double need = memory_need(model, expected_cells(model)).total();
  if (need <= available) return;
  throw UserError(fmt::format("{}: lattice.size is {}, which needs about {} of memory, but there are {}.",
                              model.source, size_text(model.lattice), bytes_text(need),
                              bytes_text(available)));
}

}  // namespace kiln
