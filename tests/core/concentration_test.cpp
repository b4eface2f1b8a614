#include "core/concentration.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/substance.hpp"

namespace kiln {
namespace {

Substance substance_of(const Lattice& voxels, int32_t coarsen, std::vector<double> values) {
  Substance substance;
  substance.voxels = voxels;
  substance.coarsen = coarsen;
  substance.values = std::move(values);
  substance.show();
  return substance;
}

// A field that is linear in the place of a site, sampled at the centres of voxels, is read back exactly
// between these.
TEST(Interpolation, IsExactForLinearFields) {
  for (const int dimension : {2, 3})
    for (const int32_t coarsen : {1, 2, 3, 4, 8}) {
      const Lattice sites{{24, 48, dimension == 3 ? 24 : 1}, {false, false, false}, dimension};
      const Lattice voxels = voxels_of(sites, coarsen);
      const auto linear = [&](double x, double y, double z) {
        return 2 * x - 3 * y + (dimension == 3 ? z : 0);
      };
      std::vector<double> values;
      const double centre = (coarsen - 1) / 2.0;
      for (Site v = 0; v < voxels.sites(); ++v) {
        const Vec3i p = voxels.position(v);
        values.push_back(linear(p.x * coarsen + centre, p.y * coarsen + centre, p.z * coarsen + centre));
      }
      const Substance substance = substance_of(voxels, coarsen, values);
      const auto read = [&](const Vec3i& site) {
        return dimension == 2 ? concentration_at<2>(substance.view(), site)
                              : concentration_at<3>(substance.view(), site);
      };
      const int32_t margin = coarsen / 2;
      for (Site s = 0; s < sites.sites(); ++s) {
        const Vec3i p = sites.position(s);
        bool between = true;
        for (int axis = 0; axis < dimension; ++axis)
          between = between && p[axis] >= margin && p[axis] < sites.size[axis] - margin;
        if (!between) continue;
        ASSERT_NEAR(read(p), linear(p.x, p.y, p.z), 1e-4) << "coarsen " << coarsen;
      }
      // Before a wall the last voxel's value holds.
      EXPECT_EQ(read({0, 24, 0}), read({coarsen / 2 - (coarsen % 2 == 0), 24, 0}));
    }
}

// Around a periodic axis the first voxel lies behind the last.
TEST(Interpolation, GoesRound) {
  const Lattice sites{{16, 4, 1}, {true, false, false}, 2}, voxels = voxels_of(sites, 4);
  const Substance substance = substance_of(voxels, 4, {0, 8, 16, 24});
  const auto read = [&](int32_t x) { return concentration_at<2>(substance.view(), {x, 1, 0}); };
  EXPECT_EQ(voxels.size, (Vec3i{4, 1, 1}));
  const float expected[] = {9, 3, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 21, 15};
  for (int32_t x = 0; x < 16; ++x) EXPECT_EQ(read(x), expected[x]) << x;
}

}  // namespace
}  // namespace kiln
