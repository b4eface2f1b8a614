// One cell from an image: all sites on one side of a threshold.
#include <fmt/format.h>

#include "model/initial_step.hpp"

namespace kiln {

void add_image(StepBuilder& builder) {
  const Lattice& lattice = builder.lattice();
  const InitialStep& step = builder.step();
  const ImportedMask image = import_mask(builder.image(), builder.image_path().string(), step.placement,
                                         step.segmentation, builder.import_grid());
  const Mask& mask = image.mask;
  const auto inside = [&](int32_t at, int axis) { return step.mirror || at < mask.size[axis]; };
  int64_t taken = 0;
  for (int32_t z = 0; z < lattice.size.z; ++z)
    for (int32_t y = 0; y < lattice.size.y; ++y) {
      if (!inside(y, 1) || !inside(z, 2)) continue;
      const uint8_t* row = &mask.at(0, mirrored(y, mask.size.y), mirrored(z, mask.size.z));
      for (const Span& part : row_spans(step.region, lattice, y, z).part)
        for (int32_t x = part.begin; x < part.end && inside(x, 0); ++x)
          if (row[mirrored(x, mask.size.x)] != 0) taken += builder.take(lattice.index({x, y, z})) ? 1 : 0;
    }
  if (taken == 0)
    builder.fail(fmt::format(
        "finds nothing to keep in {}: {:.3g}% of the image lies {} the threshold {:g}, none of it on free "
        "sites of the region",
        step.file, 100 * image.facts.share, step.segmentation.below ? "below" : "above",
        image.facts.threshold));
  builder.add_cell();
}

}  // namespace kiln
