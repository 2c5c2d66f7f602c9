#include "control/node/local/security_context.h"

#include "control/node/local/object_fixture.h"

namespace basalt::node {
namespace {

HostFeatures as_root() {
  HostFeatures can;
  can.mounts = can.process_namespace = can.other_users = can.read_only_roots = can.filters = true;
  can.bounding = kAllCapabilities;
  return can;
}

class SecurityContextTest : public ::testing::Test {
 protected:
  // Of a pod with one container, both with a securityContext.
  static ProcessSecurity read(std::string_view pod, std::string_view container) {
    const text::Object made = whole(pod, container);
    return security_of(made, made.at("spec").at("containers").at(0).get_object());
  }
  static text::Object whole(std::string_view pod, std::string_view container) {
    return json(R"({"spec": {"securityContext": )" + std::string(pod) +
                R"(, "containers": [{"name": "a", "securityContext": )" + std::string(container) + "}]}}");
  }
  static bool has(const ProcessSecurity& security, int capability) {
    return (security.capabilities & capability_bit(capability)) != 0;
  }
};

TEST_F(SecurityContextTest, NothingAskedFor) {
  const ProcessSecurity security = read("{}", "{}");
  EXPECT_EQ(security.capabilities, kDefaultCapabilities);
  EXPECT_TRUE(has(security, CAP_CHOWN));
  for (const int dangerous : {CAP_SYS_ADMIN, CAP_SYS_PTRACE, CAP_MKNOD, CAP_NET_RAW, CAP_DAC_READ_SEARCH}) {
    EXPECT_FALSE(has(security, dangerous)) << dangerous;
  }
  EXPECT_FALSE(security.no_new_privileges || security.filtered || security.read_only_root || security.host_devices ||
               security.unmasked_proc || security.host_ipc);
  EXPECT_TRUE(security.groups.empty());
}

TEST_F(SecurityContextTest, CapabilitiesAreAddedAndDropped) {
  ProcessSecurity security =
      read("{}", R"({"capabilities": {"add": ["NET_ADMIN", "CAP_SYS_PTRACE"], "drop": ["KILL"]}})");
  EXPECT_TRUE(has(security, CAP_NET_ADMIN) && has(security, CAP_SYS_PTRACE) && has(security, CAP_CHOWN));
  EXPECT_FALSE(has(security, CAP_KILL));
  security = read("{}", R"({"capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}})");
  EXPECT_EQ(security.capabilities, capability_bit(CAP_NET_BIND_SERVICE));
  security = read("{}", R"({"capabilities": {"add": ["ALL"], "drop": ["SYS_ADMIN"]}})");
  EXPECT_EQ(security.capabilities, kAllCapabilities & ~capability_bit(CAP_SYS_ADMIN));
  EXPECT_EQ(find_capability("CHECKPOINT_RESTORE"), CAP_CHECKPOINT_RESTORE);
  EXPECT_EQ(find_capability("CAP_MKNOD"), CAP_MKNOD);
  EXPECT_EQ(find_capability("sys_admin"), std::nullopt);
}

TEST_F(SecurityContextTest, TheContainersFieldCountsBeforeThePods) {
  EXPECT_TRUE(read(R"({"seccompProfile": {"type": "RuntimeDefault"}})", "{}").filtered);
  EXPECT_FALSE(
      read(R"({"seccompProfile": {"type": "RuntimeDefault"}})", R"({"seccompProfile": {"type": "Unconfined"}})")
          .filtered);
  EXPECT_FALSE(read(R"({"seccompProfile": {"type": "RuntimeDefault"}})", R"({"privileged": true})").filtered);
  EXPECT_TRUE(read("{}", R"({"allowPrivilegeEscalation": false})").no_new_privileges);
  EXPECT_FALSE(read("{}", R"({"allowPrivilegeEscalation": true})").no_new_privileges);
  EXPECT_EQ(read(R"({"supplementalGroups": [7, 5, 7, -1], "fsGroup": 6})", "{}").groups, (std::vector<gid_t>{5, 6, 7}));
  const ProcessSecurity privileged = read("{}", R"({"privileged": true})");
  EXPECT_TRUE(privileged.host_devices);
  EXPECT_EQ(privileged.capabilities, kAllCapabilities);
}

