#include "measure/named_arrays.hpp"

#include "base/error.hpp"

namespace kiln {

const std::vector<double>& array_named(const NamedArrays& arrays, const std::string& name, std::size_t of) {
  const auto found = arrays.find(name);
  if (found == arrays.end())
    throw UserError("the checkpoint has no array \"" + name + "\"; it cannot be resumed.");
  if (found->second.size() % of != 0)
    throw UserError("the checkpoint's array \"" + name + "\" has the wrong length; it cannot be resumed.");
  return found->second;
}

std::vector<double> flat(const std::vector<Vec3d>& vectors) {
  std::vector<double> result;
  result.reserve(3 * vectors.size());
  for (const Vec3d& v : vectors) result.insert(result.end(), {v.x, v.y, v.z});
  return result;
}

std::vector<Vec3d> vectors_named(const NamedArrays& arrays, const std::string& name) {
  const std::vector<double>& numbers = array_named(arrays, name, 3);
  std::vector<Vec3d> result(numbers.size() / 3);
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
  return result;
}

}  // namespace kiln
