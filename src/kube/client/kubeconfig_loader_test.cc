#include "kube/client/kubeconfig_loader.h"

#include <gmock/gmock.h>

#include "kube/client/client_fixture.h"
#include "kube/client/in_cluster_config.h"
#include "kube/text/base64.h"

namespace basalt::client {
namespace {

using ::testing::HasSubstr;

std::string config_text(const std::string& name, const std::string& server, const std::string& user_fields) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: " + name + "\nclusters:\n- name: " + name +
         "\n  cluster: {server: '" + server + "'}\nusers:\n- name: " + name + "\n  user: " + user_fields +
         "\ncontexts:\n- name: " + name + "\n  context: {cluster: " + name + ", user: " + name + ", namespace: ns-" +
         name + "}\n";
}

class KubeconfigTest : public ::testing::Test {
 protected:
  KubeconfigTest() { options.host_environment = machine.host_environment(); }

  RestConfig load() {
    auto connection = load_rest_config(options);
    EXPECT_TRUE(connection) << (connection ? "" : connection.error().message);
    return connection.value_or(RestConfig{});
  }
  std::string error() {
    const auto connection = load_rest_config(options);
    return connection ? "no error" : connection.error().message;
  }
  // The error of a file with that text.
  std::string error_of(const std::string& text) {
    machine.files["/f"] = text;
    options.file = "/f";
    return error();
  }

