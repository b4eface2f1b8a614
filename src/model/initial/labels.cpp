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

// An image of labels and the site of the lattice where its first voxel lies. It is read plane by plane, as
// often as it is asked for: all of it may be more than a process that builds a part of a tissue can hold.
struct Labels {
  std::unique_ptr<ImageSource> image;
  Vec3i size{}, offset{0, 0, 0};
};

Labels open_labels(const StepBuilder& builder) {
  const Lattice& lattice = builder.lattice();
  const InitialStep& step = builder.step();
  Labels labels{builder.open(step.image)};
  const ImageFacts facts = place_labels(*labels.image, step.image.placement, builder.import_grid());
  labels.size = facts.sites;
  labels.offset = step.offset.value_or(Vec3i{0, 0, 0});
  for (int axis = 0; step.centred && axis < lattice.dimension; ++axis)
    labels.offset[axis] = lattice.size[axis] / 2 - labels.size[axis] / 2;
  const auto text = [&](const Vec3i& s) { return size_text({s, {}, lattice.dimension}); };
  if (!step.centred && !step.offset && !(labels.size == lattice.size))
    builder.fail(fmt::format(
        "has the file {}, which covers {} sites{}; the lattice has {}, and must have the same unless offset "
        "says where the image lies",
        step.image.file, text(labels.size), voxel_hint(facts, builder.import_grid()), text(lattice.size)));
  return labels;
}

template <class Visit>
void for_each_plane(const StepBuilder& builder, const Labels& labels, const Visit& visit) {
  for_each_label_plane(*labels.image, builder.step().image.placement, builder.import_grid(), visit);
}

// Calls visit(place, label) for every site of the region that is still medium and has a label other than 0,
// in the plane `w` of the image.
template <class Visit>
void for_each_label(const StepBuilder& builder, const Labels& labels, int32_t w, const Grid<int64_t>& plane,
                    const Visit& visit) {
  const Lattice& lattice = builder.lattice();
  const Vec3i &size = labels.size, &offset = labels.offset;
  const auto covered = [&](int axis) {
    return Span{0, lattice.size[axis]}.within({offset[axis], offset[axis] + size[axis]});
  };
  const int32_t z = w + offset.z;
  if (z < 0 || z >= lattice.size.z) return;
  const Span xs = covered(0), ys = covered(1);
  for (int32_t y = ys.begin; y < ys.end; ++y)
    for (const Span& part : row_spans(builder.step().region, lattice, y, z).part) {
      const Span span = part.within(xs);
      if (span.length() == 0) continue;
      const int64_t* values = &plane.at(span.begin - offset.x, y - offset.y, 0);
      for (int32_t x = span.begin; x < span.end; ++x) {
        const Vec3i place{x, y, z};
        if (!builder.is_free(place)) continue;
        if (const int64_t label = values[x - span.begin]; label != 0) visit(place, label);
      }
    }
}

void check_not_negative(const StepBuilder& builder, int32_t w, const Grid<int64_t>& plane) {
  for (std::size_t i = 0; i < plane.values.size(); ++i)
    if (plane.values[i] < 0) {
      const Vec3i p = Lattice{plane.size, {}, 3}.position(Site(i));
      builder.fail(
          fmt::format("has the file {} with the label {} at x = {}, y = {}, z = {}; labels must be 0 or more",
                      builder.step().image.file, plane.values[i], p.x, p.y, w));
    }
}

// Labels come in runs along x: most sites need no look-up.
struct LabelsSeen {
  std::unordered_set<int64_t> all;
  std::unordered_map<int64_t, CellId> placed;  // of sites that a cell gets; the cells come later
};

LabelsSeen look_for_labels(const StepBuilder& builder, const Labels& labels) {
  LabelsSeen seen;
  for_each_plane(builder, labels, [&](int32_t w, const Grid<int64_t>& plane) {
    check_not_negative(builder, w, plane);
    int64_t last = 0;
    for (const int64_t label : plane.values) {
      if (label != last && label != 0) seen.all.insert(label);
      last = label;
    }
    last = 0;
    for_each_label(builder, labels, w, plane, [&](const Vec3i&, int64_t label) {
      if (label != last) seen.placed.emplace(label, kMedium);
      last = label;
    });
  });
  return seen;
}

// What people would not notice: labels that are cut off, and types for labels that there are not.
void note_missing(const StepBuilder& builder, const LabelsSeen& seen) {
  if (!builder.takes_notes()) return;
  const auto& [all, placed] = seen;
  const InitialStep& step = builder.step();
  const auto absent =
      std::count_if(all.begin(), all.end(), [&](int64_t label) { return seen.placed.count(label) == 0; });
  if (!placed.empty() && absent > 0)
    builder.note(fmt::format(
        "leaves out {} of the {} labels of {}: they have no free site in the region and the lattice",
        grouped(double(absent)), grouped(double(all.size())), step.image.file));
  const auto unknown = [&](const auto& entry) { return seen.all.count(entry.first) == 0; };
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
  const Labels labels = open_labels(builder);
  LabelsSeen seen = look_for_labels(builder, labels);
  note_missing(builder, seen);
  std::vector<int64_t> ordered;
  for (const auto& [label, cell] : seen.placed) ordered.push_back(label);
  std::sort(ordered.begin(), ordered.end());
  for (const int64_t label : ordered) {
    const TypeId type = type_of_label(builder, label);
    if (type == 0) continue;  // listed as medium
    seen.placed[label] = builder.next_cell();
    builder.add_cell(type);
  }
  int64_t last = 0;
  CellId cell = kMedium;
  for_each_plane(builder, labels, [&](int32_t w, const Grid<int64_t>& plane) {
    for_each_label(builder, labels, w, plane, [&](const Vec3i& place, int64_t label) {
      if (label != last) cell = seen.placed[label];
      last = label;
      builder.give(place, cell);
    });
  });
}

}  // namespace kiln
