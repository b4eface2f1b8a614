// What measures remember, as named arrays of numbers, for checkpoints.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace kiln {

using NamedArrays = std::map<std::string, std::vector<double>>;

// UserError where there is none of that name, or its length is not a multiple of `of` numbers.
const std::vector<double>& array_named(const NamedArrays& arrays, const std::string& name,
                                       std::size_t of = 1);

std::vector<double> flat(const std::vector<Vec3d>& vectors);
std::vector<Vec3d> vectors_named(const NamedArrays& arrays, const std::string& name);

// Integers below 2^53, which doubles hold exactly.
template <class T>
std::vector<double> numbers(const std::vector<T>& wholes) {
  return {wholes.begin(), wholes.end()};
}
template <class T>
std::vector<T> wholes_named(const NamedArrays& arrays, const std::string& name, std::size_t of = 1) {
  const std::vector<double>& values = array_named(arrays, name, of);
  return {values.begin(), values.end()};
}

}  // namespace kiln
