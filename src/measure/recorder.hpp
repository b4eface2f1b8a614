// One row of measures.csv: every measure of the whole tissue at one time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "measure/contacts.hpp"
#include "measure/energy.hpp"
#include "measure/motility/motility.hpp"
#include "measure/motility/tracks.hpp"
#include "measure/statistics.hpp"
#include "model/model.hpp"

namespace kiln {

struct RecorderOptions {
  int threads = 1;
  TrackLimits tracks;
};

// Of the cells of one type.
struct TypeRow {
  int64_t cells = 0;
  Summary volume;  // sites
  double speed_um_per_min = kUndefined;
};

// What there is of a substance, and what came and went since the start, in concentration times sites.
struct SubstanceRow {
  double total = 0;
  SubstanceBudget budget;
  double unbalanced = 0;  // by how much the books do not close; NaN in a steady state, which keeps none
};

struct MeasureRow {
  int64_t mcs = 0;
  double minutes = 0;
  std::string phase;
  int64_t cells = 0;    // tracked, with volume > 0
  int64_t extinct = 0;  // tracked, with volume 0
  std::optional<int64_t> fragmented;
  Acceptance acceptance;  // since the row before
  SizeSummary size;
  Interface interface;
  Energy energy;
  Motion motion;
  std::optional<ExploredRow> explored;
  int64_t medium_sites = 0;
  std::optional<double> mixed_fraction;
  std::vector<double> mixed_within;       // in the order of measure.mixed_within_um
  std::vector<TypeRow> of_types;          // in the order of types_apart()
  std::vector<double> contact_fractions;  // in the order of contact_pairs()
  std::vector<SubstanceRow> substances;   // in the order of the model's
};

// The pairs (a, b) of types whose contact fractions a row holds: a neither medium nor frozen, b any type.
std::vector<std::pair<TypeId, TypeId>> contact_pairs(const std::vector<CellType>& types);

// The types whose sizes and speeds a row holds: those of cells that are not frozen, where there are several.
std::vector<TypeId> types_apart(const std::vector<CellType>& types);

class Recorder {
 public:
  // With `tracks` it goes on where a run was interrupted.
  explicit Recorder(const Model& model, RecorderOptions options = {}, TrackData tracks = {});

  // Takes a sample. `counts` are the engine's, as they are now. What takes the whole lattice to the host, and
  // is the dearest of the measures, is done only where `with_lattice` asks for it: cells in pieces, and
  // adhesion's energy where its neighbours are not Moore's.
  MeasureRow record(const Look& look, const AttemptCounts& counts, const Phase& phase,
                    bool with_lattice = true);

  const Tracks& tracks() const { return tracks_; }
  // What the next row's acceptance counts from.
  const AttemptCounts& last_counts() const { return last_counts_; }
  void set_last_counts(const AttemptCounts& counts) { last_counts_ = counts; }

 private:
  std::vector<CellType> types_;
  std::vector<bool> frozen_;
  std::vector<bool> steady_;  // by substance
  Units units_;
  RecorderOptions options_;
  Tracks tracks_;
  AttemptCounts last_counts_;
  std::optional<int64_t> frozen_sites_;  // which never change
};

}  // namespace kiln
