#include "control/node/local/container_root.h"

#include <signal.h>

#include "control/node/local/process_fixture.h"

namespace basalt::node {
namespace {

using testing::HasSubstr;

// What a container sees of the file system, where this machine lets us mount at all.
class PodRootTest : public ProcessTest {
 protected:
  void SetUp() override {
    ProcessTest::SetUp();
    if (!processes_->capabilities().mounts) GTEST_SKIP() << processes_->capabilities().why_no_mounts;
    write(directory_ / "volume/file", "content\n");
  }
  std::string seen(const std::string& script, std::vector<Mount> mounts) {
    ProcessSpec spec = shell("exec 2>&1; " + script);
    spec.mounts = std::move(mounts);
    return run(spec).output;
  }
  std::string refusal(const Mount& mount) {
    ProcessSpec spec = shell("true");
    spec.mounts = {mount};
    return refused(spec).message;
  }
  [[nodiscard]] fs::path volume() const { return directory_ / "volume"; }
};

INSTANTIATE_TEST_SUITE_P(Machines, PodRootTest, testing::Values(true), [](const auto&) { return "Namespaces"; });

TEST_P(PodRootTest, MakesAPathThatTheHostDoesNotHave) {
  EXPECT_EQ(seen("cat /basalt-data/deep/file", {{.source = volume(), .target = "/basalt-data/deep"}}), "content\n");
  EXPECT_FALSE(fs::exists("/basalt-data"));
}

TEST_P(PodRootTest, MakesAPathInADirectoryOfTheHost) {
  // /etc is the host's and has no such entry; what else is in it stays to be seen.
  EXPECT_EQ(seen("cat /etc/basalt-config/x/file; grep -c ^root: /etc/passwd",
                 {{.source = volume(), .target = "/etc/basalt-config/x"}}),
            "content\n1\n");
  EXPECT_FALSE(fs::exists("/etc/basalt-config"));
}

TEST_P(PodRootTest, TwoPathsInDirectoriesOfOneAnother) {
  write(directory_ / "host/a/b/kept", "kept\n");
  const std::string host = (directory_ / "host").string();
  EXPECT_EQ(
      seen("cd " + host + "; cat a/b/new/file a/other/file a/b/kept",
           {{.source = volume(), .target = host + "/a/b/new"}, {.source = volume(), .target = host + "/a/other"}}),
      "content\ncontent\nkept\n");
  EXPECT_FALSE(fs::exists(directory_ / "host/a/other"));
  EXPECT_FALSE(fs::exists(directory_ / "host/a/b/new"));
}

TEST_P(PodRootTest, ABigDirectoryIsOverlaid) {
  for (size_t i = 0; i <= kMaxBoundEntries; ++i) write(directory_ / "big" / std::to_string(i), "");
  const std::string big = (directory_ / "big").string();
  EXPECT_EQ(seen("cd " + big + "; cat new/file; ls | wc -l", {{.source = volume(), .target = big + "/new"}}),
            "content\n" + std::to_string(kMaxBoundEntries + 2) + "\n");
  EXPECT_FALSE(fs::exists(directory_ / "big/new"));
}

TEST_P(PodRootTest, HidesWhatIsThere) {
  write(directory_ / "host/hidden", "hidden");
  const std::string host = (directory_ / "host").string();
  EXPECT_EQ(seen("ls " + host, {{.source = volume(), .target = host}}), "file\n");
}

TEST_P(PodRootTest, AFileOverAFileAndAFileThatIsNew) {
  const fs::path hosts = directory_ / "hosts";
  write(hosts, "127.64.0.1 worker-0\n");
  ProcessSpec spec = shell("cat /etc/hosts /basalt-file");
  spec.hosts_file = hosts;
  spec.mounts = {{.source = volume() / "file", .target = "/basalt-file"}};
  EXPECT_EQ(run(spec).output, "127.64.0.1 worker-0\ncontent\n");
  EXPECT_THAT(content("/etc/hosts"), testing::Not(HasSubstr("worker-0")));
}

TEST_P(PodRootTest, AVolumeIsWrittenToAndAReadOnlyOneIsNot) {
  EXPECT_EQ(seen("echo new >/basalt-w/added; echo no >/basalt-r/added || echo refused",
                 {{.source = volume(), .target = "/basalt-w"},
                  {.source = volume(), .target = "/basalt-r", .read_only = true}}),
            "sh: 1: cannot create /basalt-r/added: Read-only file system\nrefused\n");
  EXPECT_EQ(content(volume() / "added"), "new\n");
}

TEST_P(PodRootTest, OneVolumeInsideAnother) {
  write(directory_ / "inner/leaf", "leaf\n");
  EXPECT_EQ(seen("cat /basalt-v/sub/leaf /basalt-v/file", {{.source = directory_ / "inner", .target = "/basalt-v/sub"},
                                                           {.source = volume(), .target = "/basalt-v"}}),
            "leaf\ncontent\n");
}

TEST_P(PodRootTest, ALinkInAVolumeLeadsNoMountOutOfIt) {
  // What is mounted inside a volume gets its path made there by root: a link of the pod must not lead that elsewhere.
  fs::create_directories(directory_ / "outside");
  fs::create_symlink(directory_ / "outside", volume() / "absolute");
  fs::create_symlink("../outside", volume() / "relative");
  fs::create_symlink("/etc", volume() / "etc");
  for (const char* target : {"absolute/made", "relative/made", "etc/basalt-made", "absolute"}) {
    ProcessSpec spec = shell("true");
    spec.mounts = {{.source = volume(), .target = "/basalt-v"},
                   {.source = directory_ / "volume", .target = std::string("/basalt-v/") + target}};
    EXPECT_THAT(refused(spec).message, HasSubstr("Too many levels of symbolic links")) << target;
  }
  EXPECT_TRUE(fs::is_empty(directory_ / "outside"));
  EXPECT_FALSE(fs::exists("/etc/basalt-made"));
}

TEST_P(PodRootTest, ASourceThatBecameALinkIsNotFollowed) {
  write(directory_ / "secret/key", "secret");
  fs::create_symlink("../secret", volume() / "link");
  EXPECT_THAT(refusal({.source = volume(), .below = "link", .target = "/basalt-x"}),
              HasSubstr("Too many levels of symbolic links"));
  EXPECT_THAT(refusal({.source = volume() / "link", .below = "key", .target = "/basalt-x"}),
              HasSubstr("Too many levels of symbolic links"));
}

TEST_P(PodRootTest, WhatIsHiddenIsEmptyHoweverItIsReached) {
  write(directory_ / "hidden/ca.key", "top-secret");
  write(directory_ / "kubeconfig", "top-secret");
  const std::string hidden = (directory_ / "hidden").string();
  processes_.reset();
  auto made = Processes::make(
      {.directory = directory_ / "state", .hidden = {directory_ / "hidden", directory_ / "kubeconfig"}});
  ASSERT_TRUE(made) << made.error().message;
  processes_ = std::move(*made);
  const std::string look = "cat " + hidden + "/ca.key " + (directory_ / "kubeconfig").string() +
                           " /basalt-h/hidden/ca.key "
                           "/basalt-h/kubeconfig /proc/1/root" +
                           hidden + "/ca.key; ls -A " + hidden +
                           " /basalt-h/hidden; "
                           "umount " +
                           hidden + " && cat " + hidden +
                           "/ca.key; "
                           "unshare -Urm sh -c 'umount " +
                           hidden + "; cat " + hidden + "/ca.key'; echo looked";
  const std::string seen_there = seen(look, {{.source = directory_, .target = "/basalt-h"}});
  EXPECT_THAT(seen_there, testing::Not(HasSubstr("top-secret")));
  EXPECT_THAT(seen_there, testing::EndsWith("looked\n"));
  EXPECT_THAT(refusal({.source = volume(), .target = hidden + "/x"}), HasSubstr("the cluster keeps its state there"));
}

TEST_P(PodRootTest, WhatIsHiddenMayBeInSharedMemory) {
  if (!fs::is_directory("/dev/shm")) GTEST_SKIP() << "this machine has no /dev/shm";
  std::string hidden = "/dev/shm/basalt-hidden-XXXXXX";
  ASSERT_NE(::mkdtemp(hidden.data()), nullptr);
  write(fs::path(hidden) / "ca.key", "top-secret");
  processes_.reset();
  auto made = Processes::make({.directory = directory_ / "state", .hidden = {hidden}});
  ASSERT_TRUE(made) << made.error().message;
  processes_ = std::move(*made);
  ProcessSpec spec = shell("exec 2>&1; cat " + hidden + "/ca.key; echo looked");
  spec.mounts = {{.source = volume(), .target = "/basalt-v"}};
  for (const bool host_ipc : {false, true}) {
    spec.security.host_ipc = host_ipc;
    const std::string seen_there = run(spec).output;
    EXPECT_THAT(seen_there, testing::Not(HasSubstr("top-secret")));
    EXPECT_THAT(seen_there, HasSubstr("looked"));
  }
  if (processes_->capabilities().other_users) {
    spec.security.host_devices = true;
    EXPECT_THAT(run(spec).output, testing::Not(HasSubstr("top-secret")));
  }
  fs::remove_all(hidden);
}

TEST_P(PodRootTest, HasDevicesOfItsOwn) {
  EXPECT_EQ(seen("echo x >/dev/null && head -c 3 /dev/zero | wc -c; test -c /dev/urandom && echo random; "
                 "echo y >/dev/shm/mine && cat /dev/shm/mine; find /dev -type b | wc -l; ls -d /dev/mem /dev/kmsg",
                 {{.source = volume(), .target = "/dev/basalt"}}),
            "3\nrandom\ny\n0\nls: cannot access '/dev/mem': No such file or directory\n"
            "ls: cannot access '/dev/kmsg': No such file or directory\n");
  EXPECT_FALSE(fs::exists("/dev/shm/mine"));
  EXPECT_EQ(seen("cat /dev/shm/file", {{.source = volume(), .target = "/dev/shm"}}), "content\n");
}

TEST_P(PodRootTest, LinksOfTheHostAreFollowed) {
  // /var/run is a link to /run on most machines: where Kubernetes mounts service accounts.
  EXPECT_EQ(seen("cat /var/run/secrets/kubernetes.io/serviceaccount/file",
                 {{.source = volume(), .target = "/var/run/secrets/kubernetes.io/serviceaccount"}}),
            "content\n");
}

TEST_P(PodRootTest, HasItsOwnHostNameAndProcesses) {
  ProcessSpec spec = shell("hostname; ls -d /proc/[0-9]* | wc -l; readlink /proc/self/exe >/dev/null && echo self");
  spec.hostname = "worker-0";
  const std::string output = run(spec).output;
  EXPECT_THAT(output, HasSubstr("worker-0\n"));
  EXPECT_THAT(output, HasSubstr("self\n"));
  if (processes_->capabilities().process_namespace) {
    EXPECT_EQ(output, "worker-0\n4\nself\n");  // supervisor, sh, ls, wc
  }
}

TEST_P(PodRootTest, SaysWhichMountIsWrong) {
  EXPECT_EQ(refusal({.source = "/no/such/volume", .target = "/data"}),
            "cannot mount /no/such/volume at /data: it does not exist");
  EXPECT_THAT(refusal({.source = volume(), .target = "/"}), HasSubstr("choose a path below it"));
  EXPECT_THAT(refusal({.source = volume(), .target = "data"}), HasSubstr("must be absolute"));
  EXPECT_THAT(refusal({.source = volume(), .target = "/etc/passwd"}), HasSubstr("one is a directory"));
  EXPECT_THAT(refusal({.source = volume(), .target = "/etc/passwd/x"}), HasSubstr("leads through the file"));
}

TEST_P(PodRootTest, AnImagesRootIsSeenAndNotWrittenTo) {
  if (!processes_->capabilities().image_roots) GTEST_SKIP() << processes_->capabilities().why_no_image_roots;
  // An image of links into the host's programs, which are mounted beside it.
  const fs::path image = directory_ / "image:1,x";
  write(image / "etc/os-release", "ID=basalt\n");
  fs::create_directories(image / "usr");
  for (const char* name : {"bin", "lib", "lib64"}) {
    if (fs::exists(fs::path("/") / name)) fs::create_symlink(fs::path("usr") / name, image / name);
  }
  ProcessSpec spec = shell(
      "cat /etc/os-release /data/file; pwd; echo x >/etc/new && cat /etc/new; cat /proc/self/comm; "
      "echo x >/dev/null && test -d /sys/kernel && test ! -e /var && echo alone");
  spec.root = image;
  spec.directory = "/job/here";
  spec.mounts = {{.source = volume(), .target = "/data"}, {.source = "/usr", .target = "/usr", .read_only = true}};
  const ProcessExit exit = run(spec);
  EXPECT_EQ(exit.output, "ID=basalt\ncontent\n/job/here\nx\ncat\nalone\n");
  EXPECT_FALSE(fs::exists(image / "etc/new"));
  EXPECT_FALSE(fs::exists(image / "data"));
  spec.root = directory_ / "missing";
  EXPECT_THAT(refused(spec).message, HasSubstr("is no directory"));
}

TEST(RootStepTest, IsDescribedAsTheContainerSeesIt) {
  const RootStep step{.kind = RootStepKind::Mount, .source = "/v", .target = "/state/stage/data"};
  EXPECT_EQ(describe(step, "/state/stage"), "mount /v at /data");
}

}  // namespace
}  // namespace basalt::node
