#include <fmt/format.h>

#include <atomic>
#include <filesystem>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "model/initial/motion.hpp"
#include "model/initial/step.hpp"

namespace kiln {
namespace {

// 0 is the medium, the last id is kNowhere.
constexpr double kMostCells = 4294967294.0;

void apply(StepBuilder& builder) {
  switch (builder.step().kind) {
    case InitialStep::Kind::boxes:
      return add_boxes(builder);
    case InitialStep::Kind::hexagonal:
      return add_hexagonal(builder);
    case InitialStep::Kind::voronoi:
      return add_voronoi(builder);
    case InitialStep::Kind::seeds:
      return add_seeds(builder);
    case InitialStep::Kind::fill:
      return add_fill(builder);
    case InitialStep::Kind::tube:
      return add_tube(builder);
    case InitialStep::Kind::network:
      return add_network(builder);
    case InitialStep::Kind::labels:
      return add_labels(builder);
    case InitialStep::Kind::image:
      return add_image(builder);
  }
}

TypeId draw_type(const Model& model, uint32_t step, CellId cell) {
  const auto& types = model.initial[step].types;
  if (types.size() == 1) return types[0].first;
  double total = 0;
  for (const auto& [type, weight] : types) total += weight;
  double rest = unit_double(draw(model.seed, Stream::initial_types, cell, step).ab()) * total;
  for (const auto& [type, weight] : types) {
    if (rest < weight) return type;
    rest -= weight;
  }
  // Only where rounding ate the rest.
  for (std::size_t i = types.size(); i-- > 0;)
    if (types[i].second > 0) return types[i].first;
  return types.back().first;
}

}  // namespace

const char* kind_name(InitialStep::Kind kind) {
  switch (kind) {
    case InitialStep::Kind::boxes:
      return "boxes";
    case InitialStep::Kind::hexagonal:
      return "hexagonal";
    case InitialStep::Kind::voronoi:
      return "voronoi";
    case InitialStep::Kind::seeds:
      return "seeds";
    case InitialStep::Kind::fill:
      return "fill";
    case InitialStep::Kind::tube:
      return "tube";
    case InitialStep::Kind::network:
      return "network";
    case InitialStep::Kind::labels:
      return "labels";
    case InitialStep::Kind::image:
      return "image";
  }
  return "";
}

void StepBuilder::add_cell(TypeId type) {
  check_cell_count(double(next_cell()));
  types_.push_back(type);
}

void StepBuilder::add_cell() { add_cell(draw_type(model_, number_, next_cell())); }

int64_t StepBuilder::take(int32_t y, int32_t z, Span span, CellId cell) {
  int64_t taken = 0;
  for (int32_t x = span.begin; x < span.end; ++x)
    if (const Vec3i place{x, y, z}; is_free(place)) {
      give(place, cell);
      ++taken;
    }
  return taken;
}

std::unique_ptr<ImageSource> open_image_of(const Model& model, const ImageMask& image) {
  if (image.phantom) return image_in_memory(phantom_image(*image.phantom), image.name());
  return open_image(std::filesystem::path(model.folder) / image.file, image.placement.part,
                    import_grid(model).most_bytes);
}

ImportGrid import_grid(const Model& model) {
  return {model.units.voxel_um, model.lattice.dimension, std::size_t(physical_memory())};
}

template <class Counts>
int64_t StepBuilder::count_region(const Counts& counts) const {
  const Vec3i size = lattice().size;
  std::atomic<int64_t> sites{0};
  in_parallel(int64_t(size.y) * size.z, all_threads(), [&](int, int64_t begin, int64_t end) {
    int64_t found = 0;
    for (int64_t i = begin; i < end; ++i) {
      const int32_t y = int32_t(i % size.y), z = int32_t(i / size.y);
      for (const Span& span : row_spans(step_.region, lattice(), y, z).part)
        for (int32_t x = span.begin; x < span.end; ++x) found += counts(Vec3i{x, y, z}) ? 1 : 0;
    }
    sites += found;
  });
  return sites;
}

int64_t StepBuilder::region_sites() const {
  return count_region([&](const Vec3i& place) { return !is_hidden(place); });
}

int64_t StepBuilder::free_region_sites() const {
  return count_region([&](const Vec3i& place) { return is_free(place); });
}

void StepBuilder::fail(const std::string& what) const {
  throw UserError(
      fmt::format("{}: initial.{} ({}) {}.", model_.source, number_, kind_name(step_.kind), what));
}

void StepBuilder::check_cell_count(double cells) const {
  if (cells > kMostCells)
    fail(fmt::format("asks for {:.0f} cells in all; at most {:.0f} are allowed", cells, kMostCells));
}

void StepBuilder::note(const std::string& what) const {
  if (notes_ != nullptr)
    notes_->push_back(fmt::format("initial.{} ({}) {}.", number_, kind_name(step_.kind), what));
}

double StepBuilder::cells_for_density() const {
  double total = 0, weights = 0;
  for (const auto& [type, weight] : step_.types) {
    total += weight * double(model_.phases.front().physics.declared_volume(type));
    weights += weight;
  }
  const double target = weights > 0 ? total / weights : 0;
  if (!(target > 0))
    fail("has a density, but its cell types have no target volume in the first phase; give count");
  const double cells = *step_.density * double(free_region_sites()) / target;
  check_cell_count(cells);
  return cells;
}

std::vector<TypeId> build_first_sites(const Model& model, FirstSites& sites,
                                      std::vector<std::string>* notes) {
  std::vector<TypeId> types = {0};  // the medium
  for (uint32_t number = 0; number < model.initial.size(); ++number) {
    StepBuilder builder(model, number, sites, types, notes);
    if (builder.step().types.empty() && builder.step().kind != InitialStep::Kind::labels)
      builder.fail("names no cell type");
    const CellId first = builder.next_cell();
    builder.hide_outside_mask();
    apply(builder);
    builder.show_outside_mask();
    // A region without a site is a note on the model already.
    if (notes != nullptr && builder.next_cell() == first &&
        holds_any_site(builder.step().region, model.lattice))
      builder.note(builder.step().kind == InitialStep::Kind::labels
                       ? fmt::format("places no cell: {} holds no label but 0 on its free sites",
                                     builder.step().image.name())
                       : "places no cell");
  }
  return types;
}

State initial_state(const Model& model, std::vector<std::string>* notes) {
  FirstSites sites(model.lattice);
  State state;
  for (const TypeId type : build_first_sites(model, sites, notes)) state.cells.add(type);
  state.lattice = model.lattice;
  state.ids = std::move(sites.ids());
  count_anew(model, state, false);
  start_act(model, state);
  start_persistence(model, state.cells);
  start_targets(model, state.cells);
  start_lambdas(model, state.cells);
  start_living(model, state.cells);
  require_finite_starts(model, state.cells);
  state.substances = start_substances(model);
  return state;
}

}  // namespace kiln
