#include "model/substances.hpp"

#include <algorithm>

#include "formula/program.hpp"
#include "model/model.hpp"

namespace kiln {
namespace {

// Formulas are of the place of a voxel's centre, in sites.
std::vector<double> values_of_formula(const SubstanceData& data) {
  const formula::Program program(data.start_tree, {data.start});
  std::vector<double> values(std::size_t(data.voxels.sites()));
  std::vector<std::vector<double>> columns;
  std::vector<const double*> inputs;
  for (const formula::Input& input : program.inputs()) {
    const int axis = input.name == "x" ? 0 : input.name == "y" ? 1 : 2;
    std::vector<double>& column = columns.emplace_back(values.size());
    for (std::size_t v = 0; v < column.size(); ++v)
      column[v] = double(data.voxels.position(Site(v))[axis]) * data.coarsen + (data.coarsen - 1) / 2.0;
  }
  for (const std::vector<double>& column : columns) inputs.push_back(column.data());
  double* const results[] = {values.data()};
  program.run(inputs, results, int64_t(values.size()));
  return values;
}

}  // namespace

bool SubstanceData::has_obstacles() const {
  return std::find(impermeable.begin(), impermeable.end(), true) != impermeable.end();
}

std::vector<double> values_of_start(const SubstanceData& data) {
  return data.start_values != nullptr ? *data.start_values : values_of_formula(data);
}

std::vector<Substance> start_substances(const Model& model) {
  std::vector<Substance> all;
  for (const SubstanceData& data : model.substances) {
    Substance& substance = all.emplace_back();
    substance.name = data.name;
    substance.voxels = data.voxels;
    substance.coarsen = data.coarsen;
    substance.values = values_of_start(data);
    substance.show();
  }
  return all;
}

}  // namespace kiln
