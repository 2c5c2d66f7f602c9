#include "control/node/local/volume_manager.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/node/local/object_fixture.h"
#include "control/node/local/pod_references.h"
#include "control/node/local/volume_mounts.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

class VolumesTest : public ::testing::Test {
 protected:
  VolumesTest() {
    world.put(R"({"kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"color": "red", "size": "big"},
                  "binaryData": {"blob": "AAEC"}})");
    world.put(R"({"kind": "Secret", "metadata": {"name": "keys"}, "data": {"pass": "czNjcmV0"}})");
  }

  static text::Object pod(std::string_view volumes, std::string_view more = "{}") {
    text::Object made = json(R"({"metadata": {"name": "p", "namespace": "blue", "uid": "u-1", "labels": {"a": "b"}}})");
    made["spec"] = json(more);
    made["spec"].get_object()["volumes"] = text::parse_json(volumes).value();
    return made;
  }
  Result<PodVolumes> set_up_volumes(std::string_view list, std::string_view more = "{}") {
    return volumes.set_up_volumes(pod(list, more), place, world.lookup());
  }
  std::string error(std::string_view list) {
    const auto made = set_up_volumes(list);
    return made ? "(none)" : made.error().message;
  }
  static unsigned mode_of(const fs::path& path) {
    struct stat found{};
    return stat(path.c_str(), &found) == 0 ? found.st_mode & 07777U : 0;
  }
  [[nodiscard]] fs::path at(std::string_view name) const { return directory.path() / "pods/u-1/volumes" / name; }

  TestDirectory directory, outside;
  VolumeManager volumes{directory.path()};
  ObjectFixture world;
  PodPlacement place = {.pod_address = "127.64.0.1"};
};

TEST_F(VolumesTest, ConfigMapsAndSecrets) {
  const auto made = set_up_volumes(R"([{"name": "all", "configMap": {"name": "settings", "defaultMode": 420}},
    {"name": "some", "configMap": {"name": "settings", "items": [{"key": "color", "path": "deep/c", "mode": 256}]}},
    {"name": "keys", "secret": {"secretName": "keys", "defaultMode": 384}},
    {"name": "none", "secret": {"secretName": "nix", "optional": true}}])");
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(content_of(at("all") / "color"), "red");
  EXPECT_EQ(content_of(at("all") / "blob"), std::string("\0\1\2", 3));
  EXPECT_EQ(mode_of(at("all") / "color"), 0644U);
  EXPECT_EQ(content_of(at("some") / "deep/c"), "red");
  EXPECT_EQ(mode_of(at("some") / "deep/c"), 0400U);
  EXPECT_FALSE(fs::exists(at("some") / "color"));
  EXPECT_EQ(content_of(at("keys") / "pass"), "s3cret");
  EXPECT_EQ(mode_of(at("keys") / "pass"), 0600U);
  EXPECT_TRUE(fs::is_directory(at("none")));
  EXPECT_EQ(made->by_name.at("all").path, at("all"));
  EXPECT_TRUE(made->by_name.at("all").read_only);
  EXPECT_EQ(mode_of(directory.path() / "pods/u-1"), 0700U);
}

TEST_F(VolumesTest, AChangeReachesTheFilesAtOnce) {
  const char* const list = R"([{"name": "all", "configMap": {"name": "settings"}}, {"name": "own", "emptyDir": {}}])";
  ASSERT_TRUE(set_up_volumes(list));
  put_file(at("own") / "work", "done");
  world.put(R"({"kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"color": "green"}})");
  ASSERT_TRUE(set_up_volumes(list));
  EXPECT_EQ(content_of(at("all") / "color"), "green");
  EXPECT_FALSE(fs::exists(at("all") / "size"));
  EXPECT_EQ(content_of(at("own") / "work"), "done");
}

