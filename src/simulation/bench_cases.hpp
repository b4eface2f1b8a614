// The benchmark cases, as model files: what they are is readable, and the same reader checks them.
#pragma once

#include <string>
#include <vector>

namespace kiln {

struct BenchCase {
  std::string name;
  std::string what;
  int default_size;
};

const std::vector<BenchCase>& bench_cases();

// The model of a case at edge length `size`. Throws UserError where there is no such case.
std::string bench_model(const std::string& name, int size);

}  // namespace kiln
