#include "engine/substances/budget.hpp"

namespace kiln::substances {
namespace {

constexpr double Budget::*kAccounts[] = {&Budget::secreted, &Budget::taken_up, &Budget::decayed,
                                         &Budget::crossed_walls, &Budget::held};

double sum_of(const Lattice& voxels, const std::vector<RowSums>& rows, double RowSums::*what) {
  std::vector<double> values;
  for (const RowSums& row : rows) values.push_back(row.*what);
  return sum_of_rows(voxels, values);
}

}  // namespace

double sum_of_rows(const Lattice& voxels, const std::vector<double>& rows) {
  std::vector<double> planes;
  for (int32_t z = 0; z < voxels.size.z; ++z)
    planes.push_back(sum_of(rows.data() + std::size_t(z) * std::size_t(voxels.size.y), voxels.size.y));
  return sum_of(planes.data(), voxels.size.z);
}

void Ledger::next(const Stage& stage, const Budget& per_second) {
  for (double Budget::*account : kAccounts) {
    const double value = stage.next(now_.*account, per_second.*account, before_.*account);
    before_.*account = now_.*account;
    now_.*account = value;
  }
}

void Ledger::end_step(Budget& budget) {
  for (double Budget::*account : kAccounts) budget.*account += now_.*account;
  now_ = before_ = {};
}

std::vector<double> sums_by_row(const Equation& equation, const std::vector<double>& values, Rows rows) {
  const Lattice& voxels = equation.voxels;
  const auto length = std::size_t(voxels.size.x);
  std::vector<double> sums(std::size_t(all_rows(voxels).end)), line(length);
  for (auto row = std::size_t(rows.first); row < std::size_t(rows.end); ++row) {
    for (std::size_t x = 0; x < length; ++x) {
      const std::size_t voxel = row * length + x;
      line[x] = equation.has_obstacles() ? values[voxel] * equation.open.volume[voxel] : values[voxel];
    }
    sums[row] = sum_of(line.data(), voxels.size.x);
  }
  return sums;
}

double total_of(const Equation& equation, const std::vector<double>& values) {
  return sum_of_rows(equation.voxels, sums_by_row(equation, values, all_rows(equation.voxels)));
}

Budget flows_of(const Equation& equation, double secretion, const std::vector<RowSums>& rows) {
  return {secretion, sum_of(equation.voxels, rows, &RowSums::taken_up),
          equation.properties.decay * sum_of(equation.voxels, rows, &RowSums::there),
          sum_of(equation.voxels, rows, &RowSums::crossed_walls),
          sum_of(equation.voxels, rows, &RowSums::held)};
}

}  // namespace kiln::substances
