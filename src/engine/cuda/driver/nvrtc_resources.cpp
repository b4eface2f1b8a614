// Reads what the assembler reports in NVRTC's log (ptxas -v):
//   ptxas info    : Compiling entry function 'judge' for 'sm_90'
//   ptxas info    : Function properties for judge
//   ptxas         .     8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
//   ptxas info    : Used 40 registers, used 1 barriers, 8 bytes cumulative stack size, 128 bytes smem
#include <charconv>
#include <set>
#include <sstream>
#include <string_view>

#include "engine/cuda/driver/nvrtc.hpp"

namespace kiln::cuda {
namespace {

constexpr std::string_view kEntry = "Compiling entry function '";
constexpr std::string_view kProperties = "Function properties for ";

// The number before `unit`, as in "128 bytes smem"; 0 where the line does not speak of it.
int amount(std::string_view line, std::string_view unit) {
  const std::size_t end = line.find(unit);
  if (end == std::string_view::npos) return 0;
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  int value = 0;
  std::from_chars(line.data() + begin, line.data() + end, value);
  return value;
}

std::string_view after(std::string_view line, std::string_view words) {
  const std::size_t place = line.find(words);
  return place == std::string_view::npos ? "" : line.substr(place + words.size());
}

}  // namespace

std::vector<KernelResources> resources(const Compiled& compiled) {
  std::vector<KernelResources> found;
  std::istringstream lines(compiled.log);
  std::set<std::string> entries;
  for (std::string line; std::getline(lines, line);) {
    if (const std::string_view entry = after(line, kEntry); !entry.empty()) {
      entries.insert(std::string(entry.substr(0, entry.find('\''))));
    } else if (const std::string_view name = after(line, kProperties); !name.empty()) {
      KernelResources next;
      next.name = name;
      next.kernel = entries.count(next.name) != 0;
      found.push_back(next);
    } else if (!found.empty() && line.find(" bytes stack frame") != std::string::npos) {
      found.back().stack_bytes = amount(line, " bytes stack frame");
      found.back().spill_stores = amount(line, " bytes spill stores");
      found.back().spill_loads = amount(line, " bytes spill loads");
    } else if (!found.empty() && line.find(" registers") != std::string::npos) {
      found.back().registers = amount(line, " registers");
      found.back().shared_bytes = amount(line, " bytes smem");
    }
  }
  return found;
}

}  // namespace kiln::cuda
