#include "base/cores.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/text.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

bool lists(const std::string& commas, const std::string& wanted) {
  const std::vector<std::string> names = split(commas, ',');
  return std::find(names.begin(), names.end(), wanted) != names.end();
}

// One hierarchy of control groups as this process sees it.
struct Hierarchy {
  fs::path mount;   // its folder in the file system
  fs::path inside;  // the process's group, from there
};

// /proc/self/cgroup has lines "0::/group" (version 2) and "4:cpu,cpuacct:/group" (version 1).
std::optional<std::string> group_of_process(const fs::path& root, bool version2) {
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version2 ? controllers.empty() : lists(controllers, "cpu")) return line.substr(second + 1);
  }
  return std::nullopt;
}

// /proc/self/mountinfo: "33 25 0:30 ROOT MOUNT options ... - TYPE source super-options". ROOT is the group
// that is mounted: a container's own, so what comes before it is no path here.
std::optional<Hierarchy> hierarchy(const fs::path& root, bool version2) {
  const std::optional<std::string> group = group_of_process(root, version2);
  if (!group) return std::nullopt;
  std::ifstream in(root / "proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const std::vector<std::string> place = split(line.substr(0, dash), ' '),
                                   kind = split(line.substr(dash + 3), ' ');
    if (place.size() < 5 || kind.size() < 3) continue;
    if (version2 ? kind[0] != "cgroup2" : kind[0] != "cgroup" || !lists(kind[2], "cpu")) continue;
    const fs::path inside = fs::path(*group).lexically_relative(place[3]);
    const bool visible = !inside.empty() && *inside.begin() != "..";
    return Hierarchy{root / fs::path(place[4]).relative_path(), visible ? inside : fs::path(".")};
  }
  return std::nullopt;
}

std::optional<double> number_of_file(const fs::path& file) {
  std::ifstream in(file);
  std::string word;
  return in >> word ? number_in(word) : std::nullopt;
}

// cpu.max is "QUOTA PERIOD" or "max PERIOD", version 1 has a file for each, -1 for no limit; microseconds.
std::optional<double> quota_of(const fs::path& group, bool version2) {
  std::optional<double> quota, period;
  if (version2) {
    std::ifstream in(group / "cpu.max");
    double first, second;
    if (in >> first >> second) quota = first, period = second;
  } else {
    quota = number_of_file(group / "cpu.cfs_quota_us");
    period = number_of_file(group / "cpu.cfs_period_us");
  }
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

std::optional<int> positive(const char* text) {
  if (text == nullptr) return std::nullopt;
  int value = 0;
  const char* end = text + std::char_traits<char>::length(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  // "16(x3)": so many on each of three nodes.
  if (error != std::errc() || value < 1 || (rest != end && *rest != '(' && *rest != ',')) return std::nullopt;
  return value;
}

// What Slurm gave the task. Where the cluster neither binds tasks nor puts them into cgroups, these variables
// are the only limit. Without --cpus-per-task, the tasks of a step share the cores of the node that belong to
// the job.
std::optional<Cores> slurm_share(const Environment& variable) {
  if (const auto count = positive(variable("SLURM_CPUS_PER_TASK")))
    return Cores{*count, fmt::format("SLURM_CPUS_PER_TASK is {}", *count)};
  const auto on_node = positive(variable("SLURM_CPUS_ON_NODE"));
  if (!on_node) return std::nullopt;
  const int tasks = positive(variable("SLURM_STEP_TASKS_PER_NODE")).value_or(1);
  std::string why = fmt::format("SLURM_CPUS_ON_NODE is {}", *on_node);
  if (tasks > 1) why += fmt::format(" for {} tasks", tasks);
  return Cores{std::max(1, *on_node / tasks), why};
}

int online_cores() { return std::max(1, int(sysconf(_SC_NPROCESSORS_ONLN))); }

int affinity_cores() {
  // The kernel refuses a mask that is too small for its own.
  for (int room = 1024; room <= 1 << 20; room *= 2) {
    cpu_set_t* mask = CPU_ALLOC(room);
    const std::size_t bytes = CPU_ALLOC_SIZE(room);
    const bool known = mask != nullptr && sched_getaffinity(0, bytes, mask) == 0;
    const int count = known ? CPU_COUNT_S(bytes, mask) : 0;
    CPU_FREE(mask);
    if (known) return std::max(1, count);
  }
  return online_cores();
}

}  // namespace

std::optional<double> cgroup_quota(const fs::path& root) {
  std::optional<double> least;
  for (const bool version2 : {true, false}) {
    const std::optional<Hierarchy> found = hierarchy(root, version2);
    if (!found) continue;
    fs::path group = found->mount;
    const auto look = [&] {
      if (const auto quota = quota_of(group, version2)) least = std::min(least.value_or(*quota), *quota);
    };
    look();
    for (const fs::path& part : found->inside) {
      group /= part;
      look();
    }
  }
  return least;
}

std::optional<Cores> job_limit(const fs::path& root, const Environment& variable) {
  std::optional<Cores> least = slurm_share(variable);
  if (const auto quota = cgroup_quota(root)) {
    // Rounded down: threads that wait for each other are as slow as the one that the quota stops.
    const int count = std::max(1, int(std::min(*quota, 1e6)));
    if (!least || count < least->count)
      least = {count, fmt::format("the cgroup's quota is {:.4g} cores", *quota)};
  }
  return least;
}

Cores least_cores(int machine, int affinity, const std::optional<Cores>& job) {
  if (job && job->count < std::min(machine, affinity)) return *job;
  if (affinity < machine) return {affinity, fmt::format("affinity: {} of {} cores", affinity, machine)};
  return {machine, ""};
}

Cores allowed_cores() {
  static const std::optional<Cores> job = job_limit("/", [](const char* name) { return std::getenv(name); });
  return least_cores(online_cores(), affinity_cores(), job);
}

}  // namespace kiln
