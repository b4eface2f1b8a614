// Packings in which each cell has the sites nearest to a point: hexagonal rows, and Voronoi cells of random
// seeds.
#include <fmt/format.h>

#include <algorithm>

#include "base/wording.hpp"
#include "model/initial/hexagonal.hpp"
#include "model/initial/nearest.hpp"
#include "model/initial/pieces.hpp"

namespace kiln {
namespace {

// Distinct free sites of the region, drawn one after the other, in raster order.
class SiteDraw {
 public:
  explicit SiteDraw(StepBuilder& builder)
      : builder_(builder),
        draws_(builder.draws(Stream::initial_voronoi)),
        box_(bounding_box(builder.step().region, builder.lattice())) {}

  std::vector<Site> draw(int64_t wanted) {
    const CellId mark = builder_.next_cell();  // of drawn sites, for the moment
    draw_by_throwing(wanted, mark);
    if (int64_t(drawn_.size()) < wanted) draw_from_list(wanted, mark);
    for (const Site site : drawn_) builder_.give(builder_.lattice().position(site), kMedium);
    std::sort(drawn_.begin(), drawn_.end());
    return std::move(drawn_);
  }

 private:
  bool is_free(const Vec3i& place) const {
    return builder_.is_free(place) &&
           builder_.step().region.contains({double(place.x), double(place.y), double(place.z)});
  }

  void take(const Vec3i& place, CellId mark) {
    builder_.give(place, mark);
    drawn_.push_back(builder_.lattice().index(place));
  }

  // Until fewer than one throw in kPatience hits: from then on a list of what is left is faster.
  void draw_by_throwing(int64_t wanted, CellId mark) {
    constexpr int kThrows = 4096, kPatience = 32;
    for (int hits = kThrows; int64_t(drawn_.size()) < wanted && hits * kPatience >= kThrows;) {
      hits = 0;
      for (int i = 0; i < kThrows && int64_t(drawn_.size()) < wanted; ++i) {
        Digits digits{draws_.next().ab()};
        const int32_t z = box_.z.begin + int32_t(digits.take(uint32_t(box_.z.length())));
        const int32_t y = box_.y.begin + int32_t(digits.take(uint32_t(box_.y.length())));
        const int32_t x = box_.x.begin + int32_t(digits.take(uint32_t(box_.x.length())));
        if (!is_free({x, y, z})) continue;
        ++hits;
        take({x, y, z}, mark);
      }
    }
  }

  void draw_from_list(int64_t wanted, CellId mark) {
    std::vector<Site> places;
    for (int32_t z = box_.z.begin; z < box_.z.end; ++z)
      for (int32_t y = box_.y.begin; y < box_.y.end; ++y)
        for (int32_t x = box_.x.begin; x < box_.x.end; ++x)
          if (is_free({x, y, z})) places.push_back(builder_.lattice().index({x, y, z}));
    for (std::size_t i = 0; i < places.size() && int64_t(drawn_.size()) < wanted; ++i) {
      std::swap(places[i], places[i + std::size_t(draws_.below(places.size() - i))]);
      take(builder_.lattice().position(places[i]), mark);
    }
  }

  StepBuilder& builder_;
  StepDraws draws_;
  SiteBox box_;
  std::vector<Site> drawn_;
};

int64_t wanted_cells(const StepBuilder& builder, int64_t free) {
  const InitialStep& step = builder.step();
  if (step.count) return *step.count;
  const double cells = step.density ? builder.cells_for_density() : double(free) / step.volume;
  return std::clamp<int64_t>(int64_t(std::min(cells, double(free)) + 0.5), free > 0 ? 1 : 0, free);
}

void make_nearest_cells(StepBuilder& builder, NearestPoints& points, double full) {
  builder.check_cell_count(double(builder.next_cell()) + double(points.size()));
  make_cells(builder, points.assign(builder.next_cell()), full);
}

}  // namespace

void add_hexagonal(StepBuilder& builder) {
  const HexagonalPacking packing(builder.step(), builder.lattice());
  builder.check_cell_count(double(builder.next_cell()) + packing.count());
  if (packing.count() == 0) return;
  NearestPoints points(builder, packing.points());
  make_nearest_cells(builder, points, packing.full_sites());
}

void add_voronoi(StepBuilder& builder) {
  const int64_t free = builder.free_region_sites(), wanted = wanted_cells(builder, free);
  builder.check_cell_count(double(builder.next_cell() - 1) + double(wanted));
  if (wanted > free)
    builder.fail(fmt::format("was to place {} cells, but its region has only {}; ask for fewer", wanted,
                             counted(double(free), "free site")));
  if (wanted == 0) return;
  std::vector<FinePoint> seeds;
  for (const Site site : SiteDraw(builder).draw(wanted))
    seeds.push_back(fine_point(builder.lattice().position(site), builder.lattice().dimension));
  NearestPoints points(builder, std::move(seeds));
  for (int i = 0; i < builder.step().relax; ++i) points.relax();
  make_nearest_cells(builder, points, double(free) / double(wanted));
}

}  // namespace kiln