  FakeHostEnvironment machine;
  KubeconfigOptions options;
};

TEST_F(KubeconfigTest, TheExplicitFileWinsOverEverything) {
  machine.files["/explicit"] = config_text("a", "https://a:1", "{token: t}");
  machine.files["/listed"] = config_text("b", "https://b:1", "{}");
  machine.files["/h/.kube/config"] = config_text("c", "https://c:1", "{}");
  machine.environment = {{"KUBECONFIG", "/listed"}, {"HOME", "/h"}};
  EXPECT_EQ(load().server.url(), "https://b:1");
  options.file = "/explicit";
  const RestConfig chosen = load();
  EXPECT_EQ(chosen.server.url(), "https://a:1");
  EXPECT_EQ(chosen.namespace_name, "ns-a");
  EXPECT_EQ(chosen.identity.token, "t");
  EXPECT_EQ(chosen.origin, "/explicit");
  machine.environment.erase("KUBECONFIG");
  options.file = "";
  EXPECT_EQ(load().server.url(), "https://c:1");
}

TEST_F(KubeconfigTest, AMissingExplicitFileIsAnErrorAMissingListedOneIsNot) {
  machine.files["/b"] = config_text("b", "https://b:1", "{}");
  machine.environment = {{"KUBECONFIG", "/missing::/b"}};
  EXPECT_EQ(load().cluster, "b");
  options.file = "/missing";
  EXPECT_THAT(error(), HasSubstr("/missing"));
}

TEST_F(KubeconfigTest, TheFirstFileWinsPerEntryAndCurrentContext) {
  machine.files["/a"] = "clusters:\n- name: shared\n  cluster: {server: 'https://first:1'}\ncurrent-context: two\n";
  machine.files["/b"] =
      "clusters:\n- name: shared\n  cluster: {server: 'https://second:1', insecure-skip-tls-verify: true}\n"
      "contexts:\n- name: one\n  context: {cluster: shared}\n- name: two\n  context: {cluster: shared, namespace: n2}\n"
      "current-context: one\n";
  machine.environment = {{"KUBECONFIG", "/a:/b"}};
  const RestConfig chosen = load();
  EXPECT_EQ(chosen.context, "two");
  EXPECT_EQ(chosen.namespace_name, "n2");
  EXPECT_EQ(chosen.server.url(), "https://first:1");
  EXPECT_FALSE(chosen.insecure);  // an entry wins as a whole
}

TEST_F(KubeconfigTest, OptionsOverrideContextClusterUserNamespaceAndServer) {
  machine.files["/f"] =
      "clusters:\n- name: c1\n  cluster: {server: 'https://c1:1', tls-server-name: inner}\n"
      "- name: c2\n  cluster: {server: 'https://c2:1'}\n"
      "users:\n- name: u1\n  user: {token: t1}\n- name: u2\n  user: {token: t2}\n"
      "contexts:\n- name: x\n  context: {cluster: c1, user: u1}\n- name: x2\n  context: {cluster: c2, user: u2}\n"
      "current-context: x\n";
  options.file = "/f";
  EXPECT_EQ(load().tls_server_name, "inner");
  EXPECT_EQ(load().namespace_name, "default");
  EXPECT_FALSE(load().namespace_given);
  options.context = "x2";
  EXPECT_EQ(load().server.url() + load().identity.token, "https://c2:1t2");
  options.cluster = "c1";
  options.user = "u1";
  options.namespace_name = "mine";
  EXPECT_EQ(load().server.url() + load().identity.token, "https://c1:1t1");
  EXPECT_EQ(load().namespace_name, "mine");
  EXPECT_TRUE(load().namespace_given);
  options.server = "https://other:9/base/";
  EXPECT_EQ(load().server.url(), "https://other:9/base");
  EXPECT_EQ(load().tls_server_name, "");  // it belonged to the other address
  options.context = "z";
  EXPECT_THAT(error(), AllOf(HasSubstr("context \"z\""), HasSubstr("/f"), HasSubstr("\"x\", \"x2\"")));
}

TEST_F(KubeconfigTest, AServerAloneIsEnough) {
  options.server = "http://localhost:8080";
  const RestConfig chosen = load();
  EXPECT_FALSE(chosen.server.tls);
  EXPECT_EQ(chosen.server.port, 8080);
}

TEST_F(KubeconfigTest, PathsAreRelativeToTheirFileAndDataAreDecoded) {
  machine.files["/conf/dir/f"] =
      "clusters:\n- name: c\n  cluster: {server: 'https://c', certificate-authority: pki/ca.crt, proxy-url: "
      "'http://me:se%20cret@proxy:3128'}\n"
      "users:\n- name: u\n  user: {client-certificate: /abs/u.crt, client-key: u.key, tokenFile: token}\n"
      "- name: d\n  user: {client-certificate-data: " +
      text::encode_base64("CERT") + ", client-key-data: " + text::encode_base64("KEY") +
      ", as: boss, as-groups: [g1, g2], as-user-extra: {a/b: [x]}}\n"
      "contexts:\n- name: x\n  context: {cluster: c, user: u}\ncurrent-context: x\n";
  machine.files["/conf/dir/pki/ca.crt"] = "CA";
  options.file = "/conf/dir/f";
  RestConfig chosen = load();
  EXPECT_EQ(chosen.ca_pem, "CA");
  EXPECT_EQ(chosen.server.port, 443);
  EXPECT_EQ(chosen.identity.certificate_file, "/abs/u.crt");
  EXPECT_EQ(chosen.identity.key_file, "/conf/dir/u.key");
  EXPECT_EQ(chosen.identity.token_file, "/conf/dir/token");
  ASSERT_TRUE(chosen.proxy);
  EXPECT_EQ(chosen.proxy->host + ":" + std::to_string(chosen.proxy->port), "proxy:3128");
  EXPECT_EQ(chosen.proxy->user_info, "me:se cret");
  options.user = "d";
  chosen = load();
  EXPECT_EQ(chosen.identity.certificate_pem + chosen.identity.key_pem, "CERTKEY");
  const std::vector<std::pair<std::string, std::string>> headers{{"Impersonate-User", "boss"},
                                                                 {"Impersonate-Group", "g1"},
                                                                 {"Impersonate-Group", "g2"},
                                                                 {"Impersonate-Extra-a%2Fb", "x"}};
  EXPECT_EQ(chosen.identity.impersonation, headers);
}

TEST_F(KubeconfigTest, NothingSecretIsUsedWithoutTls) {
  machine.files["/f"] = config_text("a", "http://a:1", "{token: t}");
  options.file = "/f";
  EXPECT_EQ(load().identity.token, "");
}

TEST_F(KubeconfigTest, InAPodTheServiceAccountIsUsed) {
  const std::string directory(kServiceAccountDirectory);
  machine.environment = {{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
  EXPECT_THAT(error(), HasSubstr("--kubeconfig"));  // no token is mounted
  machine.files[directory + "/token"] = "t";
  EXPECT_THAT(error(), HasSubstr("ca.crt"));
  machine.files[directory + "/ca.crt"] = "CA";
  machine.files[directory + "/namespace"] = "team\n";
  const RestConfig chosen = load();
  EXPECT_EQ(chosen.server.url(), "https://[fd00::1]:443");
  EXPECT_EQ(chosen.identity.token_file, directory + "/token");
  EXPECT_EQ(chosen.namespace_name, "team");
  machine.environment["HOME"] = "/h";
  machine.files["/h/.kube/config"] = config_text("home", "https://home:1", "{}");
  EXPECT_EQ(load().cluster, "home");
}

TEST_F(KubeconfigTest, TheEnvironmentsProxyIsUsedUnlessExempt) {
  options.server = "https://api.example.org:6443";
  machine.environment = {{"https_proxy", "http://p:1"}};
  ASSERT_TRUE(load().proxy);
  machine.environment["NO_PROXY"] = "other.org, .example.org";
  EXPECT_FALSE(load().proxy);
  options.server = "https://127.0.0.1:6443";
  machine.environment.erase("NO_PROXY");
  EXPECT_FALSE(load().proxy);
  options.server = "https://api.example.org";
  machine.environment["HTTPS_PROXY"] = "socks5://p:1";
  EXPECT_THAT(error(), HasSubstr("HTTPS_PROXY"));
}

TEST_F(KubeconfigTest, ErrorsNameFileFieldAndRemedy) {
  EXPECT_THAT(error_of("[1, 2]"), HasSubstr("/f"));
  EXPECT_THAT(error_of("kind: Pod\napiVersion: v1"), AllOf(HasSubstr("/f"), HasSubstr("is this a kubeconfig?")));
  EXPECT_THAT(error_of("clusters: {a: b}"), HasSubstr("clusters"));
  EXPECT_THAT(error_of("clusters:\n- name: c\n  cluster: {server: 5}"), HasSubstr("clusters[0].cluster.server"));
  EXPECT_THAT(error_of("clusters:\n- name: c\n  cluster: x"), HasSubstr("clusters[0].cluster"));
  EXPECT_THAT(error_of("clusters:\n- name: c\n- name: c"), HasSubstr("twice"));
  EXPECT_THAT(error_of("contexts:\n- name: x\n  context: {cluster: c}\ncurrent-context: x"),
              AllOf(HasSubstr("cluster \"c\""), HasSubstr("/f")));
  EXPECT_THAT(error_of("contexts:\n- name: x"), HasSubstr("no current-context"));
  EXPECT_THAT(error_of(""), HasSubstr("is this a kubeconfig?"));
  EXPECT_THAT(error_of(config_text("a", "ftp://a", "{}")), HasSubstr("https://host:6443"));
  EXPECT_THAT(error_of(config_text("a", "", "{}")), HasSubstr("server: is required"));
  EXPECT_THAT(error_of(config_text("a", "https://a", "{client-certificate: x}")), HasSubstr("add client-key"));
  EXPECT_THAT(error_of(config_text("a", "https://a", "{token: t, username: u}")), HasSubstr("both given"));
  EXPECT_THAT(error_of(config_text("a", "https://a", "{auth-provider: {name: gcp}}")), HasSubstr("exec plugin"));
  EXPECT_THAT(error_of(config_text("a", "https://a", "{exec: {command: x, apiVersion: v9}}")),
              HasSubstr("users[0].user.exec.apiVersion"));
  EXPECT_THAT(error_of(std::string(200'000, '[')), HasSubstr("/f"));
}

TEST_F(KubeconfigTest, SecretsStayOutOfErrors) {
  for (const char* fields : {"{token: 12345678}", "{password: [12345678]}", "{client-key-data: '12345678!'}"}) {
    const std::string message = error_of(config_text("a", "https://a", fields));
    EXPECT_THAT(message, AllOf(HasSubstr("users[0].user."), Not(HasSubstr("12345678"))));
  }
}

TEST_F(KubeconfigTest, AUserThatIsNotChosenMayBeUnusable) {
  machine.files["/f"] = config_text("a", "https://a", "{}") + "preferences: {}\n";
  machine.files["/g"] = config_text("b", "https://b", "{exec: {command: x, apiVersion: old}}");
  machine.environment = {{"KUBECONFIG", "/f:/g"}};
  EXPECT_EQ(load().user, "a");
  options.context = "b";
  EXPECT_THAT(error(), HasSubstr("apiVersion"));
}

}  // namespace
}  // namespace basalt::client
