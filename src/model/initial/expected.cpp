// About how many cells a model begins with, before anything is placed.
#include <algorithm>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "core/math.hpp"
#include "model/initial/box_grid.hpp"
#include "model/initial/hexagonal.hpp"
#include "model/initial/step.hpp"

namespace kiln {
namespace {

// How much of the lattice is free while steps take their share: a coarse grid of places stands for all sites.
class Room {
 public:
  explicit Room(const Lattice& lattice) : lattice_(lattice) {
    const int32_t most = lattice.dimension == 2 ? 128 : 32;
    Vec3i grid;
    for (int axis = 0; axis < 3; ++axis) grid[axis] = std::min(lattice.size[axis], most);
    const auto middle = [&](int axis, int32_t k) {
      return (k + 0.5) * lattice.size[axis] / grid[axis] - 0.5;
    };
    for (int32_t z = 0; z < grid.z; ++z)
      for (int32_t y = 0; y < grid.y; ++y)
        for (int32_t x = 0; x < grid.x; ++x)
          places_.push_back({{middle(0, x), middle(1, y), middle(2, z)}, 1.0});
  }

  // The free sites of a region.
  double free_sites(const Region& region) const {
    double free = 0;
    for (const Place& p : places_) free += region.contains(p.at) ? p.free : 0;
    return free / double(places_.size()) * double(lattice_.sites());
  }
  void take(const Region& region, double share) {
    for (Place& p : places_)
      if (region.contains(p.at)) p.free *= 1 - share;
  }

 private:
  struct Place {
    Vec3d at;
    double free;
  };
  const Lattice& lattice_;
  std::vector<Place> places_;
};

// Beyond so many pieces an even sample of them is looked at, and so many rows in all.
constexpr int64_t kMostPieces = 20'000, kMostRows = 1'000'000;

// About the number of sites of a box that lie in a region, from at most `most_rows` of its rows.
double sites_in(const Region& region, const Lattice& lattice, const SiteBox& box, int64_t most_rows) {
  const auto sampled = [](int32_t length, int64_t most) {
    return std::min<int64_t>(length, std::max<int64_t>(1, most));
  };
  int64_t layers = box.z.length(), rows = sampled(box.y.length(), most_rows / std::max<int64_t>(1, layers));
  if (rows < box.y.length()) {
    layers = sampled(box.z.length(), int64_t(sqrt_of(double(most_rows))));
    rows = sampled(box.y.length(), most_rows / std::max<int64_t>(1, layers));
  }
  int64_t sites = 0;
  for (int64_t k = 0; k < layers; ++k)
    for (int64_t j = 0; j < rows; ++j) {
      const int32_t z = box.z.begin + int32_t((2 * k + 1) * box.z.length() / (2 * layers));
      const int32_t y = box.y.begin + int32_t((2 * j + 1) * box.y.length() / (2 * rows));
      for (const Span& part : row_spans(region, lattice, y, z).part) sites += part.within(box.x).length();
    }
  if (layers == 0 || rows == 0) return 0;
  return double(sites) * (double(box.z.length()) / double(layers)) * (double(box.y.length()) / double(rows));
}

// A share of the numbers below `count`, spread evenly whatever the period of what they stand for: multiples
// of a step near the golden section that has no divisor in common with the count.
template <class Visit>
double counted_of(int64_t count, const Visit& is_there) {
  if (count <= 0) return 0;
  int64_t step = std::max<int64_t>(1, int64_t(0.6180339887 * double(count)));
  while (std::gcd(step, count) != 1) ++step;
  const int64_t looked_at = std::min(count, kMostPieces);
  int64_t found = 0;
  for (int64_t k = 0; k < looked_at; ++k)
    found += is_there(int64_t(static_cast<__int128>(k) * step % count)) ? 1 : 0;
  return double(found) * double(count) / double(looked_at);
}

// Follows the steps and what each leaves to the next.
class Estimate {
 public:
  explicit Estimate(const Model& model) : model_(model), lattice_(model.lattice), room_(model.lattice) {}

  double cells_of(const InitialStep& step) {
    const double cells = placed(step);
    const double share = share_taken(step);
    if (share > 0) room_.take(step.region, share);
    if (share == 1 && !step.mask) taken_.push_back(step.region);
    return cells;
  }

 private:
  double placed(const InitialStep& step) const {
    const double target = mean_target(step);
    switch (step.kind) {
      case InitialStep::Kind::boxes:
        return boxes(step);
      case InitialStep::Kind::hexagonal:
        return hexagons(step);
      case InitialStep::Kind::voronoi:
        if (!step.count && !step.density) return std::max(1.0, room_.free_sites(step.region) / step.volume);
        [[fallthrough]];
      case InitialStep::Kind::seeds:
        return step.count ? double(*step.count)
                          : *step.density * room_.free_sites(step.region) / std::max(1.0, target);
      case InitialStep::Kind::labels:
        return labels(step).value_or(target > 0 ? room_.free_sites(step.region) / target : 0);
      case InitialStep::Kind::fill:
      case InitialStep::Kind::network:
      case InitialStep::Kind::tube:
      case InitialStep::Kind::image:
        return holds_any_site(step.region, lattice_) ? 1 : 0;
    }
    return 0;
  }

