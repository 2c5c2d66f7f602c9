#include "programs/up/merged_kubeconfig.h"

#include <gmock/gmock.h>

#include "kube/client/kubeconfig_file.h"
#include "kube/net/private_file.h"
#include "programs/up/kubeconfig_writer.h"
#include "programs/up/up_fixture.h"

namespace basalt::up {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr std::string_view kOfOthers = R"(apiVersion: v1
kind: Config
preferences: {}
current-context: work
clusters:
- name: work
  cluster: {server: "https://work.example:6443"}
users:
- name: work
  user: {token: "0123"}
contexts:
- name: work
  context: {cluster: work, user: work, namespace: team}
)";

class MergedKubeconfigTest : public DirectoryTest {
 protected:
  [[nodiscard]] client::Kubeconfig config() const {
    return must(client::parse_kubeconfig(must(net::read_private_file(file)), file.string()));
  }
  [[nodiscard]] std::string content() const { return must(net::read_private_file(file)); }

  const fs::path file = scratch / "kube" / "config";
  const std::string of_cluster = kubeconfig_text({.server = "https://127.0.0.1:6443",
                                                  .ca_certificate_pem = "CA",
                                                  .client = {.certificate_pem = "CERTIFICATE", .key_pem = "KEY"}});
};

TEST_F(MergedKubeconfigTest, AFileThatIsNotThereIsMade) {
  ASSERT_TRUE(merge_into(file, "basalt", of_cluster));
  EXPECT_EQ(mode(file), 0600U);
  EXPECT_EQ(config().current_context, "basalt");
  EXPECT_EQ(config().clusters.at("basalt").server, "https://127.0.0.1:6443");
  EXPECT_EQ(config().contexts.at("basalt").user, "basalt");
  EXPECT_EQ(config().contexts.at("basalt").namespace_name, "default");  // some clients want it written
  ASSERT_TRUE(remove_from(file, "basalt"));
  EXPECT_TRUE(config().empty()) << content();
}

TEST_F(MergedKubeconfigTest, WhatOthersHaveStaysAndTheirContextComesBack) {
  ASSERT_TRUE(fs::create_directories(file.parent_path()));
  ASSERT_TRUE(net::write_private_file(file, kOfOthers));
  ASSERT_TRUE(merge_into(file, "basalt", of_cluster));
  ASSERT_TRUE(merge_into(file, "basalt", of_cluster));  // again: the same
  EXPECT_EQ(config().current_context, "basalt");
  EXPECT_EQ(config().clusters.size(), 2U);
  EXPECT_EQ(config().contexts.at("work").namespace_name, "team");
  EXPECT_THAT(content(), HasSubstr("token: \"0123\""));
  ASSERT_TRUE(remove_from(file, "basalt"));
  EXPECT_EQ(config().current_context, "work");
  EXPECT_EQ(config().clusters.size(), 1U);
  EXPECT_EQ(config().users.size(), 1U);
  EXPECT_EQ(listing(scratch).count("kube/config.lock"), 0U);
}

TEST_F(MergedKubeconfigTest, AContextThatTheUserHasChosenSinceStaysCurrent) {
  ASSERT_TRUE(fs::create_directories(file.parent_path()));
  ASSERT_TRUE(net::write_private_file(file, kOfOthers));
  ASSERT_TRUE(merge_into(file, "basalt-a", of_cluster));
  ASSERT_TRUE(merge_into(file, "basalt-b", of_cluster));
  ASSERT_TRUE(remove_from(file, "basalt-a"));
  EXPECT_EQ(config().current_context, "basalt-b");
}

TEST_F(MergedKubeconfigTest, AContextOfSomebodyElseIsNeverReplaced) {
  ASSERT_TRUE(fs::create_directories(file.parent_path()));
  ASSERT_TRUE(net::write_private_file(file, kOfOthers));
  const auto merged = merge_into(file, "work", of_cluster);
  ASSERT_FALSE(merged);
  EXPECT_THAT(merged.error().message, HasSubstr("a context work of somebody else; it was not changed"));
  ASSERT_TRUE(remove_from(file, "work"));
  EXPECT_EQ(content(), kOfOthers);
}

TEST_F(MergedKubeconfigTest, WhatIsNoKubeconfigIsLeftAlone) {
  ASSERT_TRUE(fs::create_directories(file.parent_path()));
  for (const char* text : {"[1, 2]", "kind: Pod\n", "a: b: c"}) {
    ASSERT_TRUE(net::write_private_file(file, text));
    EXPECT_FALSE(merge_into(file, "basalt", of_cluster)) << text;
    EXPECT_EQ(content(), text);
  }
}

TEST_F(MergedKubeconfigTest, ALinkStaysALink) {
  ASSERT_TRUE(fs::create_directories(file.parent_path()));
  ASSERT_TRUE(net::write_private_file(scratch / "real", kOfOthers));
  fs::create_symlink(scratch / "real", file);
  ASSERT_TRUE(merge_into(file, "basalt", of_cluster));
  EXPECT_TRUE(fs::is_symlink(file));
  EXPECT_THAT(must(net::read_private_file(scratch / "real")), HasSubstr("basalt"));
}

TEST_F(MergedKubeconfigTest, AFileThatAnotherWritesIsLeftAlone) {
  ASSERT_TRUE(fs::create_directories(file.parent_path()));
  ASSERT_TRUE(net::write_private_file(file.string() + ".lock", ""));
  const auto merged = merge_into(file, "basalt", of_cluster);
  ASSERT_FALSE(merged);
  EXPECT_THAT(merged.error().message, HasSubstr("config.lock is there"));
  EXPECT_TRUE(fs::exists(file.string() + ".lock"));
}

TEST_F(MergedKubeconfigTest, TheFileIsWhereKubectlLooks) {
  std::map<std::string, std::string> variables{{"HOME", "/nowhere"}};
  const auto environment = [&variables](const std::string& name) { return variables[name]; };
  EXPECT_EQ(users_kubeconfig(environment), fs::path("/nowhere/.kube/config"));
  variables["KUBECONFIG"] = ":/etc/one:/etc/two";
  EXPECT_EQ(users_kubeconfig(environment), fs::path("/etc/one"));
  variables.clear();
  EXPECT_EQ(users_kubeconfig(environment), std::nullopt);
}

}  // namespace
}  // namespace basalt::up
