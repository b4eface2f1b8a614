// Cells from an image of labels.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/wording.hpp"
#include "core/lattice_size.hpp"
#include "model/initial/step.hpp"

namespace kiln {
namespace {

// An image of labels and the site of the lattice where its first voxel lies.
struct Labels {
  Grid<int64_t> grid;
  Vec3i offset{0, 0, 0};
};

Labels read_labels(const StepBuilder& builder) {
  const Lattice& lattice = builder.lattice();
  const InitialStep& step = builder.step();
  ImportedLabels image =
      import_labels(*builder.open(step.image), step.image.placement, builder.import_grid());
  Labels labels{std::move(image.labels), step.offset.value_or(Vec3i{0, 0, 0})};
  const Vec3i& size = labels.grid.size;
  for (int axis = 0; step.centred && axis < lattice.dimension; ++axis)
    labels.offset[axis] = lattice.size[axis] / 2 - size[axis] / 2;
  const auto text = [&](const Vec3i& s) { return size_text({s, {}, lattice.dimension}); };
  if (!step.centred && !step.offset && !(size == lattice.size))
    builder.fail(fmt::format(
        "has the file {}, which covers {} sites{}; the lattice has {}, and must have the same unless offset "
        "says where the image lies",
        step.image.file, text(size), voxel_hint(image.facts, builder.import_grid()), text(lattice.size)));
  return labels;
}

// Calls visit(place, label) for every site of the region that is still medium and has a label other than 0.
template <class Visit>
void for_each_label(StepBuilder& builder, const Labels& labels, Visit&& visit) {
  const Lattice& lattice = builder.lattice();
  const Vec3i &size = labels.grid.size, &offset = labels.offset;
  const auto covered = [&](int axis) {
    return Span{0, lattice.size[axis]}.within({offset[axis], offset[axis] + size[axis]});
  };
  const Span xs = covered(0), ys = covered(1), zs = covered(2);
  for (int32_t z = zs.begin; z < zs.end; ++z)
    for (int32_t y = ys.begin; y < ys.end; ++y)
      for (const Span& part : row_spans(builder.step().region, lattice, y, z).part) {
        const Span span = part.within(xs);
        if (span.length() == 0) continue;
        const int64_t* values = &labels.grid.at(span.begin - offset.x, y - offset.y, z - offset.z);
        for (int32_t x = span.begin; x < span.end; ++x) {
          const Vec3i place{x, y, z};
          if (!builder.is_free(place)) continue;
          if (const int64_t label = values[x - span.begin]; label != 0) visit(place, label);
        }
      }
}

void check_not_negative(const StepBuilder& builder, const Grid<int64_t>& labels) {
  for (std::size_t i = 0; i < labels.values.size(); ++i)
    if (labels.values[i] < 0) {
      const Vec3i p = Lattice{labels.size, {}, 3}.position(Site(i));
      builder.fail(
          fmt::format("has the file {} with the label {} at x = {}, y = {}, z = {}; labels must be 0 or more",
                      builder.step().image.file, labels.values[i], p.x, p.y, p.z));
    }
}

// What people would not notice: labels that are cut off, and types for labels that there are not.
void note_missing(const StepBuilder& builder, const Labels& labels,
                  const std::unordered_map<int64_t, CellId>& placed) {
  if (!builder.takes_notes()) return;
  std::unordered_set<int64_t> all;
  int64_t last = 0;
  for (const int64_t label : labels.grid.values) {
    if (label != last && label != 0) all.insert(label);
    last = label;
  }
  const InitialStep& step = builder.step();
  const auto absent =
      std::count_if(all.begin(), all.end(), [&](int64_t label) { return placed.count(label) == 0; });
  if (!placed.empty() && absent > 0)
    builder.note(fmt::format(
        "leaves out {} of the {} labels of {}: they have no free site in the region and the lattice",
        grouped(double(absent)), grouped(double(all.size())), step.image.file));
  const auto unknown = [&](const auto& entry) { return all.count(entry.first) == 0; };
  const auto first = std::find_if(step.label_types.begin(), step.label_types.end(), unknown);
  if (first == step.label_types.end()) return;
  const auto count = std::count_if(first, step.label_types.end(), unknown);
  builder.note(fmt::format("has a type for {} that {} does not hold, such as {}",
                           counted(double(count), "label"), step.image.file, first->first));
}

TypeId type_of_label(const StepBuilder& builder, int64_t label) {
  const InitialStep& step = builder.step();
  if (const auto listed = step.label_types.find(label); listed != step.label_types.end())
    return listed->second;
  if (step.types.empty())
    builder.fail(fmt::format("has the file {} with the label {}, for which {} gives no type", step.image.file,
                             label, step.label_types_file.empty() ? "the model" : step.label_types_file));
  return step.types[0].first;
}

}  // namespace

void add_labels(StepBuilder& builder) {
  const Labels labels = read_labels(builder);
  check_not_negative(builder, labels.grid);
  // Labels come in runs along x: most sites need no look-up.
  std::unordered_map<int64_t, CellId> cells;
  int64_t last_label = 0;
  for_each_label(builder, labels, [&](const Vec3i&, int64_t label) {
    if (label != last_label) cells.emplace(label, kMedium);
    last_label = label;
  });
  note_missing(builder, labels, cells);
  std::vector<int64_t> ordered;
  for (const auto& [label, cell] : cells) ordered.push_back(label);
  std::sort(ordered.begin(), ordered.end());
  for (const int64_t label : ordered) {
    const TypeId type = type_of_label(builder, label);
    if (type == 0) continue;  // listed as medium
    cells[label] = builder.next_cell();
    builder.add_cell(type);
  }
  last_label = 0;
  CellId cell = kMedium;
  for_each_label(builder, labels, [&](const Vec3i& place, int64_t label) {
    if (label != last_label) cell = cells[label];
    last_label = label;
    builder.give(place, cell);
  });
}

}  // namespace kiln
