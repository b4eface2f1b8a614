// XDMF 3: a small XML file by which ParaView and others read lattice.h5 as a series of images over time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kiln {

struct XdmfSeries {
  struct Step {
    std::string group;
    double minutes = 0;
    bool has_act = false;
  };
  std::string file;  // the HDF5 file, relative to the XDMF file
  // (nz, ny, nx). A 2-D lattice is a slab one site thick: ParaView would lay a 2-D mesh into the y-z plane,
  // and its two readers of XDMF agree on nothing flatter. They read (ny, nx) data as (1, ny, nx).
  std::array<int32_t, 3> sites{1, 1, 1};
  double voxel_um = 1;
  std::vector<Step> steps;
  // In voxels of their own: a series of images each.
  struct Substance {
    std::string name;
    std::array<int32_t, 3> voxels;  // (nz, ny, nx)
    int32_t coarsen;                // sites along the edge of a voxel
  };
  std::vector<Substance> substances;
};

std::string xdmf_text(const XdmfSeries& series);

}  // namespace kiln
