#include "control/node/local/cgroup.h"

#include <stdlib.h>

#include "control/node/local/process_fixture.h"

namespace basalt::node {
namespace {

using testing::HasSubstr;

// What is written, in a plain directory that looks like a cgroup. What the kernel makes of it: cgroup_kernel_test.cc.
class CgroupFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "basalt-cgroup-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { fs::remove_all(directory_); }
  Cgroups made() {
    write(directory_ / "cgroup.controllers", "cpuset cpu io memory pids\n");
    auto cgroups = Cgroups::make(directory_, true);
    EXPECT_TRUE(cgroups) << cgroups.error().message;
    return std::move(*cgroups);
  }
  fs::path directory_;
};

TEST_F(CgroupFilesTest, HandsControllersDown) {
  made();
  EXPECT_EQ(content(directory_ / "cgroup.subtree_control"), "+cpu +memory +pids");
  EXPECT_EQ(content(directory_ / "basalt/cgroup.subtree_control"), "+cpu +memory +pids");
}

TEST_F(CgroupFilesTest, WritesLimits) {
  const auto cgroup = made().add("7", {.cpu_millis = 1500, .memory_bytes = 1 << 20, .processes = 64});
  ASSERT_TRUE(cgroup);
  EXPECT_EQ(*cgroup, directory_ / "basalt/7");
  EXPECT_EQ(content(*cgroup / "cpu.max"), "150000 100000");
  EXPECT_EQ(content(*cgroup / "memory.max"), "1048576");
  EXPECT_EQ(content(*cgroup / "memory.oom.group"), "1");
  EXPECT_EQ(content(*cgroup / "pids.max"), "64");
}

TEST_F(CgroupFilesTest, AbsentLimitsAreNotWrittenAndTinyOnesAreWhatTheKernelTakes) {
  const auto cgroup = made().add("8", {.cpu_millis = 1});
  ASSERT_TRUE(cgroup);
  EXPECT_EQ(content(*cgroup / "cpu.max"), "1000 100000");
  EXPECT_FALSE(fs::exists(*cgroup / "memory.max"));
  EXPECT_FALSE(fs::exists(*cgroup / "pids.max"));
}

TEST_F(CgroupFilesTest, SaysWhatIsMissing) {
  EXPECT_THAT(Cgroups::make(directory_, true).error().message, HasSubstr("is no cgroup v2 directory"));
  write(directory_ / "cgroup.controllers", "hugetlb\n");
  EXPECT_THAT(Cgroups::make(directory_, true).error().message, HasSubstr("does not offer \"cpu\"; delegate it"));
}

TEST_F(CgroupFilesTest, SeesThatMemoryRanOut) {
  EXPECT_FALSE(Cgroups::out_of_memory(directory_));
  write(directory_ / "memory.events", "low 0\nhigh 0\nmax 12\noom 1\noom_kill 0\n");
  EXPECT_FALSE(Cgroups::out_of_memory(directory_));
  write(directory_ / "memory.events", "low 0\nhigh 0\nmax 12\noom 1\noom_kill 2\noom_group_kill 1\n");
  EXPECT_TRUE(Cgroups::out_of_memory(directory_));
  write(directory_ / "memory.events", "not what it should be");
  EXPECT_FALSE(Cgroups::out_of_memory(directory_));
}

TEST_F(CgroupFilesTest, AStartSaysThatTheCgroupCannotBeEntered) {
  write(directory_ / "cgroup.controllers", "cpu memory pids\n");
  auto processes = Processes::make({.directory = directory_ / "state", .cgroup = directory_});
  ASSERT_TRUE(processes);
  EXPECT_TRUE((*processes)->capabilities().cgroups);
  ProcessSpec spec{.argv = {"/bin/true"}, .limits = {.memory_bytes = 1 << 20}};
  // A cgroup has its file of processes; this directory does not.
  const auto started = (*processes)->start(spec, nullptr);
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("cannot enter the cgroup"));
}

}  // namespace
}  // namespace basalt::node
