// All that a solid picture shows.
#pragma once

#include <memory>
#include <vector>

#include "model/model.hpp"
#include "output/picture/palette.hpp"
#include "output/picture/solid_camera.hpp"
#include "output/picture/solid_shader.hpp"
#include "output/picture/solid_tracer.hpp"
#include "output/picture/solid_volume.hpp"

namespace kiln {

class SolidScene {
 public:
  SolidScene(const PictureSettings& settings, const Model& model, const State& state, const Camera& camera,
             int threads);
  SolidScene(const SolidScene&) = delete;
  SolidScene& operator=(const SolidScene&) = delete;

  // The first thing that a ray meets; nothing is nearer than `start`.
  Shaded look_along(const Ray& ray, double start) const;

 private:
  struct Layer {
    SolidTracer tracer;
    SolidShader shader;
  };

  Palette palette_;
  std::unique_ptr<SolidVolume> volume_,
      standing_;  // all that is shown; what stays in an octant cut away, if any
  std::unique_ptr<SolidSurroundings> surroundings_;
  std::vector<Layer> layers_;
};

}  // namespace kiln