TEST_F(VolumesTest, WhatIsMissingIsNamed) {
  EXPECT_EQ(error(R"([{"name": "v", "configMap": {"name": "x"}}])"),
            R"(MountVolume.SetUp failed for volume "v" : configmap "x" not found)");
  EXPECT_EQ(error(R"([{"name": "v", "secret": {"secretName": "x"}}])"),
            R"(MountVolume.SetUp failed for volume "v" : secret "x" not found)");
  EXPECT_EQ(error(R"([{"name": "v", "configMap": {"name": "settings", "items": [{"key": "x", "path": "y"}]}}])"),
            R"(MountVolume.SetUp failed for volume "v" : configmap references non-existent config key: x)");
  EXPECT_EQ(error(R"([{"name": "v", "secret": {"secretName": "keys", "items": [{"key": "x", "path": "y"}]}}])"),
            R"(MountVolume.SetUp failed for volume "v" : references non-existent secret key: x)");
  EXPECT_EQ(error(R"([{"name": "v", "persistentVolumeClaim": {"claimName": "x"}}])"),
            R"(MountVolume.SetUp failed for volume "v" : persistentvolumeclaim "x" not found)");
  EXPECT_NE(error(R"([{"name": "v", "nfs": {"server": "x"}}])").find("type \"nfs\" are not offered"),
            std::string::npos);
  EXPECT_NE(error(R"([{"name": "v", "csi": {"driver": "x"}}])").find("type \"csi\" are not offered"),
            std::string::npos);
}

TEST_F(VolumesTest, Projections) {
  const auto made = set_up_volumes(R"([{"name": "v", "projected": {"defaultMode": 288, "sources": [
    {"configMap": {"name": "settings", "items": [{"key": "color", "path": "a/color"}]}},
    {"secret": {"name": "keys"}}, {"secret": {"name": "nix", "optional": true}},
    {"downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}},
      {"path": "cpu", "mode": 511, "resourceFieldRef": {"containerName": "c", "resource": "limits.cpu"}}]}},
    {"serviceAccountToken": {"path": "token"}}]}}])",
                                   R"({"containers": [{"name": "c", "resources": {"limits": {"cpu": "2"}}}]})");
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(content_of(at("v") / "a/color"), "red");
  EXPECT_EQ(content_of(at("v") / "pass"), "s3cret");
  EXPECT_EQ(mode_of(at("v") / "pass"), 0440U);
  EXPECT_EQ(content_of(at("v") / "labels"), "a=\"b\"");
  EXPECT_EQ(content_of(at("v") / "cpu"), "2");
  EXPECT_EQ(mode_of(at("v") / "cpu"), 0777U);
  EXPECT_FALSE(fs::exists(at("v") / "token"));
  ASSERT_EQ(made->notes.size(), 1U);
  EXPECT_NE(error(R"([{"name": "v", "projected": {"sources": [{"clusterTrustBundle": {"path": "x"}}]}}])")
                .find("type clusterTrustBundle"),
            std::string::npos);

  PodObjectLookup lookup = world.lookup();
  lookup.token = [](std::string_view ns, std::string_view account) {
    return "token of " + std::string(ns) + "/" + std::string(account);
  };
  ASSERT_TRUE(volumes.set_up_volumes(pod(R"([{"name": "v", "projected": {"sources":
    [{"serviceAccountToken": {"path": "token"}}]}}])"),
                                     place, lookup));
  EXPECT_EQ(content_of(at("v") / "token"), "token of blue/default");
}

TEST_F(VolumesTest, EmptyDirectories) {
  const auto made = set_up_volumes(R"([{"name": "a", "emptyDir": {}}, {"name": "b", "emptyDir": {"medium": "Memory"}},
    {"name": "c"}, {"name": "d", "emptyDir": null}, {"name": "e", "ephemeral": {}}])");
  ASSERT_TRUE(made) << made.error().message;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    EXPECT_EQ(mode_of(at(name)), 0777U) << name;
    EXPECT_FALSE(made->by_name.at(name).read_only);
  }
}

TEST_F(VolumesTest, TheGroupOwnsWhatIsMade) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const auto made = set_up_volumes(R"([{"name": "a", "emptyDir": {}}, {"name": "k", "secret": {"secretName": "keys",
    "defaultMode": 256}}])",
                                   R"({"securityContext": {"fsGroup": 4242}})");
  ASSERT_TRUE(made) << made.error().message;
  struct stat found{};
  ASSERT_EQ(stat(at("a").c_str(), &found), 0);
  EXPECT_EQ(found.st_gid, 4242U);
  ASSERT_EQ(stat((at("k") / "pass").c_str(), &found), 0);
  EXPECT_EQ(found.st_gid, 4242U);
  EXPECT_EQ(found.st_mode & 0777U, 0440U);
}

