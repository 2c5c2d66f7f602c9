// What a pod may do and see: its securityContext from the inside, and what it must not reach.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "control/node/local/process.h"
#include "control/node/local/process_security.h"
#include "tests/local/local_node_fixture.h"

namespace basalt {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::string_view kNeedsRoot = "needs root: a node of another user gives no users, groups or capabilities";

class LocalSecurity : public ::testing::Test {
 protected:
  // One fixture for all: a pod's name is its test's own.
  static void SetUpTestSuite() {
    shared = std::make_unique<LocalNodeFixture>();
    shared->start_node();
  }
  static void TearDownTestSuite() { shared.reset(); }
  // Runs `script` in a container with this securityContext in a pod with that one; its log, lines joined by '|'.
  std::string run(std::string_view name, std::string_view script, std::string_view container = "",
                  std::string_view pod = "", std::string_view more = "") {
    fixture.create_pod(name,
                       fmt::format("restartPolicy: Never, securityContext: {{{}}}, {} containers: [{{name: a, image: "
                                   "x, securityContext: {{{}}}, command: [sh, -c, \"{}\"]}}]",
                                   pod, more, container, script));
    fixture.wait(name, [](const text::Object& object) {
      const std::string phase = text::to_json(object.at("status").at("phase"));
      return phase == "\"Succeeded\"" || phase == "\"Failed\"";
    });
    return fixture.log(name, "a");
  }
  // A field of /proc/self/status.
  static std::string status(std::string_view field) {
    return fmt::format("sed -n 's/^{}:[^0-9a-f]*//p' /proc/self/status", field);
  }
  // As a line of /proc/<pid>/status.
  static std::string own_bounding_set() {
    const std::string status = LocalNodeFixture::read("/proc/self/status");
    constexpr std::string_view kField = "CapBnd:\t";
    const size_t at = status.find(kField);
    return at == std::string::npos ? "" : status.substr(at + kField.size(), 16);
  }
  static inline std::unique_ptr<LocalNodeFixture> shared;
  LocalNodeFixture& fixture = *shared;
};

TEST_F(LocalSecurity, UserAndGroups) {
  if (::geteuid() != 0) GTEST_SKIP() << kNeedsRoot;
  EXPECT_EQ(run("user-groups", "id -u; id -g; id -G", "runAsUser: 1234",
                "runAsGroup: 5678, supplementalGroups: [7, 9], fsGroup: 8"),
            "1234|5678|5678 7 8 9");
  EXPECT_EQ(run("no-groups", "id -u; id -G"), "0|0");
}

TEST_F(LocalSecurity, CapabilitiesAreLimited) {
  if (::geteuid() != 0) GTEST_SKIP() << kNeedsRoot;
  const auto bits = [](uint64_t set) { return fmt::format("{:016x}", set); };
  const std::string both = status("CapEff") + "; " + status("CapBnd");
  EXPECT_EQ(run("caps-default", both), bits(node::kDefaultCapabilities) + "|" + bits(node::kDefaultCapabilities));
  EXPECT_EQ(run("caps-none", both, "capabilities: {drop: [ALL]}"), bits(0) + "|" + bits(0));
  const uint64_t one = node::capability_bit(CAP_NET_BIND_SERVICE);
  EXPECT_EQ(run("caps-one", both, "capabilities: {drop: [ALL], add: [NET_BIND_SERVICE]}"), bits(one) + "|" + bits(one));
  EXPECT_EQ(run("caps-user", both, "runAsUser: 1000"), bits(0) + "|" + bits(node::kDefaultCapabilities));
}

TEST_F(LocalSecurity, PrivilegesAndFilters) {
  const std::string both = status("NoNewPrivs") + "; " + status("Seccomp");
  EXPECT_EQ(run("default", both), "0|0");
  EXPECT_EQ(run("no-new", both, "allowPrivilegeEscalation: false"), "1|0");
  const std::string filtered =
      run("filtered", both + "; unshare -U true || echo refused", "", "seccompProfile: {type: RuntimeDefault}");
  EXPECT_THAT(filtered, HasSubstr("|2|"));
  EXPECT_THAT(filtered, HasSubstr("refused"));
  EXPECT_EQ(run("unconfined", status("Seccomp"), "seccompProfile: {type: Unconfined}",
                "seccompProfile: {type: RuntimeDefault}"),
            "0");
  if (::geteuid() == 0) {
    EXPECT_EQ(run("user", both, "runAsUser: 1000", "seccompProfile: {type: RuntimeDefault}"), "0|2");
  }
}

TEST_F(LocalSecurity, AReadOnlyRootStillHasVolumes) {
  if (::geteuid() != 0) GTEST_SKIP() << kNeedsRoot;
  fixture.create_pod(
      "read-only",
      "restartPolicy: Never, securityContext: {fsGroup: 4321}, volumes: [{name: v, emptyDir: {}}], "
      "containers: [{name: a, image: x, securityContext: {readOnlyRootFilesystem: true, runAsUser: 1000}, "
      "volumeMounts: [{name: v, mountPath: /basalt-v}, {name: v, mountPath: /basalt-deep/x/y}], command: "
      "[sh, -c, 'exec 2>/dev/null; touch /basalt-v/f && stat -c %g /basalt-v/f; touch /tmp/basalt-no || "
      "echo refused; touch /basalt-no || echo refused; touch /dev/shm/f && echo shm; echo x >/dev/null && "
      "echo null; echo 1 >/proc/self/oom_score_adj && echo proc; ls /basalt-deep/x/y']}]");
  ASSERT_TRUE(fixture.wait_phase("read-only", "Succeeded"));
  EXPECT_EQ(fixture.log("read-only", "a"), "4321|refused|refused|shm|null|proc|f");
  EXPECT_FALSE(fs::exists("/tmp/basalt-no"));
}

TEST_F(LocalSecurity, TheMachineIsNotToBeChanged) {
  if (::geteuid() != 0) GTEST_SKIP() << kNeedsRoot;
  EXPECT_EQ(run("machine",
                "exec 2>/dev/null; echo x >/proc/sys/kernel/core_pattern || echo no-pattern; mkdir "
                "/sys/fs/cgroup/basalt-x || echo no-cgroup; mknod /tmp/basalt-node b 8 0 || echo no-node; find /dev "
                "-type b | wc -l"),
            "no-pattern|no-cgroup|no-node|0");
  // What a kernel may lack is looked at where it is.
  for (const char* masked : {"kcore", "keys", "timer_list"}) {
    if (!fs::exists(fs::path("/proc") / masked)) continue;
    EXPECT_EQ(run(std::string("masked-") + masked[0], fmt::format("head -c 10 /proc/{} | wc -c", masked)), "0");
    EXPECT_EQ(run(std::string("seen-") + masked[0], fmt::format("head -c 10 /proc/{} | wc -c", masked),
                  "procMount: Unmasked", "", "hostUsers: false,"),
              "10");
  }
  EXPECT_EQ(run("privileged",
                "test -w /proc/sys/kernel/core_pattern && test -d /sys/kernel && ls -d /dev/kmsg; " + status("CapEff"),
                "privileged: true"),
            "/dev/kmsg|" + own_bounding_set());
}

TEST_F(LocalSecurity, CommandsInsideHaveTheSameRights) {
  if (::geteuid() != 0) GTEST_SKIP() << kNeedsRoot;
  fixture.create_pod(
      "inside",
      "restartPolicy: Never, terminationGracePeriodSeconds: 0, securityContext: {supplementalGroups: [7], "
      "seccompProfile: {type: RuntimeDefault}}, volumes: [{name: v, emptyDir: {}}], containers: [{name: a, "
      "image: x, securityContext: {runAsUser: 1000, allowPrivilegeEscalation: false, capabilities: {drop: "
      "[ALL]}}, volumeMounts: [{name: v, mountPath: /v}], command: [sleep, \"1000\"], readinessProbe: "
      "{periodSeconds: 1, exec: {command: [sh, -c, 'id -G >/v/seen; grep -E \"^(CapBnd|NoNewPrivs|Seccomp):"
      "\" /proc/self/status >>/v/seen']}}}]");
  ASSERT_TRUE(fixture.wait_ready("inside"));
  const std::string seen = LocalNodeFixture::read(fixture.directory() / "node/pods" /
                                                  fixture.at("inside", "metadata.uid") / "volumes/v/seen");
  EXPECT_EQ(seen, "0 7\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n");
}

TEST_F(LocalSecurity, OneEventNamesWhatHasNoEffect) {
  run("ignored", "true", "seLinuxOptions: {level: s0}, capabilities: {add: [NO_SUCH]}",
      "sysctls: [{name: kernel.shm_rmid_forced, value: \\\"1\\\"}]", "shareProcessNamespace: true,");
  EXPECT_EQ(fixture.wait_event("ignored", "SecurityContextIgnored"),
            "these fields have no effect on this node: spec.shareProcessNamespace, spec.securityContext.sysctls, "
            "spec.containers{a}.securityContext.seLinuxOptions, spec.containers{a}.securityContext.capabilities.add: "
            "NO_SUCH");
}

}  // namespace
}  // namespace basalt
