// Images of intensities: one cell of all sites on one side of a threshold, or a mask for any other step.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "model/initial/step.hpp"

namespace kiln {
namespace {

// Which sites of the lattice an image keeps, its mirror images among them.
class KeptSites {
 public:
  KeptSites(const StepBuilder& builder, const ImageMask& image)
      : imported_(
            import_mask(*builder.open(image), image.placement, image.segmentation, builder.import_grid())) {
    for (int axis = 0; axis < 3; ++axis)
      for (int32_t at = 0; at < builder.lattice().size[axis]; ++at) {
        const int32_t length = imported_.mask.size()[axis];
        place_[axis].push_back(image.mirror || at < length ? mirrored(at, length) : kBeyond);
      }
  }

  // Calls visit(place, whether it is kept) for the sites of `span` in a row.
  template <class Visit>
  void visit_row(int32_t y, int32_t z, Span span, const Visit& visit) const {
    const int32_t v = place_[1][std::size_t(y)], w = place_[2][std::size_t(z)];
    const bool inside = v != kBeyond && w != kBeyond;
    for (int32_t x = span.begin; x < span.end; ++x) {
      const int32_t u = place_[0][std::size_t(x)];
      visit(Vec3i{x, y, z}, inside && u != kBeyond && imported_.mask[{u, v, w}]);
    }
  }

  std::string in_words(const ImageMask& image) const {
    return fmt::format("{:.3g}% of the image lies {} the threshold {:g}", 100 * imported_.facts.share,
                       image.segmentation.below ? "below" : "above", imported_.facts.threshold);
  }

 private:
  static constexpr int32_t kBeyond = -1;
  ImportedMask imported_;
  std::vector<int32_t> place_[3];  // in the image, of the lattice's places along an axis
};

// Calls visit(y, z) for every row and adds up what it returns.
template <class Visit>
int64_t sum_over_rows(const Lattice& lattice, const Visit& visit) {
  std::atomic<int64_t> sum{0};
  in_parallel(int64_t(lattice.size.y) * lattice.size.z, all_threads(), [&](int, int64_t begin, int64_t end) {
    int64_t part = 0;
    for (int64_t i = begin; i < end; ++i)
      part += visit(int32_t(i % lattice.size.y), int32_t(i / lattice.size.y));
    sum += part;
  });
  return sum;
}

}  // namespace

void add_image(StepBuilder& builder) {
  const Lattice& lattice = builder.lattice();
  const InitialStep& step = builder.step();
  const KeptSites kept(builder, step.image);
  const CellId cell = builder.next_cell();
  const int64_t taken = sum_over_rows(lattice, [&](int32_t y, int32_t z) {
    int64_t sites = 0;
    for (const Span& part : row_spans(step.region, lattice, y, z).part)
      kept.visit_row(y, z, part, [&](const Vec3i& place, bool is_kept) {
        if (!is_kept || !builder.is_free(place)) return;
        builder.give(place, cell);
        ++sites;
      });
    return sites;
  });
  if (taken == 0)
    builder.fail(fmt::format("finds nothing to keep in {}: {}, none of it on free sites of the region",
                             step.image.name(), kept.in_words(step.image)));
  builder.add_cell();
}

// What lies outside looks taken: no step takes anything but medium.
void StepBuilder::hide_outside_mask() {
  if (!step_.mask) return;
  const KeptSites kept(*this, *step_.mask);
  const Vec3i& size = lattice().size;
  hidden_ = SiteBits(lattice().size);
  const int64_t open = sum_over_rows(lattice(), [&](int32_t y, int32_t z) {
    int64_t sites = 0;
    kept.visit_row(y, z, {0, size.x}, [&](const Vec3i& place, bool is_kept) {
      if (!is_free(place)) return;
      if (is_kept) {
        ++sites;
        return;
      }
      give(place, kNowhere);
      hidden_.set(place, true);
    });
    return sites;
  });
  if (open == 0)
    fail(fmt::format("has the mask {}, which leaves no free site: {}", step_.mask->name(),
                     kept.in_words(*step_.mask)));
}

void StepBuilder::show_outside_mask() {
  if (!step_.mask) return;
  sum_over_rows(lattice(), [&](int32_t y, int32_t z) {
    for (int32_t x = 0; x < lattice().size.x; ++x)
      if (const Vec3i place{x, y, z}; is_hidden(place)) give(place, kMedium);
    return 0;
  });
  hidden_ = {};
}

}  // namespace kiln
