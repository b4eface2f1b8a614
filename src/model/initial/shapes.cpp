// Steps that place regular shapes: boxes, a whole region, a tube.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/initial/capsule.hpp"
#include "model/initial/step.hpp"

namespace kiln {
namespace {

// Boxes along one axis: from origin + k spacing, `length` sites each. The first is the first that reaches
// into the lattice.
struct BoxAxis {
  int64_t first = 0, spacing = 1, length = 1;

  Span box(int64_t corner, int32_t size) const {
    return {int32_t(std::max<int64_t>(0, corner)), int32_t(std::min<int64_t>(size, corner + length))};
  }
};

BoxAxis box_axis(const StepBuilder& builder, int axis) {
  const InitialStep& step = builder.step();
  if (axis == 2 && builder.lattice().dimension == 2) return {};
  double origin = 0;
  if (!step.region.outside && step.region.shape == Region::Shape::box) origin = step.region.low[axis];
  if (!step.region.outside && step.region.shape == Region::Shape::ball)
    origin = step.region.centre[axis] - step.region.radius;
  BoxAxis result;
  result.spacing = std::max(1, step.spacing[axis]);
  result.length = std::max(1, step.box[axis]);
  const double bounded =
      std::clamp(origin, -0x1p40, 0x1p40);  // an integer of 64 bits whatever the model says
  result.first = int64_t(std::ceil(bounded));
  if (result.first + result.length <= 0) {
    const int64_t short_of = -(result.first + result.length);
    result.first += (short_of / result.spacing + 1) * result.spacing;
  }
  return result;
}

// The region's part of every row that a row of boxes along x covers.
struct BoxBand {
  struct Row {
    int32_t y, z;
    RowSpans spans;
  };
  std::vector<Row> rows;

  void set(const StepBuilder& builder, Span ys, Span zs) {
    rows.clear();
    for (int32_t z = zs.begin; z < zs.end; ++z)
      for (int32_t y = ys.begin; y < ys.end; ++y)
        rows.push_back({y, z, row_spans(builder.step().region, builder.lattice(), y, z)});
  }
};

}  // namespace

void add_boxes(StepBuilder& builder) {
  const Vec3i size = builder.lattice().size;
  const BoxAxis xs = box_axis(builder, 0), ys = box_axis(builder, 1), zs = box_axis(builder, 2);
  BoxBand band;
  for (int64_t z = zs.first; z < size.z; z += zs.spacing)
    for (int64_t y = ys.first; y < size.y; y += ys.spacing) {
      band.set(builder, ys.box(y, size.y), zs.box(z, size.z));
      for (int64_t x = xs.first; x < size.x; x += xs.spacing) {
        const Span box = xs.box(x, size.x);
        int64_t taken = 0;
        for (const BoxBand::Row& row : band.rows)
          for (const Span& part : row.spans.part) taken += builder.take(row.y, row.z, part.within(box));
        if (taken > 0) builder.add_cell();
      }
    }
}

void add_fill(StepBuilder& builder) {
  const Lattice& lattice = builder.lattice();
  int64_t taken = 0;
  for (int32_t z = 0; z < lattice.size.z; ++z)
    for (int32_t y = 0; y < lattice.size.y; ++y)
      for (const Span& part : row_spans(builder.step().region, lattice, y, z).part)
        taken += builder.take(y, z, part);
  if (taken > 0) builder.add_cell();
}

void add_tube(StepBuilder& builder) {
  const InitialStep& step = builder.step();
  const Lattice& lattice = builder.lattice();
  for (int axis = 0; axis < 3; ++axis) {
    const double length = lattice.size[axis];
    for (const double end : {step.from[axis], step.to[axis]})
      if (!(end >= -length && end <= 2 * length))
        builder.fail(fmt::format(
            "has an end at {} = {}; allowed is {} to {}, one length of the lattice to either side",
            "xyz"[axis], end, -length, 2 * length));
  }
  const double longest = std::max({lattice.size.x, lattice.size.y, lattice.size.z});
  if (!(step.radius >= 0 && step.radius <= longest))
    builder.fail(fmt::format("has radius = {}; allowed is 0 to {}, the longest side of the lattice",
                             step.radius, longest));
  int64_t taken = 0;
  for_each_site({step.from, step.to, step.radius}, lattice, [&](const Vec3i& place) {
    if (!step.region.contains({double(place.x), double(place.y), double(place.z)})) return;
    taken += builder.take(lattice.index(place)) ? 1 : 0;
  });
  if (taken > 0) builder.add_cell();
}

}  // namespace kiln