TEST_F(SecurityContextTest, WhatTakesEffectIsNotComplainedAbout) {
  EXPECT_EQ(fields_without_effect(whole(R"({"runAsUser": 1, "runAsGroup": 2, "runAsNonRoot": true, "fsGroup": 3,
                          "fsGroupChangePolicy": "OnRootMismatch", "supplementalGroups": [4],
                          "supplementalGroupsPolicy": "Strict", "seccompProfile": {"type": "RuntimeDefault"},
                          "appArmorProfile": {"type": "Unconfined"}, "sysctls": []})",
                                        R"({"privileged": true, "readOnlyRootFilesystem": true, "procMount": "Unmasked",
                          "allowPrivilegeEscalation": false,
                          "capabilities": {"add": ["NET_ADMIN"], "drop": ["ALL"]}})"),
                                  as_root()),
            "");
  EXPECT_EQ(fields_without_effect(json("{}"), {}), "");
}

TEST_F(SecurityContextTest, WhatHasNoEffectIsNamed) {
  EXPECT_EQ(
      fields_without_effect(whole(R"({"sysctls": [{"name": "a", "value": "b"}], "seccompProfile": {"type": "Localhost"},
                          "appArmorProfile": {"type": "RuntimeDefault"}, "supplementalGroupsPolicy": "Merge"})",
                                  R"({"seLinuxOptions": {"level": "s0"}, "windowsOptions": {},
                          "capabilities": {"add": ["NOTHING"], "drop": ["NOR_THIS"]}})"),
                            as_root()),
      "spec.securityContext.sysctls, spec.securityContext.seccompProfile, spec.securityContext.appArmorProfile, "
      "spec.securityContext.supplementalGroupsPolicy, spec.containers{a}.securityContext.seLinuxOptions, "
      "spec.containers{a}.securityContext.windowsOptions, "
      "spec.containers{a}.securityContext.capabilities.add: NOTHING, "
      "spec.containers{a}.securityContext.capabilities.drop: NOR_THIS");
  HostFeatures lacking = as_root();
  lacking.bounding &= ~capability_bit(CAP_SYS_RESOURCE);
  EXPECT_EQ(fields_without_effect(whole("{}", R"({"capabilities": {"add": ["CHOWN", "SYS_RESOURCE"]}})"), lacking),
            "spec.containers{a}.securityContext.capabilities.add: SYS_RESOURCE");
  EXPECT_EQ(fields_without_effect(json(R"({"spec": {"hostPID": true, "shareProcessNamespace": true, "hostUsers": false,
                                                    "hostIPC": true}})"),
                                  as_root()),
            "spec.hostPID, spec.shareProcessNamespace, spec.hostUsers");
}

TEST_F(SecurityContextTest, WithoutRootThereIsLess) {
  HostFeatures can;
  can.mounts = can.filters = true;
  EXPECT_EQ(fields_without_effect(whole(R"({"fsGroup": 3, "supplementalGroups": [4],
                                            "seccompProfile": {"type": "RuntimeDefault"}})",
                                        R"({"privileged": true, "readOnlyRootFilesystem": true,
                                            "allowPrivilegeEscalation": false,
                                            "capabilities": {"add": ["NET_ADMIN"], "drop": ["ALL"]}})"),
                                  can),
            "spec.securityContext.fsGroup, spec.securityContext.supplementalGroups, "
            "spec.containers{a}.securityContext.privileged, spec.containers{a}.securityContext.readOnlyRootFilesystem, "
            "spec.containers{a}.securityContext.capabilities.add: NET_ADMIN");
}

TEST_F(SecurityContextTest, ALongListIsCut) {
  text::Object pod = json(R"({"spec": {"containers": []}})");
  for (size_t i = 0; i < kMaxIgnoredFields + 3; ++i) {
    pod.at("spec")
        .at("containers")
        .get_array()
        .push_back(json(R"({"name": "c", "securityContext": {"seLinuxOptions": {}}})"));
  }
  EXPECT_TRUE(fields_without_effect(pod, as_root()).ends_with(" and 3 more"));
}

}  // namespace
}  // namespace basalt::node
