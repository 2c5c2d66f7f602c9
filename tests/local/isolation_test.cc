// What a pod must not reach: the cluster's state, other pods, and anything by way of links in its own volumes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "tests/local/local_node_fixture.h"

namespace basalt {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kKey = "the-authoritys-key";
constexpr std::string_view kPassword = "a-neighbours-password";

class LocalIsolation : public ::testing::Test {
 protected:
  // One fixture for all: a pod's name is its test's own.
  static void SetUpTestSuite() {
    shared = std::make_unique<LocalNodeFixture>();
    const fs::path& state = shared->directory();
    const fs::path elsewhere = beside(state);
    fs::create_directories(state / "pki");
    std::ofstream(state / "pki/ca.key") << kKey;
    fs::create_directories(elsewhere);
    std::ofstream(elsewhere / "kubeconfig") << kKey;
    shared->options.hidden = {state, elsewhere / "kubeconfig"};
    shared->start_node();
    shared->create("{apiVersion: v1, kind: Secret, metadata: {name: password}, stringData: {password: " +
                   std::string(kPassword) + "}}");
  }
  static void TearDownTestSuite() {
    fs::remove_all(beside(shared->directory()));
    shared.reset();
  }
  static fs::path beside(const fs::path& directory) { return directory.string() + "-elsewhere"; }

  // A pod that runs on and has the Secret. Answers the Secret's directory on this machine.
  fs::path start_neighbour(const std::string& name) {
    const std::string uid = fixture.create_pod(
        name,
        "terminationGracePeriodSeconds: 0, volumes: [{name: s, secret: {secretName: password}}], containers: [{name: "
        "a, "
        "image: x, volumeMounts: [{name: s, mountPath: /s}], command: [sh, -c, 'cat /s/password; exec sleep 1000']}]");
    EXPECT_TRUE(fixture.wait_phase(name, "Running"));
    const fs::path secret = state / "node/pods" / uid / "volumes/s";
    EXPECT_EQ(LocalNodeFixture::read(secret / "password"), kPassword) << "the attacks would prove nothing";
    return secret;
  }
  std::string run(std::string_view name, std::string_view script, std::string_view more = "",
                  std::string_view mounts = "") {
    fixture.create_pod(name,
                       fmt::format("restartPolicy: Never, {} containers: [{{name: a, image: x, {} command: [sh, -c, "
                                   "\"exec 2>&1; {}; echo done\"]}}]",
                                   more, mounts, script));
    EXPECT_TRUE(fixture.wait_phase(name, "Succeeded"));
    return fixture.log(name, "a");
  }
  static void expect_nothing(const std::string& seen) {
    EXPECT_THAT(seen, Not(HasSubstr(std::string(kKey))));
    EXPECT_THAT(seen, Not(HasSubstr(std::string(kPassword))));
    EXPECT_THAT(seen, HasSubstr("done"));
  }

  static inline std::unique_ptr<LocalNodeFixture> shared;
  LocalNodeFixture& fixture = *shared;
  const fs::path state = fixture.directory(), elsewhere = beside(state);
};

TEST_F(LocalIsolation, TheStateOfTheClusterIsNotThere) {
  const fs::path secret = start_neighbour("neighbour");
  const std::string log = (state / "logs/default/neighbour/a.log").string();
  std::string look;
  for (const std::string& in : {std::string(), std::string("/proc/1/root"), std::string("/proc/self/root"),
                                std::string("/host"), std::string("/above")}) {
    const auto path = [&](const fs::path& file) {
      return in == "/above" ? in / file.lexically_relative(state.parent_path()) : fs::path(in + file.string());
    };
    for (const fs::path& file : {state / "pki/ca.key", elsewhere / "kubeconfig", secret / "password", fs::path(log)}) {
      look += "cat " + path(file).string() + "; ";
    }
    look += "ls -A " + path(state).string() + "; ";
  }
  look += "umount " + state.string() + "; unshare -Urm sh -c 'umount " + state.string() + "; cat " +
          (state / "pki/ca.key").string() + "'; mount --bind / /mnt && cat /mnt" + (state / "pki/ca.key").string();
  const std::string seen =
      run("thief", look,
          fmt::format("volumes: [{{name: all, hostPath: {{path: /}}}}, {{name: above, hostPath: {{path: {}}}}}],",
                      state.parent_path().string()),
          "volumeMounts: [{name: all, mountPath: /host}, {name: above, mountPath: /above}],");
  expect_nothing(seen);
}

TEST_F(LocalIsolation, NeitherIsItWhereItIsMountedOnceMore) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root: to mount the state directory at another path";
  const fs::path again = elsewhere / "again";
  fs::create_directories(again);
  ASSERT_EQ(::mount(state.c_str(), again.c_str(), nullptr, MS_BIND, nullptr), 0);
  expect_nothing(run("thief-again", "cat " + (again / "pki/ca.key").string()));
  fixture.create_pod("direct",
                     fmt::format("volumes: [{{name: v, hostPath: {{path: {}}}}}], containers: [{{name: a, image: "
                                 "x, command: [\"true\"]}}]",
                                 (again / "pki").string()));
  EXPECT_THAT(fixture.wait_event("direct", "FailedMount"), HasSubstr("the cluster keeps its own state there"));
  EXPECT_EQ(::umount2(again.c_str(), MNT_DETACH), 0);
}

