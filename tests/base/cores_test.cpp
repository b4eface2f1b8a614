#include "base/cores.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/parallel.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

// A folder with the files of /proc and /sys/fs/cgroup that say how many cores a job has.
class CoresTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(root_);
    write("proc/self/mountinfo", "25 1 0:24 / /sys rw - sysfs sysfs rw\n");
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  void version2(const std::string& group, const std::string& mounted = "/") {
    write("proc/self/cgroup", "0::" + group + "\n");
    write("proc/self/mountinfo", "25 1 0:24 / /sys rw - sysfs sysfs rw\n26 25 0:30 " + mounted +
                                     " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
  }
  void version1(const std::string& group, const std::string& mounted = "/") {
    write("proc/self/cgroup", "5:memory:/elsewhere\n4:cpu,cpuacct:" + group + "\n");
    write("proc/self/mountinfo",
          "30 25 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n31 25 0:31 " + mounted +
              " /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n");
  }
  std::optional<Cores> limit(const std::map<std::string, std::string>& variables = {}) const {
    return job_limit(root_, [&](const char* name) {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    });
  }

  fs::path root_;
};

TEST_F(CoresTest, NoLimitWhereNothingSaysOne) {
  EXPECT_EQ(limit(), std::nullopt);
  version2("/user.slice");
  EXPECT_EQ(limit(), std::nullopt);  // no cpu.max: the controller is off
  write("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
  EXPECT_EQ(limit(), std::nullopt);
  version1("/job");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(limit(), std::nullopt);
}

TEST_F(CoresTest, Version2TakesTheLeastQuotaOfTheGroupsAbove) {
  version2("/slurm/job_7/step_0");
  write("sys/fs/cgroup/slurm/cpu.max", "6400000 100000\n");
  write("sys/fs/cgroup/slurm/job_7/cpu.max", "400000 100000\n");
  write("sys/fs/cgroup/slurm/job_7/step_0/cpu.max", "max 100000\n");
  EXPECT_EQ(cgroup_quota(root_), 4.0);
  EXPECT_EQ(limit()->count, 4);
  EXPECT_EQ(limit()->why, "the cgroup's quota is 4 cores");
}

TEST_F(CoresTest, Version1HasTwoFiles) {
  version1("/batch/job");
  write("sys/fs/cgroup/cpu/batch/job/cpu.cfs_quota_us", "350000\n");
  write("sys/fs/cgroup/cpu/batch/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(limit()->count, 3);
  EXPECT_EQ(limit()->why, "the cgroup's quota is 3.5 cores");
}

TEST_F(CoresTest, LessThanOneCoreIsOne) {
  version2("/");
  write("sys/fs/cgroup/cpu.max", "20000 100000\n");
  EXPECT_EQ(limit()->count, 1);
}

// A container that sees the host's name of its group, and only the group itself mounted.
TEST_F(CoresTest, AMountedGroupIsTheTopOfWhatIsSeen) {
  version2("/docker/abc/inner", "/docker/abc");
  write("sys/fs/cgroup/inner/cpu.max", "200000 100000\n");
  EXPECT_EQ(cgroup_quota(root_), 2.0);
  version1("/docker/abc", "/docker/abc");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "150000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000\n");
  EXPECT_EQ(cgroup_quota(root_), 3.0);
  version2("/../../other");
  write("sys/fs/cgroup/cpu.max", "500000 100000\n");
  EXPECT_EQ(cgroup_quota(root_), 5.0);
}

TEST_F(CoresTest, SlurmsShareOfATask) {
  EXPECT_EQ(limit({{"SLURM_CPUS_PER_TASK", "8"}, {"SLURM_CPUS_ON_NODE", "64"}})->count, 8);
  EXPECT_EQ(limit({{"SLURM_CPUS_PER_TASK", "8"}})->why, "SLURM_CPUS_PER_TASK is 8");
  EXPECT_EQ(limit({{"SLURM_CPUS_ON_NODE", "12"}})->count, 12);
  const auto shared = limit({{"SLURM_CPUS_ON_NODE", "12"}, {"SLURM_STEP_TASKS_PER_NODE", "3(x2)"}});
  EXPECT_EQ(shared->count, 4);
  EXPECT_EQ(shared->why, "SLURM_CPUS_ON_NODE is 12 for 3 tasks");
  EXPECT_EQ(limit({{"SLURM_CPUS_ON_NODE", "2"}, {"SLURM_STEP_TASKS_PER_NODE", "3,1"}})->count, 1);
  for (const char* text : {"", "0", "-3", "many", "4x", "99999999999"})
    EXPECT_EQ(limit({{"SLURM_CPUS_PER_TASK", text}}), std::nullopt) << text;
}

TEST_F(CoresTest, TheLeastLimitDecidesAndIsNamed) {
  version2("/");
  write("sys/fs/cgroup/cpu.max", "600000 100000\n");
  EXPECT_EQ(limit({{"SLURM_CPUS_PER_TASK", "8"}})->count, 6);
  EXPECT_EQ(limit({{"SLURM_CPUS_PER_TASK", "4"}})->count, 4);
  const auto job = limit();
  EXPECT_EQ(least_cores(64, 64, job), (Cores{6, "the cgroup's quota is 6 cores"}));
  EXPECT_EQ(least_cores(64, 2, job), (Cores{2, "affinity: 2 of 64 cores"}));
  EXPECT_EQ(least_cores(4, 4, job), (Cores{4, ""}));
  EXPECT_EQ(least_cores(4, 4, std::nullopt), (Cores{4, ""}));
}

TEST(Cores, FollowTheAffinityOfTheThread) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &before)) CPU_SET(core, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(all_threads(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_LE(all_threads(), CPU_COUNT(&before));
}

}  // namespace
}  // namespace kiln
