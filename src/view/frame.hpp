// A tissue at one moment as a browser gets it: a table of cells and the lattice, packed.
//
//   "KILN", uint32 length of the header, the header as JSON (padded to 4 bytes), blocks.
//
// The header lists the blocks: name, kind (u8, u16, f32: a column by cell id; rows: the lattice) and where
// they lie. Numbers are little-endian. The lattice's rows are tokens, for each of `chunks` stretches of rows
// on its own; a token is a varint n: an even one means n/2 sites as in the row before (in the first of a
// chunk: 0), an odd one (n-1)/2 sites of the value that the next varint tells.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "measure/look.hpp"
#include "model/model.hpp"
#include "view/frame_content.hpp"

namespace kiln::view {

// A lattice with more sites is shown by every 2nd, 4th, 8th, ... site along each axis.
inline constexpr kiln::Site kMostSites3d = kiln::Site(256) * 256 * 256,
                            kMostSites2d = kiln::Site(2048) * 2048;
inline constexpr int kLongestAxis = 2048;

int reduction_of(const Lattice& lattice);

// What colours can show beside cells: Act and substances, by name.
std::vector<std::string> site_fields(const Model& model);

// More cells than these have few numbers in a frame, types and volumes, unless more are asked for.
inline constexpr CellId kManyCells = 200'000;

// Takes what a frame shows; what is returned packs it. That may be on another thread and while the engine
// advances where the lattice is surveyed elsewhere (Look::survey), and else before the state changes.
// `positions`: whether centroids are known (snapshots lack them).
std::function<std::string()> take_frame(const Look& look, const Model& model, const FrameContent& content,
                                        bool positions);

}  // namespace kiln::view
