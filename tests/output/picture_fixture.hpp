// Small models and states, made by hand, to be drawn.
#pragma once

#include <unistd.h>
#include <filesystem>
#include <string>

#include "model/model.hpp"
#include "output/picture/image.hpp"

namespace kiln {

inline constexpr Colour kWhite{255, 255, 255};
inline constexpr Colour kBlue{60, 90, 220};
inline constexpr Colour kOrange{240, 150, 30};
inline constexpr Colour kGreen{30, 150, 60};

// Types: 0 medium (white), 1 blue, 2 orange, 3 green and frozen, 4 frozen and hidden.
struct Scene {
  Model model;
  State state;

  Scene(int dimension, const Vec3i& size) {
    model.lattice.dimension = dimension;
    model.lattice.size = size;
    model.types = {{"medium", kWhite, false, false},
                   {"blue", kBlue, false, false},
                   {"orange", kOrange, false, false},
                   {"green", kGreen, true, false},
                   {"outside", {200, 200, 200}, true, true}};
    model.phases.resize(1);
    model.phases[0].physics.types.resize(model.types.size());
    state.lattice = model.lattice;
    state.ids = HugeVector<CellId>(std::size_t(state.lattice.sites()));
    state.cells.add(0);
  }

  CellId add(TypeId type) { return state.cells.add(type); }

  template <class Inside>
  void fill(CellId cell, const Inside& inside) {
    for (Site site = 0; site < state.lattice.sites(); ++site) {
      const Vec3i p = state.lattice.position(site);
      if (!inside(Vec3d{double(p.x), double(p.y), double(p.z)})) continue;
      state.ids[std::size_t(site)] = cell;
      ++state.cells.extent[cell].volume;
    }
  }
  void fill_ball(CellId cell, const Vec3d& centre, double radius) {
    fill(cell, [&](const Vec3d& p) { return dot(p - centre, p - centre) <= radius * radius; });
  }
};

// A file that is gone when the test is over.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name)
      : path(std::filesystem::temp_directory_path() / ("kiln_" + std::to_string(::getpid()) + "_" + name)) {}
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  const std::filesystem::path path;
};

}  // namespace kiln
