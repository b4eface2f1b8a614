// A stage of a substance's equation, row of voxels by row of voxels: what one thread does.
#pragma once

#include "engine/substances/equation.hpp"

namespace kiln::substances {

// Sum in an order that vectors and warps share: 32 sums of every 32nd value, then sums of halves of these.
double sum_of(const double* values, int64_t count);

// Of a row, weighted by the open parts of its voxels.
struct RowSums {
  double there = 0, taken_up = 0, crossed_walls = 0;
  double held = 0;  // what has to be added to hold concentrations
};

class RowWorker {
 public:
  RowWorker(const Equation& equation, const Sources& sources);

  // From the values `now` to the next ones, which take the place of those before `now`.
  void play(const Stage& stage, const std::vector<double>& now, std::vector<double>& before, int32_t y,
            int32_t z);
  // Of the row that was played last.
  RowSums sums();

 private:
  template <int Dim>
  void change_by_exchange(const std::vector<double>& now);
  const double* row_beside(const std::vector<double>& now, int axis, bool high);
  double face(int axis, bool high, int32_t x) const;
  void change_by_sources();
  void change_by_fluxes();
  void hold();
  double through_walls(int32_t x) const;
  double weighted_sum(const double* values);
  double sum_through_walls();
  double open_part(int32_t x) const {
    return equation_.has_obstacles() ? equation_.open.volume[first_ + std::size_t(x)] : 1.0;
  }

  const Equation& equation_;
  const Sources& sources_;
  int32_t length_;
  std::size_t first_ = 0;       // voxel of the row
  Vec3i place_{};               // of that voxel
  std::vector<double> padded_;  // the row with a voxel beyond either end
  std::vector<double> ghosts_;  // rows beyond walls
  std::vector<double> change_, taken_, supplied_, weighted_;
  double* line_;  // the first voxel in padded_
};

}  // namespace kiln::substances
