// Seeds: balls at random places that do not overlap, one cell each.
#include <fmt/format.h>

#include <algorithm>

#include "model/initial/step.hpp"

namespace kiln {
namespace {

class SeedPlacer {
 public:
  explicit SeedPlacer(StepBuilder& builder)
      : builder_(builder),
        draws_(builder.draws(Stream::initial_seeds)),
        box_(bounding_box(builder.step().region, builder.lattice())) {
    const Lattice& lattice = builder.lattice();
    const double radius = builder.step().radius;
    const int32_t longest = std::max({lattice.size.x, lattice.size.y, lattice.size.z});
    reach_ = radius < 1 ? 0 : int32_t(std::min(radius, double(longest)));
    for (int axis = 0; axis < lattice.dimension; ++axis)
      too_large_ |= 2 * int64_t(reach_) + 1 > lattice.size[axis];
    if (!too_large_) make_ball();
  }

  // Puts down as many as wanted, if there is room; says how many.
  int64_t place(int64_t wanted) {
    if (too_large_ || box_.sites() == 0) return 0;
    int64_t placed = place_by_throwing(wanted);
    if (placed < wanted) placed += place_from_list(wanted - placed);
    return placed;
  }

 private:
  // Throws at random places of the box, until fewer than one throw in kPatience finds room: from then on
  // listing what is left is faster, and the list is short.
  int64_t place_by_throwing(int64_t wanted) {
    constexpr int kThrows = 4096, kPatience = 32;
    int64_t placed = 0;
    for (int hits = kThrows; placed < wanted && hits * kPatience >= kThrows;) {
      hits = 0;
      for (int i = 0; i < kThrows && placed < wanted; ++i) {
        Digits digits{draws_.next().ab()};
        const int32_t z = box_.z.begin + int32_t(digits.take(uint32_t(box_.z.length())));
        const int32_t y = box_.y.begin + int32_t(digits.take(uint32_t(box_.y.length())));
        const int32_t x = box_.x.begin + int32_t(digits.take(uint32_t(box_.x.length())));
        if (!try_to_place({x, y, z})) continue;
        ++hits;
        ++placed;
      }
    }
    return placed;
  }

  // All places with room, in random order. Each is tested again when its turn comes, so what is placed is
  // distributed as if throwing had gone on.
  int64_t place_from_list(int64_t wanted) {
    std::vector<Site> places;
    const Lattice& lattice = builder_.lattice();
    for (int32_t z = box_.z.begin; z < box_.z.end; ++z)
      for (int32_t y = box_.y.begin; y < box_.y.end; ++y)
        for (int32_t x = box_.x.begin; x < box_.x.end; ++x)
          if (has_room({x, y, z})) places.push_back(lattice.index({x, y, z}));
    int64_t placed = 0;
    for (std::size_t i = 0; i < places.size() && placed < wanted; ++i) {
      std::swap(places[i], places[i + std::size_t(draws_.below(places.size() - i))]);
      placed += try_to_place(lattice.position(places[i])) ? 1 : 0;
    }
    return placed;
  }

  void make_ball() {
    const Lattice& lattice = builder_.lattice();
    const double limit = builder_.step().radius * builder_.step().radius;
    const int32_t depth = lattice.dimension == 3 ? reach_ : 0;
    for (int32_t z = -depth; z <= depth; ++z)
      for (int32_t y = -reach_; y <= reach_; ++y)
        for (int32_t x = -reach_; x <= reach_; ++x)
          if (double(x) * x + double(y) * y + double(z) * z <= limit) ball_.push_back({x, y, z});
    // Where a place is taken, it most often is in the middle or at the rim: look there first.
    std::stable_sort(ball_.begin(), ball_.end(), [](const Vec3i& a, const Vec3i& b) {
      const auto rank = [](const Vec3i& v) { return v == Vec3i{} ? INT32_MAX : dot(v, v); };
      return rank(a) > rank(b);
    });
    for (const Vec3i& offset : ball_) steps_.push_back(lattice.index(offset));
  }

  bool is_off_the_edge(const Vec3i& centre) const {
    for (int axis = 0; axis < builder_.lattice().dimension; ++axis)
      if (centre[axis] < reach_ || centre[axis] + reach_ >= builder_.lattice().size[axis]) return false;
    return true;
  }

  bool is_free(const Vec3i& centre) const {
    const Lattice& lattice = builder_.lattice();
    if (const CellId* middle = builder_.sites().whole_row(centre); middle && is_off_the_edge(centre)) {
      return std::all_of(steps_.begin(), steps_.end(), [&](Site step) { return middle[step] == kMedium; });
    }
    return std::all_of(ball_.begin(), ball_.end(), [&](const Vec3i& offset) {
      Vec3i place = centre + offset;
      return lattice.wrap(place) && builder_.is_free(place);
    });
  }

  bool has_room(const Vec3i& centre) const {
    const Region& region = builder_.step().region;
    if (!is_free(centre)) return false;
    return std::all_of(ball_.begin(), ball_.end(), [&](const Vec3i& offset) {
      Vec3i place = centre + offset;
      builder_.lattice().wrap(place);
      return region.contains({double(place.x), double(place.y), double(place.z)});
    });
  }

  bool try_to_place(const Vec3i& centre) {
    if (!has_room(centre)) return false;
    for (const Vec3i& offset : ball_) {
      Vec3i place = centre + offset;
      builder_.lattice().wrap(place);
      builder_.take(place);
    }
    builder_.add_cell();
    return true;
  }

  StepBuilder& builder_;
  StepDraws draws_;
  SiteBox box_;
  int32_t reach_ = 0;  // of a ball, from its middle, in sites
  std::vector<Vec3i> ball_;
  std::vector<Site> steps_;  // the same as differences of site indices
  bool too_large_ = false;   // a ball would touch itself around the lattice, or both walls
};

int64_t wanted_seeds(const StepBuilder& builder) {
  const InitialStep& step = builder.step();
  if (step.count) return *step.count;
  if (!step.density) builder.fail("needs count or density");
  return int64_t(builder.cells_for_density() + 0.5);
}

}  // namespace

void add_seeds(StepBuilder& builder) {
  const int64_t wanted = wanted_seeds(builder);
  builder.check_cell_count(double(builder.next_cell() - 1) + double(wanted));
  const int64_t placed = SeedPlacer(builder).place(wanted);
  if (placed < wanted)
    builder.fail(fmt::format(
        "was to place {} cells of radius {}, but there is room for only {}; ask for fewer, or make "
        "the radius smaller or the region larger",
        wanted, builder.step().radius, placed));
}

}  // namespace kiln
