// The table of cells: a column per kind of thing that is known of every cell. What engines keep up to date
// copy by copy are integers that always equal a recount. columns.hpp describes all columns; whatever handles
// them all (copy, hash, audit, checkpoint, packing for a device) folds over that description.
#pragma once

#include <vector>

#include "core/centroid.hpp"
#include "core/lattice.hpp"
#include "core/moments.hpp"
#include "core/own_lambdas.hpp"
#include "core/types.hpp"

namespace kiln {

// Index 0 is the medium: it has a type (0) and nothing else is tracked. Neither is it for frozen cells.
struct Cells {
  struct Extent {
    int32_t volume = 0;
    int32_t perimeter = 0;  // (site of the cell, neighbour not of the cell) pairs
    bool operator==(const Extent&) const = default;
  };
  // The centroid is anchor + sum / volume. The anchor is a place near the cell, unwrapped: it counts the
  // boxes that the cell has crossed. `sum` adds, over the sites, the wrapped difference site - anchor.
  struct Centroid {
    Vec3i anchor;
    Vec3<int64_t> sum;
    bool operator==(const Centroid&) const = default;
  };
  // In place of the type's, where a model says so.
  struct Targets {
    float volume = 0;
    float perimeter = 0;
    bool operator==(const Targets&) const = default;
  };
  // Where cells come and go, or follow rules. Ids are never used again: a cell that has ended keeps its row.
  enum class End : int32_t { none, divided, died, vanished };  // vanished: lost its last site by copies
  struct Life {
    int64_t parent = 0;  // id; 0: it was there from the start
    int64_t born = 0;    // MCS
    int64_t ended = -1;  // MCS
    double target = 0;   // volume, of which Targets::volume is a rounded copy: growth adds little at a time
    int32_t generation = 0;
    End end = End::none;
    float shrinks = 0;    // by so much its target falls in an MCS, until there is nothing left of it: it dies
    int32_t gone_at = 0;  // sites
    bool operator==(const Life&) const = default;
  };

  std::vector<TypeId> type;
  std::vector<Extent> extent;
  std::vector<Centroid> centroid;
  // Optional columns are empty where a model does not ask for them.
  std::vector<Moments> moments;  // where a term reads second moments
  std::vector<Targets> targets;
  std::vector<OwnLambdas> own_lambdas;  // where rules set them
  std::vector<Vec3f> direction;         // p of persistence
  std::vector<Life> life;
  std::vector<double> property;  // `property_count` per cell
  int property_count = 0;
  // `history_length` past centroids per cell: that of MCS m lies in slot m modulo the lag of the cell's type.
  std::vector<Vec3d> history;
  int history_length = 0;

  CellId count() const { return CellId(type.size()); }  // with the medium

  // A cell with nothing known of it yet: all columns that are there grow by a row.
  CellId add(TypeId type_of_cell);

  // What has ended has no sites, but where it became something else; that may be frozen, so that it is not
  // tracked. (`frozen`, by type, may be empty.)
  bool is_gone(CellId cell, const std::vector<bool>& frozen) const {
    if (life.empty() || life[cell].end == End::none) return false;
    if (life[cell].end != End::died) return true;
    return extent[cell].volume == 0 && !(type[cell] < frozen.size() && frozen[type[cell]]);
  }

  // In lattice units, unwrapped; a site's place is its integer coordinate. Anchors count from `origin`.
  Vec3d position(CellId cell, const Vec3i& origin = {}) const {
    return centroid_of(centroid[cell].anchor + origin, centroid[cell].sum, extent[cell].volume);
  }
};

}  // namespace kiln
