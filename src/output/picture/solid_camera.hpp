// Where the camera of a solid picture stands, and which ray belongs to a place in the picture.
#pragma once

#include "model/model.hpp"
#include "output/picture/frame.hpp"
#include "output/picture/image.hpp"

namespace kiln {

// Lattice coordinates: the centre of site (0, 0, 0) is the origin.
struct Ray {
  Vec3d origin;
  Vec3d direction;  // of length 1
};

struct Camera {
  Vec3d eye, target;
  Vec3d middle;              // of what is framed
  Vec3d right, up, forward;  // orthonormal
  double radius = 0;         // around the target, of all that can be drawn
  int width = 0, height = 0;
  // The middle and the size of a pixel of the picture on the plane at distance 1 from the eye.
  double middle_u = 0, middle_v = 0, pixel = 0;

  // x, y in pixels from the upper left corner of the picture.
  Ray ray(double x, double y) const;
  // How wide a pixel is, in sites, at the distance of the target.
  double sites_per_pixel() const { return pixel * dot(target - eye, forward); }
};

// Turn 0 looks along +y with x to the right and z up; a positive turn walks the camera counter-clockwise
// around z, a positive tilt lifts it. The camera looks at all that could ever be drawn: the lattice without
// its frozen, hidden cells. That never changes during a run, so it stands still in an animation. The frame,
// of the lattice or of the tissue, is the part of its view that is drawn.
Camera place_camera(const PictureSettings& settings, const Model& model, const State& state, Frame& frame);

}  // namespace kiln
