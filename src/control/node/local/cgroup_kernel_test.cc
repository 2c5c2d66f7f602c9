// Cgroups of the running kernel: who is in them, and that limits hold.
//
// Needs cgroup v2, mounted or to be mounted by us as root, in which we may make a cgroup; for limits also that it
// offers cpu, memory and pids. On a machine whose v1 hierarchies hold these controllers it does not: the tests of
// limits are then skipped, and say so.
#include <poll.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include <sstream>

#include "control/node/local/cgroup.h"
#include "control/node/local/container_launch.h"
#include "control/node/local/process_fixture.h"

namespace basalt::node {
namespace {

using testing::HasSubstr;

class CgroupKernelTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "basalt-cgroup-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    if (auto own = Cgroups::own_directory()) {
      parent_ = *own;
    } else {
      fs::create_directory(directory_ / "mounted");
      if (::mount("none", (directory_ / "mounted").c_str(), "cgroup2", 0, nullptr) != 0) {
        GTEST_SKIP() << "no cgroup v2: " << own.error().message << "; mounting it here: " << std::strerror(errno);
      }
      mounted_ = true;
      parent_ = directory_ / "mounted";
    }
    cgroup_ = parent_ / ("basalt-test-" + std::to_string(::getpid()));
    std::error_code error;
    fs::create_directory(cgroup_, error);
    if (error) GTEST_SKIP() << "cannot make the cgroup " << cgroup_ << ": " << error.message() << "; run as root";
    made_ = true;
  }
  void TearDown() override {
    if (made_) {
      Cgroups::remove(cgroup_ / "basalt");
      Cgroups::remove(cgroup_);
      EXPECT_FALSE(fs::exists(cgroup_)) << "something is left in it";
    }
    if (mounted_) ::umount2(parent_.c_str(), MNT_DETACH);
    fs::remove_all(directory_);
  }

  // Those of cpu, memory and pids that the kernel does not let us use here.
  std::string missing_controllers() {
    std::string missing;
    for (const std::string controller : {"cpu", "memory", "pids"}) {
      std::ofstream(parent_ / "cgroup.subtree_control") << "+" + controller;  // where nobody has yet
      std::istringstream offered(content(cgroup_ / "cgroup.controllers"));
      bool found = false;
      for (std::string word; offered >> word;) found = found || word == controller;
      if (!found) missing += (missing.empty() ? "" : ", ") + controller;
    }
    return missing;
  }
  // Runs in the test's cgroup with these limits.
  ProcessExit run(const std::string& script, const ProcessLimits& limits) {
    auto processes = Processes::make({.directory = directory_ / "state", .cgroup = cgroup_});
    EXPECT_TRUE(processes && (*processes)->capabilities().cgroups);
    if (!processes) return {.code = -1};
    Ended ended;
    const auto started =
        (*processes)
            ->start({.argv = {"sh", "-c", script}, .environment = {"PATH=/usr/bin:/bin"}, .limits = limits},
                    ended.notice());
    EXPECT_TRUE(started) << started.error().message;
    return started ? ended.wait() : ProcessExit{.code = -1};
  }

  fs::path directory_, parent_, cgroup_;
  bool mounted_ = false, made_ = false;
};

// The whole output of a process that ends by itself. It is over, and waited for, when this returns.
std::string output_of(const LaunchedContainer& launched) {
  std::string text;
  char piece[4096];
  while (true) {
    pollfd polled{.fd = launched.out.get(), .events = POLLIN, .revents = 0};
    if (::poll(&polled, 1, -1) < 0) continue;
    const ssize_t size = ::read(launched.out.get(), piece, sizeof piece);
    if (size <= 0) break;
    text.append(piece, static_cast<size_t>(size));
  }
  SupervisorReport report{};
  EXPECT_EQ(::recv(launched.control_socket.get(), &report, sizeof report, 0), static_cast<ssize_t>(sizeof report));
  EXPECT_EQ(report.kind, SupervisorReportKind::Ended);
  return text;
}

TEST_F(CgroupKernelTest, AProcessIsInItsCgroupFromTheStart) {
  ForkServer fork_server;
  StartRequest request;
  request.argv = {"cat", "/proc/self/cgroup"};
  request.programs = {"/bin/cat"};
  request.cgroup_procs = (cgroup_ / "cgroup.procs").string();
  const auto launched = launch(fork_server, request, {}, -1);
  ASSERT_TRUE(launched) << explain(launched.error(), request, "").message;
  const std::string groups = output_of(*launched);
  EXPECT_THAT(groups, HasSubstr("/" + cgroup_.filename().string() + "\n"));
  EXPECT_THAT(groups, HasSubstr("0::/"));
}

TEST_F(CgroupKernelTest, LimitsHold) {
  const std::string missing = missing_controllers();
  if (!missing.empty()) {
    GTEST_SKIP() << "this kernel does not offer the cgroup v2 controllers " << missing << " in " << parent_
                 << " (v1 hierarchies hold them, or they are not delegated): limits were not tried";
  }
  // Of its own end by the kernel, out of memory.
  const ProcessExit eater = run("head -c 200m /dev/zero | tail | wc -c", {.memory_bytes = 32 << 20});
  EXPECT_TRUE(eater.out_of_memory);
  EXPECT_EQ(eater.signal, SIGKILL);
  const ProcessExit forker = run("for i in 1 2 3 4 5 6 7 8 9; do sleep 1000 & done; echo all", {.processes = 6});
  EXPECT_THAT(forker.output, testing::Not(HasSubstr("all")));
  // The only cgroup below ours that has processes is the script's own.
  const ProcessExit spinner =
      run("i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; cat " + (cgroup_ / "basalt").string() + "/*-*/cpu.stat " +
              (cgroup_ / "basalt").string() + "/*-*/cpu.max",
          {.cpu_millis = 100});
  EXPECT_THAT(spinner.output, HasSubstr("10000 100000\n"));
  EXPECT_THAT(spinner.output, testing::ContainsRegex("nr_throttled [1-9]"));
  EXPECT_TRUE(fs::exists(cgroup_ / "basalt"));
  for (const auto& entry : fs::directory_iterator(cgroup_ / "basalt")) EXPECT_FALSE(entry.is_directory()) << entry;
}

}  // namespace
}  // namespace basalt::node