TEST_F(VolumesTest, TheGroupOwnsWhatAClaimHolds) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  world.put(R"({"kind": "PersistentVolumeClaim", "metadata": {"name": "data", "uid": "c-1"}})");
  const char* const list = R"([{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}])";
  const fs::path claim = directory.path() / "claims/c-1";
  put_file(outside.path() / "other", "not the volume's");
  put_file(claim / "a/file", "x");
  fs::create_symlink(outside.path() / "other", claim / "link");
  const auto group_of = [](const fs::path& path) {
    struct stat found{};
    return lstat(path.c_str(), &found) == 0 ? found.st_gid : 0;
  };
  ASSERT_TRUE(set_up_volumes(list, R"({"securityContext": {"fsGroup": 4242}})"));
  for (const char* path : {"", "a", "a/file", "link"}) EXPECT_EQ(group_of(claim / path), 4242U) << path;
  EXPECT_EQ(mode_of(claim / "a/file") & 0060U, 0060U);
  EXPECT_EQ(mode_of(claim / "a") & 02070U, 02070U);
  EXPECT_EQ(group_of(outside.path() / "other"), getegid());
  // A pod that has it already, and one whose policy is content with the directory, leave it as it is.
  put_file(claim / "later", "x");
  ASSERT_TRUE(set_up_volumes(list, R"({"securityContext": {"fsGroup": 4242}})"));
  ASSERT_TRUE(volumes.remove("u-1"));
  ASSERT_EQ(chown((claim / "later").c_str(), 0, 0), 0);
  ASSERT_TRUE(
      set_up_volumes(list, R"({"securityContext": {"fsGroup": 4242, "fsGroupChangePolicy": "OnRootMismatch"}})"));
  EXPECT_EQ(group_of(claim / "later"), 0U);
  ASSERT_TRUE(volumes.remove("u-1"));
  ASSERT_TRUE(
      set_up_volumes(list, R"({"securityContext": {"fsGroup": 4243, "fsGroupChangePolicy": "OnRootMismatch"}})"));
  EXPECT_EQ(group_of(claim / "later"), 4243U);
}

TEST_F(VolumesTest, HostPaths) {
  const fs::path host = outside.path() / "host";
  put_file(host / "file", "x");
  const auto ask = [&](const fs::path& path, std::string_view type) {
    const auto made = set_up_volumes(
        fmt::format(R"([{{"name": "v", "hostPath": {{"path": "{}", "type": "{}"}}}}])", path.string(), type));
    return made ? made->by_name.at("v").path.string() : made.error().message;
  };
  EXPECT_EQ(ask(host, ""), host);
  EXPECT_EQ(ask(host, "Directory"), host);
  EXPECT_EQ(ask(host / "file", "File"), host / "file");
  EXPECT_EQ(ask("/dev/null", "CharDevice"), "/dev/null");
  EXPECT_EQ(ask(host / "new/er", "DirectoryOrCreate"), host / "new/er");
  EXPECT_TRUE(fs::is_directory(host / "new/er"));
  EXPECT_EQ(ask(host / "new/file", "FileOrCreate"), host / "new/file");
  EXPECT_TRUE(fs::is_regular_file(host / "new/file"));
  EXPECT_NE(
      ask(host / "file", "Directory").find("type check failed: " + (host / "file").string() + " is not a directory"),
      std::string::npos);
  for (const char* type : {"File", "Socket", "CharDevice", "BlockDevice", "FileOrCreate", "Nonsense"}) {
    EXPECT_NE(ask(host, type).find("failed for volume"), std::string::npos) << type;
  }
  EXPECT_NE(ask(host / "none", "").find("does not exist"), std::string::npos);
  EXPECT_NE(ask("relative", "").find("must be absolute"), std::string::npos);
  EXPECT_NE(ask("/a/../etc", "").find("'..'"), std::string::npos);
  EXPECT_NE(ask(host / "file/below", "FileOrCreate").find("Not a directory"), std::string::npos);
}

TEST_F(VolumesTest, NoHostPathLeadsToWhatIsHidden) {
  volumes = VolumeManager(directory.path() / "node", {directory.path() / "state"});
  for (const char* path : {"node/pods", "state/pki"}) fs::create_directories(directory.path() / path);
  put_file(directory.path() / "state/pki/ca.key", "key");
  fs::create_symlink(directory.path() / "state", directory.path() / "link");
  for (const char* path :
       {"node", "node/pods", "state", "state/pki", "state/pki/ca.key", "link", "link/pki", "state/new", "link/new"}) {
    for (const char* type : {"", "DirectoryOrCreate", "FileOrCreate"}) {
      const std::string message = error(fmt::format(R"([{{"name": "v", "hostPath": {{"path": "{}", "type": "{}"}}}}])",
                                                    (directory.path() / path).string(), type));
      EXPECT_NE(message.find("the cluster keeps its own state there"), std::string::npos) << path << ": " << message;
    }
  }
  EXPECT_FALSE(fs::exists(directory.path() / "state/new"));
  // What holds it can be asked for; the container sees it empty (container_root.h).
  EXPECT_EQ(error(fmt::format(R"([{{"name": "v", "hostPath": {{"path": "{}"}}}}])", directory.path().string())),
            "(none)");
}

