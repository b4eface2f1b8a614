// A substance that diffuses, decays, is secreted and taken up, on threads.
#pragma once

#include "engine/host/team.hpp"
#include "engine/substances/budget.hpp"

namespace kiln::substances {

// The same bits for any number of threads.
class Diffusion {
 public:
  // `edge` of a voxel in um.
  Diffusion(const Lattice& voxels, double edge, const Properties& properties, Openness openness = {})
      : equation_(voxels, edge, properties, std::move(openness)) {}

  const Equation& equation() const { return equation_; }
  // From now on it plays some rows alone. The share has to stay.
  void share_with(VoxelShare& share) { share_ = &share; }

  // What came and went is added to `budget`, where there is one. All members of a team call it.
  void advance(std::vector<double>& concentration, const Sources& sources, double seconds, Team& team,
               int member, Budget* budget = nullptr);
  // To the steady state, up to `error` of the distance to it; there has to be one (Equation::slowest).
  void settle(std::vector<double>& concentration, const Sources& sources, double error, Team& team,
              int member);

  // By a team that has nothing else to do. The second one throws UserError where there may be no steady
  // state: nothing decays, and nothing leaves through a wall.
  void advance(std::vector<double>& concentration, const Sources& sources, double seconds, Team& team,
               Budget* budget = nullptr);
  void settle(std::vector<double>& concentration, const Sources& sources, double error, Team& team);

  // Concentration times voxels, summed in a fixed order.
  double total(const std::vector<double>& concentration) const { return total_of(equation_, concentration); }

 private:
  void play(std::vector<double>& concentration, const Sources& sources, Team& team, int member,
            Budget* budget);
  void play_rows(const Stage& stage, RowWorker& worker, const Team& team, int member);
  double total_of_shares(const std::vector<double>& values);

  Equation equation_;
  VoxelShare* share_ = nullptr;  // nullptr: all is played here
  // Of the play that goes on.
  Stages stages_;
  std::vector<double> older_;
  std::vector<double>*now_ = nullptr, *other_ = nullptr;
  std::vector<RowSums> sums_;  // empty: not asked for
  double secretion_ = 0;
  Ledger ledger_;
};

}  // namespace kiln::substances
