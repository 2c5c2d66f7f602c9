#include "programs/up/kubeconfig_writer.h"

#include <gmock/gmock.h>

#include "kube/client/kubeconfig_file.h"
#include "kube/net/private_file.h"
#include "programs/up/up_fixture.h"

namespace basalt::up {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class KubeconfigTest : public DirectoryTest {
 protected:
  void put(std::string_view content) const { ASSERT_TRUE(net::write_private_file(file, content)); }
  [[nodiscard]] std::string content() const { return must(net::read_private_file(file)); }
  void expect_kept(std::string_view why) const {
    const std::string before = content();
    const auto written = write_kubeconfig(file, parts);
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error().message, HasSubstr(file.string()));
    EXPECT_THAT(written.error().message, HasSubstr(why));
    EXPECT_EQ(content(), before);
  }

  const fs::path file = scratch / "config";
  const KubeconfigParts parts{.server = "https://127.0.0.1:6443",
                              .ca_certificate_pem = "CA",
                              .client = {.certificate_pem = "CERTIFICATE", .key_pem = "KEY"}};
};

TEST_F(KubeconfigTest, IsReadBack) {
  const auto config = must(client::parse_kubeconfig(kubeconfig_text(parts), "config"));
  EXPECT_EQ(config.current_context, "basalt");
  EXPECT_EQ(config.clusters.at("basalt").server, parts.server);
  EXPECT_EQ(config.clusters.at("basalt").ca_pem, "CA");
  EXPECT_EQ(config.contexts.at("basalt").user, "admin");
  EXPECT_TRUE(config.users.contains("admin"));
  EXPECT_EQ(config.contexts.at("basalt").namespace_name, "default") << "some clients ask for one";
}

TEST_F(KubeconfigTest, ReplacesWhatIsItsOwn) {
  ASSERT_TRUE(write_kubeconfig(file, parts));
  EXPECT_EQ(mode(file), 0600U);
  KubeconfigParts later = parts;
  later.server = "https://127.0.0.1:7443";
  ASSERT_TRUE(write_kubeconfig(file, later));
  EXPECT_EQ(content(), kubeconfig_text(later));
  put("");
  EXPECT_TRUE(write_kubeconfig(file, parts)) << "an empty file has nothing to lose";
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch), {}), 1);
}

TEST_F(KubeconfigTest, KeepsClustersOfOthers) {
  put("apiVersion: v1\nkind: Config\nclusters:\n- name: work\n  cluster: {server: 'https://work'}\n");
  expect_kept("of others");
  put(kubeconfig_text(parts) + "# merged\n");
  EXPECT_TRUE(may_write_kubeconfig(file));
  std::string merged = kubeconfig_text(parts);
  merged.insert(merged.find("contexts:"), "- name: me\n  user: {token: secret}\n");
  put(merged);
  expect_kept("of others");
}

TEST_F(KubeconfigTest, KeepsWhatIsNoKubeconfig) {
  put("dear diary\n\t: {");
  expect_kept("no kubeconfig");
  put("[]");
  expect_kept("no kubeconfig");
}

TEST_F(KubeconfigTest, FollowsNoLinkAndReplacesNoDirectory) {
  ASSERT_TRUE(net::write_private_file(scratch / "target", ""));
  fs::create_symlink(scratch / "target", file);
  EXPECT_THAT(write_kubeconfig(file, parts).error().message, HasSubstr("symbolic link"));
  EXPECT_TRUE(fs::is_symlink(file));
  EXPECT_EQ(fs::file_size(scratch / "target"), 0U);
  fs::create_directory(scratch / "folder");
  EXPECT_FALSE(write_kubeconfig(scratch / "folder", parts));
}

}  // namespace
}  // namespace basalt::up
