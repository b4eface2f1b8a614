// Cells from an image of labels.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/wording.hpp"
#include "model/initial/step.hpp"

namespace kiln {
namespace {

using Labels = Grid<int64_t>;

Labels read_labels(const StepBuilder& builder) {
  const Lattice& lattice = builder.lattice();
  const InitialStep& step = builder.step();
  Labels labels =
      import_labels(*builder.open(step.image), step.image.placement, builder.import_grid()).labels;
  const auto text = [&](const Vec3i& size) { return size_text({size, {}, lattice.dimension}); };
  if (!(labels.size == lattice.size))
    builder.fail(
        fmt::format("has the file {}, which covers {} sites; the lattice has {}, and must have the same",
                    step.image.file, text(labels.size), text(lattice.size)));
  return labels;
}

// Calls visit(site, label) for every site of the region that is still medium and has a label other than 0.
template <class Visit>
void for_each_label(StepBuilder& builder, const Labels& labels, Visit&& visit) {
  const Lattice& lattice = builder.lattice();
  for (int32_t z = 0; z < lattice.size.z; ++z)
    for (int32_t y = 0; y < lattice.size.y; ++y)
      for (const Span& part : row_spans(builder.step().region, lattice, y, z).part)
        for (int32_t x = part.begin; x < part.end; ++x) {
          const Site site = lattice.index({x, y, z});
          if (builder.at(site) != kMedium) continue;
          if (const int64_t label = labels.values[std::size_t(site)]; label != 0) visit(site, label);
        }
}

void check_not_negative(const StepBuilder& builder, const Labels& labels) {
  for (std::size_t i = 0; i < labels.values.size(); ++i)
    if (labels.values[i] < 0) {
      const Vec3i p = builder.lattice().position(Site(i));
      builder.fail(
          fmt::format("has the file {} with the label {} at x = {}, y = {}, z = {}; labels must be 0 or more",
                      builder.step().image.file, labels.values[i], p.x, p.y, p.z));
    }
}

TypeId type_of_label(const StepBuilder& builder, int64_t label) {
  const InitialStep& step = builder.step();
  if (const auto listed = step.label_types.find(label); listed != step.label_types.end())
    return listed->second;
  if (step.types.empty())
    builder.fail(fmt::format("has the file {} with the label {}, for which the model gives no type",
                             step.image.file, label));
  return step.types[0].first;
}

}  // namespace

void add_labels(StepBuilder& builder) {
  const Labels labels = read_labels(builder);
  check_not_negative(builder, labels);
  // Labels come in runs along x: most sites need no look-up.
  std::unordered_map<int64_t, CellId> cells;
  int64_t last_label = 0;
  for_each_label(builder, labels, [&](Site, int64_t label) {
    if (label != last_label) cells.emplace(label, kMedium);
    last_label = label;
  });
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
  for_each_label(builder, labels, [&](Site site, int64_t label) {
    if (label != last_label) cell = cells[label];
    last_label = label;
    builder.at(site) = cell;
  });
}

}  // namespace kiln