TEST_F(VolumesTest, NothingIsMadeBehindALinkThatLeadsNowhere) {
  fs::create_symlink(outside.path() / "elsewhere", outside.path() / "link");
  for (const char* path : {"link", "link/x"}) {
    EXPECT_NE(error(fmt::format(R"([{{"name": "v", "hostPath": {{"path": "{}", "type": "DirectoryOrCreate"}}}}])",
                                (outside.path() / path).string())),
              "(none)");
  }
  EXPECT_FALSE(fs::exists(outside.path() / "elsewhere"));
}

TEST_F(VolumesTest, ClaimsStayWhenPodsGo) {
  world.put(R"({"kind": "PersistentVolumeClaim", "metadata": {"name": "data", "uid": "c-1"}})");
  const char* const list = R"([{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}])";
  auto made = set_up_volumes(list);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->by_name.at("v").path, directory.path() / "claims/c-1");
  put_file(directory.path() / "claims/c-1/file", "kept");
  ASSERT_TRUE(volumes.remove("u-1"));
  EXPECT_TRUE(volumes.uids().empty());
  ASSERT_TRUE(set_up_volumes(list));
  EXPECT_EQ(content_of(directory.path() / "claims/c-1/file"), "kept");
  EXPECT_EQ(volumes.claim_uids(), std::vector<std::string>{"c-1"});
  ASSERT_TRUE(volumes.remove_claim("c-1"));
  EXPECT_TRUE(volumes.claim_uids().empty());
}

TEST_F(VolumesTest, ClaimsBoundToPersistentVolumes) {
  const fs::path host = outside.path() / "host";
  fs::create_directory(host);
  world.put(
      R"({"kind": "PersistentVolumeClaim", "metadata": {"name": "a", "uid": "c-1"}, "spec": {"volumeName": "pv"}})");
  const char* const list = R"([{"name": "v", "persistentVolumeClaim": {"claimName": "a", "readOnly": true}}])";
  EXPECT_NE(error(list).find("persistentvolume \"pv\" not found"), std::string::npos);
  world.put(fmt::format(R"({{"kind": "PersistentVolume", "metadata": {{"name": "pv"}},
                             "spec": {{"local": {{"path": "{}"}}}}}})",
                        host.string()));
  const auto made = set_up_volumes(list);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->by_name.at("v").path, host);
  EXPECT_TRUE(made->by_name.at("v").read_only);
  world.put(R"({"kind": "PersistentVolume", "metadata": {"name": "pv"}, "spec": {"nfs": {}}})");
  EXPECT_NE(error(list).find("hostPath and local volumes only"), std::string::npos);
  world.put(
      R"({"kind": "PersistentVolumeClaim", "metadata": {"name": "a", "uid": "c-1"}, "spec": {"volumeMode": "Block"}})");
  EXPECT_NE(error(list).find("Block"), std::string::npos);
  world.put(R"({"kind": "PersistentVolumeClaim", "metadata": {"name": "a", "uid": "../../x"}})");
  EXPECT_NE(error(list).find("uid"), std::string::npos);
}

TEST_F(VolumesTest, RemovedWithAllThatIsInThem) {
  ASSERT_TRUE(set_up_volumes(R"([{"name": "v", "configMap": {"name": "settings"}}, {"name": "e", "emptyDir": {}}])"));
  put_file(at("e") / "a/b", "x");
  fs::permissions(at("e") / "a", fs::perms::none);
  EXPECT_EQ(volumes.uids(), std::vector<std::string>{"u-1"});
  ASSERT_TRUE(volumes.remove("u-1"));
  EXPECT_TRUE(volumes.uids().empty());
  EXPECT_TRUE(volumes.remove("u-1"));
  EXPECT_TRUE(volumes.remove("../../etc")) << "never had a directory";
  EXPECT_FALSE(volumes.pod_directory("../x"));
  EXPECT_FALSE(volumes.pod_directory(""));
}

