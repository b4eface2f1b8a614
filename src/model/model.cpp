#include "model/model.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/wording.hpp"
#include "core/lattice_size.hpp"

namespace kiln {

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
  v.substances = s.substances.data();
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

bool Model::has_own_lambdas() const {
  return std::any_of(phases.begin(), phases.end(), [](const Phase& p) { return p.physics.uses.own_lambdas; });
}
bool Model::has_own_targets() const {
  return std::any_of(phases.begin(), phases.end(), [](const Phase& p) { return p.physics.uses.targets; });
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

std::optional<PictureSettings::ColourBy> colour_named(const Model& model, const std::string& name) {
  using By = PictureSettings::ColourBy;
  if (name == "type") return By::type;
  if (name == "cell") return By::cell;
  if (name == "act") return By::act;
  if (model.living != nullptr)
    for (const Property& property : model.living->properties)
      if (property.name == name) return By::property;
  for (const SubstanceData& substance : model.substances)
    if (substance.name == name) return By::substance;
  return std::nullopt;
}

void count_anew(const Model& model, State& state, bool keep_anchors) {
  state.cells.moments.clear();
  if (model.reads(OptionalColumn::moments)) state.cells.moments.resize(state.cells.count());
  recount(state, model.perimeter_neighbours, model.frozen_types(), keep_anchors);
}

namespace {

// As threads keep it, and every rank: concentrations, as they were a stage before, as copy attempts read
// them, and what is secreted, taken up by each type that does, held, and open.
double bytes_of_substance(const SubstanceData& data) {
  const auto any = [&](const auto& does) { return std::any_of(data.uses.begin(), data.uses.end(), does); };
  double per_voxel = 2 * sizeof(double) + sizeof(float);
  if (any([](const SubstanceUse& use) { return use.secretes_anything(); })) per_voxel += sizeof(double);
  if (any([](const SubstanceUse& use) { return use.holds.has_value(); }))
    per_voxel += sizeof(double) + sizeof(uint8_t);
  for (const SubstanceUse& use : data.uses) per_voxel += use.takes_up > 0 ? sizeof(double) : 0;
  if (data.has_obstacles()) per_voxel += double(1 + data.voxels.dimension) * sizeof(double);
  return per_voxel * double(data.voxels.sites());
}

double bytes_of_substances(const Model& model) {
  double sum = 0;
  for (const SubstanceData& data : model.substances) sum += bytes_of_substance(data);
  return sum;
}

}  // namespace

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
  if (model.has_own_targets()) need.cells += cell_count * double(sizeof(Cells::Targets));
  if (model.has_own_lambdas()) need.cells += cell_count * double(sizeof(OwnLambdas));
  if (model.living != nullptr)
    need.cells += cell_count * double(sizeof(Cells::Life) + model.living->properties.size() * sizeof(double));
  need.cells += cell_count * kBytesPerFollowedCell * double(model.measure.speed_intervals_mcs.size());
  for (const FieldData& field : model.fields)
    if (field.values != nullptr) need.fields += double(field.values->size() * sizeof(float));
  need.fields += bytes_of_substances(model);
  const int history = model.history_length();
  if (history > 0)
    need.history = cell_count * (double(sizeof(Vec3f)) + double(history) * double(sizeof(Vec3d)));
  return need;
}

double physical_memory() { return double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE)); }

void require_memory(const Model& model, double available) {
  const double cells = expected_cells(model);
  const MemoryNeed need_of = memory_need(model, cells);
  const double need = need_of.total();
  if (need <= available) return;
  for (std::size_t i = 0; i < model.initial.size(); ++i)
    if (const int64_t count = model.initial[i].count.value_or(0); count > model.lattice.sites())
      throw UserError(fmt::format("{}: initial.{}.count is {}, but the lattice has only {} sites.",
                                  model.source, i, count, grouped(double(model.lattice.sites()))));
  if (const double substances = bytes_of_substances(model);
      substances > need_of.sites + need_of.cells + need_of.history)
    throw UserError(
        fmt::format("{}: a run needs about {} of memory, {} of it for [substances], but there are {}; "
                    "a larger coarsen takes less.",
                    model.source, bytes_text(need), bytes_text(substances), bytes_text(available)));
  if (need_of.cells + need_of.history > need_of.sites + need_of.fields)
    throw UserError(
        fmt::format("{}: the steps of [[initial]] ask for about {} cells, which need about {} of memory, "
                    "but there are {}.",
                    model.source, grouped(cells), bytes_text(need), bytes_text(available)));
  throw UserError(fmt::format("{}: lattice.size is {}, which needs about {} of memory, but there are {}.",
                              model.source, size_text(model.lattice), bytes_text(need),
                              bytes_text(available)));
}

}  // namespace kiln
