#include "programs/daemon/diagnostics_server.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "kube/client/wall_clock.h"
#include "kube/net/certificates.h"
#include "kube/net/http_client.h"
#include "programs/daemon/log_level_page.h"

namespace basalt::daemon {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

net::HttpRequest request(std::string method, std::string target, std::string body = "") {
  return {.method = std::move(method), .target = std::move(target), .body = std::move(body)};
}

PageTable some_pages() {
  return {{"/healthz", healthy()},
          {"/readyz", ready_when([] { return std::string("the cache is not filled yet: pods"); })},
          {"/metrics", metrics_of([] { return std::string("a 1\n"); })},
          {"PUT /only", healthy()}};
}

TEST(PageTable, AnswerByPathAndMethod) {
  const PageTable pages = some_pages();
  EXPECT_EQ(answer_of(pages, request("GET", "/healthz")).body, "ok");
  EXPECT_EQ(answer_of(pages, request("HEAD", "/healthz?verbose=1")).status, 200U);
  const auto unready = answer_of(pages, request("GET", "/readyz"));
  EXPECT_EQ(unready.status, 500U);
  EXPECT_THAT(unready.body, HasSubstr("the cache is not filled yet: pods"));
  const auto metrics = answer_of(pages, request("GET", "/metrics"));
  EXPECT_EQ(metrics.body, "a 1\n");
  EXPECT_THAT(metrics.content_type, StartsWith("text/plain; version=0.0.4"));
  EXPECT_EQ(answer_of(pages, request("PUT", "/only")).status, 200U);
}

TEST(PageTable, RefuseTheRest) {
  const PageTable pages = some_pages();
  for (const char* target : {"", "/", "/healthz/", "//healthz", "/nothing", "PUT /only", "*", "?", "/metrics%00"}) {
    const auto answer = answer_of(pages, request("GET", target));
    EXPECT_EQ(answer.status, 404U) << target;
    EXPECT_THAT(answer.body, HasSubstr("/metrics"));
  }
  for (const char* method : {"PUT", "POST", "DELETE", "", "get"}) {
    const auto answer = answer_of(pages, request(method, "/healthz"));
    EXPECT_EQ(answer.status, 405U) << method;
    EXPECT_EQ(answer.headers.get("Allow"), "GET, HEAD");
  }
  EXPECT_EQ(answer_of(pages, request("GET", "/only")).headers.get("Allow"), "PUT");
}

TEST(PageTable, FindValuesInAQuery) {
  EXPECT_EQ(query_value("/x?level=5&duration=60s", "level"), "5");
  EXPECT_EQ(query_value("/x?level=5&duration=60s", "duration"), "60s");
  EXPECT_EQ(query_value("/x?a%20b=1&b=%C2%B5s", "b"), "µs");
  for (const char* target : {"/x", "/x?", "/x?&&", "/x?levels=1", "/x?level", "/x?=5", "/x?level=%zz", ""}) {
    EXPECT_EQ(query_value(target, "level"), "") << target;
  }
}

TEST(ListenAddress, IsReadAsGoReadsIt) {
  const auto read = [](std::string_view text) {
    const auto address = parse_listen_address(text);
    return address ? address->address + " " + std::to_string(address->port) : "";
  };
  EXPECT_EQ(read(":8080"), " 8080");
  EXPECT_EQ(read("0.0.0.0:11251"), "0.0.0.0 11251");
  EXPECT_EQ(read("[::1]:0"), "::1 0");
  EXPECT_EQ(read("[::]:65535"), ":: 65535");
  EXPECT_EQ(read("localhost:1"), "127.0.0.1 1");
  for (const char* wrong :
       {"", "8080", ":", ":x", ":-1", ":65536", "::1:80", "[::1:80", "[1.2.3.4]:80", "[]:80", "a:b:1"}) {
    EXPECT_EQ(read(wrong), "") << wrong;
  }
}

TEST(LogPages, ReadAndSetTheLevel) {
  AsyncLog log("test", LogFormat::Text, 3);
  PageTable pages;
  add_log_level_page(pages, log);
  EXPECT_EQ(answer_of(pages, request("GET", "/debug/flags/v")).body, "3\n");
  EXPECT_EQ(answer_of(pages, request("PUT", "/debug/flags/v", "5\n")).status, 200U);
  EXPECT_EQ(log.level(), 5);
  for (const char* wrong : {"", "x", "-1", "5 6", "99999999999"}) {
    EXPECT_EQ(answer_of(pages, request("PUT", "/debug/flags/v", wrong)).status, 400U) << wrong;
  }
  EXPECT_EQ(log.level(), 5);
}

TEST(DiagnosticsServer, ServeInPlainHttp) {
  auto endpoints = DiagnosticsServer::start("127.0.0.1:0", {}, some_pages());
  ASSERT_TRUE(endpoints) << endpoints.error().message;
  auto client = net::HttpClient::connect("127.0.0.1", (*endpoints)->port(), {.tls = false});
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_EQ(client->request(request("GET", "/healthz"))->body, "ok");
  EXPECT_EQ(client->request(request("GET", "/nothing"))->status, 404U);
  const auto second = DiagnosticsServer::start("127.0.0.1:" + std::to_string((*endpoints)->port()), {}, {});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("in use"));
}