TEST_F(VolumesTest, PodReferences) {
  const PodReferences found = references_of(pod(R"([{"name": "a", "configMap": {"name": "m1"}},
    {"name": "b", "secret": {"secretName": "s1"}}, {"name": "c", "persistentVolumeClaim": {"claimName": "c1"}},
    {"name": "d", "projected": {"sources": [{"configMap": {"name": "m2"}}, {"secret": {"name": "s2"}}, 5]}}, 7])",
                                                R"({"initContainers": [{"envFrom": [{"configMapRef": {"name": "m3"}}]}],
    "containers": [{"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s3", "key": "k"}}},
                            {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "m4"}}}],
                    "envFrom": [{"secretRef": {"name": "s4"}}]}]})"));
  EXPECT_EQ(found.config_maps, (PodReferences::Names{"m1", "m2", "m3", "m4"}));
  EXPECT_EQ(found.secrets, (PodReferences::Names{"s1", "s2", "s3", "s4"}));
  EXPECT_EQ(found.claims, (PodReferences::Names{"c1"}));
}

// Whatever stands in an object, nothing outside the node's directory comes to be.
TEST_F(VolumesTest, HostilePathsAreRefused) {
  const std::string long_part(300, 'x');
  const std::string long_path(6'000, '/');
  for (const std::string& path :
       {std::string("../x"), std::string("/etc/x"), std::string("a/../../x"), std::string("..data"),
        std::string("..data/x"), std::string("..version-1/x"), std::string(".."), std::string("."), std::string(),
        std::string("a\\u0000b"), long_part, long_path + "x", std::string("a/" + long_part)}) {
    EXPECT_NE(error(R"([{"name": "v", "configMap": {"name": "settings", "items": [{"key": "color", "path": ")" + path +
                    R"("}]}}])"),
              "(none)")
        << path.substr(0, 20);
    EXPECT_NE(
        error(R"([{"name": "v", "downwardAPI": {"items": [{"fieldRef": {"fieldPath": "metadata.name"}, "path": ")" +
              path + R"("}]}}])"),
        "(none)")
        << path.substr(0, 20);
    world.put(R"({"kind": "ConfigMap", "metadata": {"name": "evil"}, "data": {")" + path + R"(": "x"}})");
    EXPECT_NE(error(R"([{"name": "v", "configMap": {"name": "evil"}}])"), "(none)") << path.substr(0, 20);
    EXPECT_NE(error(R"([{"name": ")" + path + R"(", "emptyDir": {}}])"), path.starts_with("..data") ? "" : "(none)");
  }
  for (const auto& entry : fs::directory_iterator(directory.path())) EXPECT_EQ(entry.path().filename(), "pods");
}

// Broken objects of all shapes: an answer or an error, never more.
TEST_F(VolumesTest, AnyValueAnywhere) {
  const std::vector<std::string> odd = {"null",
                                        "5",
                                        "-1",
                                        "\"x\"",
                                        "[]",
                                        "{}",
                                        "[{}]",
                                        "[5]",
                                        "true",
                                        "1e300",
                                        R"([{"key": 5, "path": [], "mode": "x"}])",
                                        R"({"name": {"a": 1}})",
                                        R"([{"configMap": 5}, {"secret": []}, {"downwardAPI": {"items": 5}}, null])"};
  for (const char* source : {"configMap", "secret", "projected", "downwardAPI", "hostPath", "emptyDir",
                             "persistentVolumeClaim", "ephemeral", "nfs", ""}) {
    for (const std::string& value : odd) {
      (void)set_up_volumes(fmt::format(R"([{{"name": "v", "{}": {}}}])", source, value));
      for (const char* member : {"name", "secretName", "items", "sources", "defaultMode", "optional", "path", "type",
                                 "claimName", "medium"}) {
        (void)set_up_volumes(
            fmt::format(R"([{{"name": "v", "{}": {{"name": "settings", "secretName": "keys", "{}": {}}}}}])", source,
                        member, value));
      }
    }
  }
  for (const std::string& value : odd) {
    (void)set_up_volumes(value);
    (void)volumes.set_up_volumes(json(R"({"metadata": )" + value + R"(, "spec": )" + value + "}"), place,
                                 world.lookup());
  }
  std::string many = "[";
  for (int i = 0; i < 1'001; ++i) many += fmt::format(R"({}{{"name": "v{}"}})", i == 0 ? "" : ",", i);
  EXPECT_NE(error(many + "]").find("more than 1000 volumes"), std::string::npos);
}

}  // namespace
}  // namespace basalt::node
