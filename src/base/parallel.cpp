#include "base/parallel.hpp"

#include <future>

#include "base/cores.hpp"

namespace kiln {

int all_threads() { return allowed_cores().count; }

void run_parts(int parts, const std::function<void(int part)>& work) {
  std::vector<std::future<void>> others;
  for (int part = 1; part < parts; ++part)
    others.push_back(std::async(std::launch::async, [&work, part] { work(part); }));
  work(0);
  for (auto& other : others) other.get();
}

}  // namespace kiln
