// What measures ask of a lattice that lies on a device, or in several processes. It is counted there, so that
// the lattice need not be brought here. Cells go by their ids on the host; a cell is tracked where it is
// neither the medium nor frozen.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/huge_vector.hpp"
#include "core/types.hpp"

namespace kiln {

class LatticeSurvey {
 public:
  // A site of the cell 1 + number * stride.
  struct SiteOfCell {
    Site site;
    int64_t number;
  };

  virtual ~LatticeSurvey() = default;

  // Sites of frozen cells; none where it takes the lattice itself.
  virtual std::optional<int64_t> frozen_sites() { return std::nullopt; }
  // Tracked cells in more than one piece, and those that span more than half of a periodic axis; likewise
  // (measure/shape.hpp).
  virtual std::optional<int64_t> fragmented_cells() { return std::nullopt; }
  virtual std::optional<int64_t> wide_cells() { return std::nullopt; }
  // Unordered pairs of Moore neighbours that belong to different cells. A pair of sites of types a and b
  // counts once, in [a * types + b] or in [b * types + a].
  virtual std::vector<int64_t> contacts() = 0;
  // Per cell: 1 where a site of it is a Moore neighbour of a site of a cell with another key. Key 0 is none.
  virtual std::vector<uint8_t> touching(std::span<const uint8_t> keys) = 0;
  // A bit per site, 64 in a word: whether it belongs to a tracked cell. Calls take(first word, words) for
  // stretch after stretch.
  using TakeBits = std::function<void(int64_t, std::span<const uint64_t>)>;
  virtual void tracked_sites(const TakeBits& take) = 0;
  // The sites of every stride-th tracked cell, in order.
  virtual std::vector<SiteOfCell> sites_of_sample(int64_t stride) = 0;
  // The lattice from afar (core/thinning.hpp), x fastest; Act where it is asked for, and there.
  struct ThinnedSites {
    HugeVector<CellId> ids;
    HugeVector<ActValue> act;
  };
  virtual ThinnedSites thinned_sites(int32_t step, bool with_act) = 0;
  // Per number of every stride-th cell: how many other cells touch it; 0 where it is not tracked.
  virtual std::vector<int32_t> neighbours_of_sample(int64_t stride) = 0;
};

}  // namespace kiln
