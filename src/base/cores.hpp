// Cores that this process may use: the least of what affinity, cgroups and the batch system leave of a
// machine.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace kiln {

struct Cores {
  int count = 1;
  std::string
      why;  // the limit that decided, as "affinity: 2 of 64 cores"; "" where all of the machine are allowed

  bool operator==(const Cores&) const = default;
};

// The CPU quota of the cgroup, in cores; none where there is no limit. Groups above count too: the least
// quota applies. `root` is the folder above proc/ and above the mount points named there: "/", unless a test
// has one of its own.
std::optional<double> cgroup_quota(const std::filesystem::path& root);

// What a container or a batch system leaves: the cgroup's quota or Slurm's share, whichever is less.
// `variable` looks up the environment.
using Environment = std::function<const char*(const char* name)>;
std::optional<Cores> job_limit(const std::filesystem::path& root, const Environment& variable);

// The least of the three: cores of the machine, cores that the scheduler may put this thread on, the job's
// limit.
Cores least_cores(int machine, int affinity, const std::optional<Cores>& job);

// Of this process. Affinity is asked anew at every call, as it may change; the job's limit is read once.
Cores allowed_cores();

}  // namespace kiln
