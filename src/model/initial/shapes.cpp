// Steps that place regular shapes: boxes, a whole region, a tube.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/initial/box_grid.hpp"
#include "model/initial/capsule.hpp"
#include "model/initial/pieces.hpp"
#include "model/initial/step.hpp"

namespace kiln {
namespace {

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
  const BoxGrid grid(builder.step(), builder.lattice());
  const BoxGrid::Axis &xs = grid.axis[0], &ys = grid.axis[1], &zs = grid.axis[2];
  const CellId first = builder.next_cell();
  std::vector<int64_t> sites;  // of each box
  BoxBand band;
  for (int64_t z = zs.first; z < size.z; z += zs.spacing)
    for (int64_t y = ys.first; y < size.y; y += ys.spacing) {
      band.set(builder, ys.box(y, size.y), zs.box(z, size.z));
      for (int64_t x = xs.first; x < size.x; x += xs.spacing) {
        const Span box = xs.box(x, size.x);
        int64_t taken = 0;
        for (const BoxBand::Row& row : band.rows)
          for (const Span& part : row.spans.part)
            taken += builder.take(row.y, row.z, part.within(box), first + CellId(sites.size()));
        if (taken == 0) continue;
        sites.push_back(taken);
        builder.check_cell_count(double(first) + double(sites.size()));
      }
    }
  make_cells(builder, std::move(sites), grid.box_sites());
}

void add_fill(StepBuilder& builder) {
  const Lattice& lattice = builder.lattice();
  int64_t taken = 0;
  for (int32_t z = 0; z < lattice.size.z; ++z)
    for (int32_t y = 0; y < lattice.size.y; ++y)
      for (const Span& part : row_spans(builder.step().region, lattice, y, z).part)
        taken += builder.take(y, z, part, builder.next_cell());
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
    taken += builder.take(place) ? 1 : 0;
  });
  if (taken > 0) builder.add_cell();
}

}  // namespace kiln