  // Of the region; how much an image takes only the image knows.
  double share_taken(const InitialStep& step) const {
    double share = 1;
    switch (step.kind) {
      case InitialStep::Kind::boxes:
        for (int axis = 0; axis < lattice_.dimension; ++axis)
          share *= double(step.box[axis]) / step.spacing[axis];
        return share;
      case InitialStep::Kind::hexagonal:
      case InitialStep::Kind::voronoi:
      case InitialStep::Kind::fill:
        return 1;
      case InitialStep::Kind::network:
        return std::min(step.fraction, 0.999);
      default:
        return 0;
    }
  }

  double mean_target(const InitialStep& step) const {
    double sum = 0, weights = 0;
    for (const auto& [type, weight] : step.types) {
      sum += weight * double(model_.phases.front().physics.declared_volume(type));
      weights += weight;
    }
    return weights > 0 ? sum / weights : 0;
  }

  // Of an image that is read in a moment.
  std::optional<double> labels(const InitialStep& step) const {
    constexpr int64_t kMostVoxels = int64_t(1) << 22;
    try {
      const ImportGrid grid = import_grid(model_);
      const std::unique_ptr<ImageSource> image = open_image_of(model_, step.image);
      const auto& zyx = image->header().zyx;
      if (double(zyx[0]) * double(zyx[1]) * double(zyx[2]) > double(kMostVoxels)) return std::nullopt;
      std::vector<int64_t> found = import_labels(*image, step.image.placement, grid).labels.values;
      std::sort(found.begin(), found.end());
      found.erase(std::unique(found.begin(), found.end()), found.end());
      return double(std::count_if(found.begin(), found.end(), [&step](int64_t label) {
        const auto listed = step.label_types.find(label);
        return label != 0 && (listed == step.label_types.end() || listed->second != 0);
      }));
    } catch (const UserError&) {  // is said when the state is made
      return std::nullopt;
    }
  }

  // The step's region without what earlier ones fill.
  Region open_region(const InitialStep& step) const {
    if (taken_.empty()) return step.region;
    Region open;
    open.shape = Region::Shape::difference;
    open.of = {step.region};
    open.of.insert(open.of.end(), taken_.begin(), taken_.end());
    return open;
  }

  static int64_t rows_for(int64_t pieces) { return kMostRows / std::clamp<int64_t>(pieces, 1, kMostPieces); }

  // Whether a piece that covers this box becomes a cell.
  static bool becomes_cell(const InitialStep& step, double sites, double full) {
    return sites > 0 && (step.slivers == InitialStep::Slivers::keep || sites >= step.smallest_share * full);
  }

  double boxes(const InitialStep& step) const {
    const BoxGrid grid(step, lattice_);
    const Region open = open_region(step);
    int64_t count[3];
    for (int axis = 0; axis < 3; ++axis) count[axis] = grid.axis[axis].count(lattice_.size[axis]);
    if (double(count[0]) * double(count[1]) * double(count[2]) > 0x1p62) return 0x1p62;
    const int64_t all = count[0] * count[1] * count[2], most_rows = rows_for(all);
    return counted_of(all, [&](int64_t number) {
      const int64_t at[3] = {number % count[0], number / count[0] % count[1], number / count[0] / count[1]};
      const auto side = [&](int axis) {
        const BoxGrid::Axis& a = grid.axis[axis];
        return a.box(a.first + at[axis] * a.spacing, lattice_.size[axis]);
      };
      return becomes_cell(step, sites_in(open, lattice_, {side(0), side(1), side(2)}, most_rows),
                          grid.box_sites());
    });
  }

  // Boxes of the same size stand for the hexagons.
  double hexagons(const InitialStep& step) const {
    const HexagonalPacking packing(step, lattice_);
    if (packing.count() == 0) return 0;
    if (packing.count() > 0x1p40) return packing.count();
    const Region open = open_region(step);
    const int64_t all = int64_t(packing.count()), most_rows = rows_for(all);
    return counted_of(all, [&](int64_t number) {
      return becomes_cell(step, sites_in(open, lattice_, packing.box_of(number), most_rows),
                          packing.full_sites());
    });
  }

  const Model& model_;
  const Lattice& lattice_;
  Room room_;
  std::vector<Region> taken_;  // wholly, by earlier steps
};

}  // namespace

double expected_cells(const Model& model, Frozen frozen) {
  Estimate estimate(model);
  double cells = 0;
  for (const InitialStep& step : model.initial) {
    double weights = 0, counted = 0;
    for (const auto& [type, weight] : step.types) {
      weights += weight;
      if (frozen == Frozen::counted || !model.types[type].frozen) counted += weight;
    }
    cells += estimate.cells_of(step) * (weights > 0 ? counted / weights : 1);
  }
  return cells;
}

}  // namespace kiln