TEST_F(LocalIsolation, ItCannotBeAskedForEither) {
  fs::create_directory_symlink(state, elsewhere / "link");
  int number = 0;
  for (const fs::path& path : {state, state / "pki", state / "pki/ca.key", state / "node/pods", elsewhere / "link",
                               elsewhere / "link/pki", elsewhere / "kubeconfig"}) {
    const std::string name = "asked-" + std::to_string(number++);
    fixture.create_pod(name,
                       fmt::format("volumes: [{{name: v, hostPath: {{path: {}}}}}], containers: [{{name: a, image: x, "
                                   "command: [\"true\"], volumeMounts: [{{name: v, mountPath: /v}}]}}]",
                                   path.string()));
    EXPECT_THAT(fixture.wait_event(name, "FailedMount"), HasSubstr("the cluster keeps its own state there")) << path;
  }
}

TEST_F(LocalIsolation, NothingOfOurProcessIsPassedOn) {
  ASSERT_EQ(::setenv("BASALT_TEST_SECRET", kKey.data(), 1), 0);
  // The first process of a container is a fork of ours.
  const std::string seen =
      run("curious",
          "env; cat /proc/1/environ; for f in /proc/1/maps /proc/1/mem; do head -c 1 $f && echo looked-inside; "
          "done; for f in /proc/1/fd/* /proc/1/cwd /proc/1/root; do readlink $f && echo looked-inside; done; "
          "ls /proc/self/fd | tr '\\n' ' '");
  ASSERT_EQ(::unsetenv("BASALT_TEST_SECRET"), 0);
  expect_nothing(seen);
  EXPECT_THAT(seen, HasSubstr("0 1 2 3 done"));  // the fourth is of ls
  EXPECT_THAT(seen, Not(HasSubstr("looked-inside")));
}

TEST_F(LocalIsolation, ALinkInAVolumeIsNoWayToANeighboursSecret) {
  const fs::path secret = start_neighbour("other-neighbour");
  fixture.create_pod(
      "linker", fmt::format("restartPolicy: Never, volumes: [{{name: v, emptyDir: {{}}}}], initContainers: [{{name: i, "
                            "image: x, command: [ln, -s, {}, /v/l], volumeMounts: [{{name: v, mountPath: /v}}]}}], "
                            "containers: [{{name: a, image: x, command: [cat, /m/password], volumeMounts: [{{name: v, "
                            "mountPath: /m, subPath: l}}]}}]",
                            secret.string()));
  EXPECT_THAT(fixture.wait_event("linker", "Failed"), HasSubstr("a symbolic link leads out of the volume"));
  EXPECT_EQ(fixture.log("linker", "a"), "");
}

TEST_F(LocalIsolation, ALinkInAVolumeLeadsNoMountPathOut) {
  // The node makes mount paths that are not there, as root.
  const fs::path outside = elsewhere / "outside";
  fs::create_directories(outside);
  fixture.create_pod(
      "builder",
      fmt::format("restartPolicy: Never, volumes: [{{name: v, emptyDir: {{}}}}, {{name: w, emptyDir: {{}}}}], "
                  "initContainers: [{{name: i, image: x, command: [ln, -s, {}, /v/l], volumeMounts: [{{name: "
                  "v, mountPath: /v}}]}}], containers: [{{name: a, image: x, command: [\"true\"], "
                  "volumeMounts: [{{name: v, mountPath: /v}}, {{name: w, mountPath: /v/l/made}}]}}]",
                  outside.string()));
  EXPECT_THAT(fixture.wait_event("builder", "Failed"), HasSubstr("Too many levels of symbolic links"));
  EXPECT_TRUE(fs::is_empty(outside));
}

}  // namespace
}  // namespace basalt
