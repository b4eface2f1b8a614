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

  // What came and went is added to `budget`, where there is one.
  void advance(std::vector<double>& concentration, const Sources& sources, double seconds, Team& team,
               Budget* budget = nullptr);
  // To the steady state, up to `error` of the distance to it. Throws UserError where there may be none:
  // nothing decays, and nothing leaves through a wall.
  void settle(std::vector<double>& concentration, const Sources& sources, double error, Team& team);

  // Concentration times voxels, summed in a fixed order.
  double total(const std::vector<double>& concentration) const { return total_of(equation_, concentration); }

 private:
  void play(const Stages& stages, std::vector<double>& concentration, const Sources& sources, Team& team,
            Budget* budget);

  Equation equation_;
  std::vector<double> older_;
};

}  // namespace kiln::substances
