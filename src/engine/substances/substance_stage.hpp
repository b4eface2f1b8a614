// Substances between two MCS, on a processor: sources are counted, then all of them advance.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "engine/substances/diffusion.hpp"
#include "engine/substances/sources.hpp"

namespace kiln::substances {

// What a state's obstacles leave open to a substance; empty where it has none. Of a part of a state, with the
// share.
Openness openness_for(const SubstanceData& substance, const State& state, const Lattice& sites,
                      VoxelShare& share);
Openness openness_for(const SubstanceData& substance, const State& state);

// Counts what there is of every substance of a state that is not known yet.
void count_totals(const Model& model, State& state);

// The sentence on a substance of which there is too much after an MCS (overflows(total) in stencil.hpp).
std::string overflow_text(const std::string& substance, int64_t mcs, double total);

class SubstanceStage {
 public:
  // The share has to stay.
  SubstanceStage(const Model& model, const State& state, const SiteFrame& frame, VoxelShare& share);

  // The end of MCS number `mcs`. `rates(substance)`: see SourceCounter. All members of a team call it.
  template <class Rates>
  void play(State& state, int64_t mcs, const Rates& rates, Team& team, int member) {
    for (std::size_t number = 0; number < solvers_.size(); ++number)
      if (solvers_[number].data.is_due(mcs))
        play_one(solvers_[number], state, state.substances[number], mcs, rates(number), team, member);
  }
  // What went wrong, the same for all who play; "": nothing.
  const std::string& failure() const { return failure_; }
  // What there is of substances for which that is not known yet.
  void count_totals(State& state) const;

 private:
  struct Solver {
    SubstanceData data;
    SourceCounter counter;
    Diffusion diffusion;
    Sources sources;
    std::vector<double> held_at;
    std::vector<double> added;  // by row of voxels, to hold concentrations
    // Where others count sites, too: rows of voxels with own sites; what these are to each; and the same of
    // all who have sites in own rows, by own row.
    std::vector<int64_t> counted_rows;
    std::vector<RowPiece> pieces;
    std::vector<std::vector<const RowPiece*>> by_row;
  };

  void play_one(Solver& solver, const State& state, Substance& substance, int64_t mcs,
                std::span<const double> rates, Team& team, int member);
  void count_sources(Solver& solver, const State& state, std::span<const double> rates, Team& team,
                     int member);
  void sort_pieces(Solver& solver);
  void hold_rows(Solver& solver, Substance& substance, const Rows& rows) const;

  SiteFrame frame_;
  VoxelShare& share_;
  double seconds_per_mcs_;
  std::vector<Solver> solvers_;
  std::string failure_;
};

}  // namespace kiln::substances
