#include "kube/client/credentials.h"

#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "kube/client/client_fixture.h"
#include "kube/text/read_file.h"

namespace basalt::client {
namespace {

using ::testing::HasSubstr;

constexpr const char* kVersion = "client.authentication.k8s.io/v1";

std::string credential(const std::string& status) {
  return std::string(R"({"kind":"ExecCredential","apiVersion":")") + kVersion + R"(","status":)" + status + "}";
}

ExecPlugin plugin(std::string command) {
  return {.command = std::move(command), .api_version = kVersion, .interactive = ExecPlugin::Interactive::Never};
}

std::string exec_error(const ExecPlugin& exec) {
  const auto result = run_exec_plugin(exec, nullptr);
  return result ? "no error" : result.error().message;
}

TEST(ExecPlugin, IsToldWhatItNeedsAndAnswersACredential) {
  const ScratchDirectory scratch;
  ExecPlugin exec = plugin(scratch.script("login",
                                          "printf %s \"$KUBERNETES_EXEC_INFO\" > \"$OUT\"\n"
                                          "read line; echo \"$1$line\" >> \"$OUT.args\"\n"
                                          "cat \"$ANSWER\"\n"));
  exec.arguments = {"get token"};
  exec.environment = {{"OUT", scratch.path("info")},
                      {"ANSWER", scratch.write("answer", credential(R"({"token":"secret","expirationTimestamp":)"
                                                                    R"("2030-01-02T03:04:05Z"})"))}};
  exec.provide_cluster_info = true;
  exec.cluster = exec_cluster_info({.server = {.host = "h", .port = 6443}, .ca_pem = "CA"}, text::Object{{"a", 1}});
  const auto issued = run_exec_plugin(exec, nullptr);
  ASSERT_TRUE(issued) << issued.error().message;
  EXPECT_EQ(issued->token, "secret");
  EXPECT_EQ(issued->expires, Instant::from_unix_seconds(1'893'553'445));
  EXPECT_EQ(
      text::read_file(scratch.path("info")).value_or(""),
      R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"cluster":)"
      R"({"server":"https://h:6443","certificate-authority-data":"Q0E=","config":{"a":1}},"interactive":false}})");
  EXPECT_EQ(text::read_file(scratch.path("info.args")).value_or(""), "get token\n");  // standard input is empty
}

TEST(ExecPlugin, ErrorsNameTheProgramAndTheHint) {
  const ScratchDirectory scratch;
  ExecPlugin missing = plugin("basalt-no-such-program");
  missing.install_hint = "get it from \x1b[1mus";
  EXPECT_THAT(exec_error(missing), AllOf(HasSubstr("basalt-no-such-program"), HasSubstr("get it from ?[1mus")));
  EXPECT_THAT(exec_error(plugin(scratch.script("fails", "exit 3"))), HasSubstr("exit code 3"));
  EXPECT_THAT(exec_error(plugin(scratch.script("quiet", ""))), HasSubstr("printed no ExecCredential"));
  EXPECT_THAT(exec_error(plugin(scratch.script("endless", "exec cat /dev/zero"))), HasSubstr("printed more than"));
  EXPECT_THAT(exec_error(plugin(scratch.write("plain", "no program"))), HasSubstr("plain"));
}

TEST(ExecPlugin, AnInterruptEndsIt) {
  const ScratchDirectory scratch;
  const auto interrupt = net::Interrupt::make();
  ASSERT_TRUE(interrupt);
  (*interrupt)->raise();
  const auto result = run_exec_plugin(plugin(scratch.script("slow", "sleep 1000")), interrupt->get());
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("interrupted"));
}

TEST(ExecPlugin, AnswersThatAreNoneAreRefused) {
  const auto message = [](const std::string& text) {
    const auto parsed = parse_exec_credential(text, kVersion);
    return parsed ? "no error" : parsed.error().message;
  };
  EXPECT_EQ(message(credential(R"({"token":"t"})")), "no error");
  EXPECT_THAT(message("{}"), HasSubstr("kind"));
  EXPECT_THAT(message(R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"})"),
              HasSubstr("agree"));
  EXPECT_THAT(message(credential("null")), HasSubstr("status"));
  EXPECT_THAT(message(credential("{}")), HasSubstr("neither"));
  EXPECT_THAT(message(credential(R"({"clientCertificateData":"x"})")), HasSubstr("without the other"));
  EXPECT_THAT(message(credential(R"({"token":12345678})")),
              AllOf(HasSubstr("status.token"), Not(HasSubstr("12345678"))));
  EXPECT_THAT(message(credential(R"({"token":"t","expirationTimestamp":"soon"})")), HasSubstr("expirationTimestamp"));
}

TEST(CredentialSource, AStaticIdentityStaysAsItIs) {
  FakeHostEnvironment machine;
  CredentialSource token({.token = "t"}, machine.host_environment());
  EXPECT_EQ(token.current(nullptr).value()->authorization, "Bearer t");
  EXPECT_FALSE(token.refused(token.current(nullptr).value()->number, nullptr));
  CredentialSource basic({.username = "u", .password = "p"}, machine.host_environment());
  EXPECT_EQ(basic.current(nullptr).value()->authorization, "Basic dTpw");
  CredentialSource nobody({}, machine.host_environment());
  EXPECT_EQ(nobody.current(nullptr).value()->authorization, "");
}

TEST(CredentialSource, FilesAreReadAgain) {
  FakeHostEnvironment machine;
  machine.files = {{"/token", "one\n"}, {"/c", "CERT1"}, {"/k", "KEY1"}};
  CredentialSource source({.certificate_file = "/c", .key_file = "/k", .token_file = "/token"},
                          machine.host_environment());
  const Credentials first = **source.current(nullptr);
  EXPECT_EQ(first.authorization, "Bearer one");
  EXPECT_EQ(first.certificate_pem + first.key_pem, "CERT1KEY1");
  machine.files["/token"] = "two";
  EXPECT_EQ(source.current(nullptr).value()->authorization, "Bearer one");
  machine.now = machine.now + kRereadAfter;
  const Credentials second = **source.current(nullptr);
  EXPECT_EQ(second.authorization, "Bearer two");
  EXPECT_NE(second.number, first.number);
  EXPECT_EQ(second.certificate_number, first.certificate_number);
  machine.files["/c"] = "CERT2";
  machine.files.erase("/token");  // just being replaced
  machine.now = machine.now + kRereadAfter;
  EXPECT_EQ(source.current(nullptr).value()->authorization, "Bearer two");
  machine.files["/token"] = "three";
  EXPECT_TRUE(source.refused(second.number, nullptr));
  EXPECT_EQ(source.current(nullptr).value()->authorization, "Bearer three");
  EXPECT_NE(source.current(nullptr).value()->certificate_number, first.certificate_number);
}

TEST(CredentialSource, AuthoritiesAreReadAgain) {
  FakeHostEnvironment machine;
  CredentialSource source({.token = "t"}, machine.host_environment(), "from the start", "/ca");
  const Credentials first = **source.current(nullptr);
  EXPECT_EQ(first.ca_pem, "from the start") << "a file that is not there changes nothing";
  machine.files["/ca"] = "new";
  EXPECT_EQ(source.current(nullptr).value()->ca_pem, "from the start");
  machine.now = machine.now + kRereadAfter;
  EXPECT_EQ(source.current(nullptr).value()->ca_pem, "new");
  EXPECT_NE(source.current(nullptr).value()->certificate_number, first.certificate_number);
  machine.files["/ca"] = "";
  machine.now = machine.now + kRereadAfter;
  EXPECT_EQ(source.current(nullptr).value()->ca_pem, "new");
}

TEST(CredentialSource, AFileThatWasNeverThereIsAnError) {
  FakeHostEnvironment machine;
  CredentialSource source({.token_file = "/token"}, machine.host_environment());
  EXPECT_THAT(source.current(nullptr).error().message, HasSubstr("/token"));
  machine.files["/token"] = " \n";
  EXPECT_THAT(source.current(nullptr).error().message, HasSubstr("empty"));
}

TEST(CredentialSource, APluginRunsAgainWhenItsCredentialExpiresOrIsRefused) {
  const ScratchDirectory scratch;
  FakeHostEnvironment machine;
  AuthInfo identity{.exec = plugin(scratch.script("counting",
                                                  "echo x >> \"$COUNT\"; n=$(wc -l < \"$COUNT\")\n"
                                                  "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"'" +
                                                      std::string(kVersion) +
                                                      "'\",\"status\":{\"token\":\"t'$((n))'\",\"expirationTimestamp\":"
                                                      "\"2030-01-01T00:00:00Z\"}}'\n"))};
  identity.exec->environment = {{"COUNT", scratch.path("count")}};
  CredentialSource source(std::move(identity), machine.host_environment());
  EXPECT_EQ(source.current(nullptr).value()->authorization, "Bearer t1");
  EXPECT_EQ(source.current(nullptr).value()->authorization, "Bearer t1");
  machine.now = Instant::from_unix_seconds(1'893'455'995);  // five seconds before the end
  const Credentials second = **source.current(nullptr);
  EXPECT_EQ(second.authorization, "Bearer t2");
  EXPECT_TRUE(source.refused(second.number, nullptr));
  machine.now = Instant::from_unix_seconds(1'800'000'000);
  EXPECT_EQ(source.current(nullptr).value()->authorization, "Bearer t3");
  EXPECT_TRUE(source.refused(second.number, nullptr));  // others have renewed it: no fourth run
  EXPECT_EQ(source.current(nullptr).value()->authorization, "Bearer t3");
}

}  // namespace
}  // namespace basalt::client
