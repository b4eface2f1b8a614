// OME-XML: what the first page of an OME-TIFF file says about all of them.
// https://docs.openmicroscopy.org/ome-model/latest/ome-tiff/specification.html
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace kiln {

// A run of pages (<TiffData>), from the page `page` on; the first one holds this slice, channel and time.
struct OmeRun {
  int64_t page = 0;
  std::optional<int64_t> count;  // all there are, where it is not given
  int64_t slice = 0, channel = 0, time = 0;
  bool elsewhere = false;  // in another file
};

struct OmePixels {
  int64_t width = 0, height = 0, slices = 1, channels = 1, times = 1;
  std::string order;  // of the axes, the fastest first: "XYZCT"
  Vec3d voxel_um{0, 0, 0};
  std::vector<OmeRun> runs;
};

// The first image of OME-XML; nothing where the text is something else. Throws UserError, naming the file,
// where it is OME-XML but makes no sense.
std::optional<OmePixels> parse_ome(const std::string& text, const std::string& file);

// The pages of one channel and time, by slice. `channel` counts pages: those of RGB hold three channels at
// once, which is why the numbers of channels per page are given, too.
struct OmeChoice {
  int64_t channel = 0, time = 0, samples = 1;
};
std::vector<std::size_t> ome_pages(const OmePixels& pixels, const OmeChoice& choice, std::size_t pages,
                                   const std::string& file);

}  // namespace kiln