class EndpointFilesTest : public ::testing::Test {
 protected:
  EndpointFilesTest() {
    std::string name = (std::filesystem::temp_directory_path() / "basalt-endpoints-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    directory = name;
  }
  ~EndpointFilesTest() override { std::filesystem::remove_all(directory); }
  std::string file(const std::string& name, const std::string& content) {
    const std::filesystem::path path = directory / name;
    std::ofstream(path) << content;
    return path.string();
  }
  std::filesystem::path directory;
};

TEST_F(EndpointFilesTest, ServeInTls) {
  const auto authority = net::make_authority("test", client::wall_clock()).value();
  const auto server = net::sign_server(authority, {.common_name = "x", .names = {"127.0.0.1"}}, client::wall_clock());
  const DiagnosticsTlsOptions files{.certificate_file = file("tls.crt", server->certificate_pem),
                                    .key_file = file("tls.key", server->key_pem),
                                    .client_ca_file = file("ca.crt", authority.certificate_pem)};
  auto endpoints = DiagnosticsServer::start("127.0.0.1:0", files, some_pages());
  ASSERT_TRUE(endpoints) << endpoints.error().message;
  auto client = net::HttpClient::connect("127.0.0.1", (*endpoints)->port(), {.ca_pem = authority.certificate_pem});
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_EQ(client->request(request("GET", "/healthz"))->body, "ok");
}

TEST_F(EndpointFilesTest, NewFilesAreServedAndABadPairIsNot) {
  const Instant now = client::wall_clock();
  const auto authority = net::make_authority("test", now).value(), later = net::make_authority("later", now).value();
  const auto pair_of = [now](const net::KeyPair& by) {
    return net::sign_server(by, {.common_name = "x", .names = {"127.0.0.1"}}, now).value();
  };
  const net::KeyPair first = pair_of(authority), second = pair_of(later);
  std::vector<std::string> complaints;
  const DiagnosticsTlsOptions files{.certificate_file = file("tls.crt", first.certificate_pem),
                                    .key_file = file("tls.key", first.key_pem),
                                    .report_error = [&](const std::string& line) { complaints.push_back(line); }};
  auto endpoints = DiagnosticsServer::start("127.0.0.1:0", files, some_pages());
  ASSERT_TRUE(endpoints) << endpoints.error().message;
  const auto is_served_by = [&](const net::KeyPair& trusted) {
    return net::HttpClient::connect("127.0.0.1", (*endpoints)->port(), {.ca_pem = trusted.certificate_pem}).has_value();
  };
  EXPECT_TRUE(is_served_by(authority));

  file("tls.crt", second.certificate_pem);  // its key comes later
  for (int i = 0; i < 2; ++i) (*endpoints)->look(now);
  EXPECT_TRUE(is_served_by(authority));
  ASSERT_EQ(complaints.size(), 1U);
  EXPECT_THAT(complaints.front(), HasSubstr("keeping the certificate in use"));

  file("tls.key", second.key_pem);
  (*endpoints)->look(now);
  EXPECT_TRUE(is_served_by(later));
  EXPECT_FALSE(is_served_by(authority));
}

TEST_F(EndpointFilesTest, SayWhatIsWrongWithTheFiles) {
  const std::string garbage = file("garbage", "no PEM");
  const auto wrong = [](const DiagnosticsTlsOptions& files) {
    const auto started = DiagnosticsServer::start("127.0.0.1:0", files, {});
    return started ? "" : started.error().message;
  };
  EXPECT_THAT(wrong({.certificate_file = garbage}), HasSubstr("key file"));
  EXPECT_THAT(wrong({.client_ca_file = garbage}), HasSubstr("key file"));
  EXPECT_THAT(wrong({.certificate_file = "/nowhere/tls.crt", .key_file = garbage}), HasSubstr("/nowhere/tls.crt"));
  EXPECT_NE(wrong({.certificate_file = garbage, .key_file = garbage}), "");
}

}  // namespace
}  // namespace basalt::daemon
