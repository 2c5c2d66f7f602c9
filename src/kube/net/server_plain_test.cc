// A server without TLS, on all interfaces, on a socket file; and one whose certificate is replaced while it runs.
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "kube/net/net_fixture.h"

namespace basalt::net {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class PlainServerTest : public ServerTest {
 protected:
  PlainServerTest() {
    options.tls = {};
    trusting.tls = false;
  }
  ClientConnection plain(const std::string& host) {
    return must(ClientConnection::connect(nullptr, {.host = host, .port = server->port()}, soon(), nullptr));
  }
};

TEST_F(PlainServerTest, AnswersManyRequestsOnOneConnection) {
  start_echo();
  HttpClient one = client();
  const std::string large(options.limits.body_bytes, 'x');
  for (int i = 0; i < 50; ++i) {
    const std::string number = std::to_string(i);
    EXPECT_EQ(must(one.request(post("/" + number, "b"))).body, "POST /" + number + " b");
  }
  EXPECT_TRUE(must(one.request(post("/", large))).body == "POST / " + large);
  EXPECT_EQ(server->figures().accepted, 1U);
}

TEST_F(PlainServerTest, StreamsAndNoticesAHangUp) {
  std::promise<void> gone;
  start([&](const std::shared_ptr<HttpExchange>& exchange) {
    auto stream = exchange->stream({});
    stream->on_closed([&gone] { gone.set_value(); });
    stream->write("first", [stream](bool) {});
  });
  {
    ClientConnection link = plain("127.0.0.1");
    ASSERT_TRUE(link.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n", soon()));
    std::string all;
    std::array<char, 4096> chunk{};
    while (!all.contains("first")) all.append(chunk.data(), must(link.receive(chunk, soon())));
  }
  await(gone.get_future());
}

TEST_F(PlainServerTest, RefusesWhatIsNotHttp) {
  start_echo();
  ClientConnection link = plain("127.0.0.1");
  ASSERT_TRUE(
      link.send(std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + std::string(600, '\0'), soon()));
  EXPECT_THAT(drain(link), StartsWith("HTTP/1.1 400 "));
}

TEST_F(PlainServerTest, StopsWithAnIdleConnection) {
  start_echo();
  HttpClient one = client();
  EXPECT_EQ(must(one.request(get("/"))).body, "GET / ");
  server->stop(kTestTimeout);
  EXPECT_FALSE(one.request(get("/")));
}

TEST_F(PlainServerTest, HasNoIdentityToReplace) {
  start_echo();
  const auto replaced = server->replace_identity(
      {.certificate_pem = certificates.server.certificate_pem, .key_pem = certificates.server.key_pem});
  ASSERT_FALSE(replaced);
  EXPECT_THAT(replaced.error().message, HasSubstr("plain HTTP"));
  EXPECT_EQ(must(client().request(get("/still"))).body, "GET /still ");
}

TEST_F(PlainServerTest, HalfAnIdentityIsAnError) {
  for (const TlsIdentity& half : {TlsIdentity{.certificate_pem = certificates.server.certificate_pem},
                                  TlsIdentity{.key_pem = certificates.server.key_pem},
                                  TlsIdentity{.client_ca_pem = certificates.authority.certificate_pem}}) {
    options.tls = half;
    EXPECT_FALSE(Server::start(options, [](const std::shared_ptr<HttpExchange>&) {}));
  }
}

TEST_F(PlainServerTest, ListensEverywhere) {
  options.address = "";
  start([](const std::shared_ptr<HttpExchange>& exchange) {
    exchange->reply({.body = exchange->request().peer.address});
  });
  EXPECT_THAT(must(client().request(get("/"))).body, StartsWith("127.0.0.1:")) << "a mapped address reads as IPv4";
  auto six = HttpClient::connect("::1", server->port(), trusting);
  if (six) {  // where the machine has IPv6
    EXPECT_THAT(must(six->request(get("/"))).body, StartsWith("[::1]:"));
  }
  ServerOptions same = options;
  same.port = server->port();
  const auto second = Server::start(same, [](const std::shared_ptr<HttpExchange>&) {});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr(":" + std::to_string(same.port)));
}

class SocketFileTest : public PlainServerTest {
 protected:
  SocketFileTest() {
    std::string name = (std::filesystem::temp_directory_path() / "basalt-net-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    directory = name;
    options.socket_file = directory / "x.sock";
  }
  ~SocketFileTest() override { std::filesystem::remove_all(directory); }

  [[nodiscard]] std::string ask(std::string_view request) const {
    const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    options.socket_file.copy(name.sun_path, sizeof name.sun_path - 1);
    std::string answer;
    if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 &&
        ::send(descriptor, request.data(), request.size(), MSG_NOSIGNAL) >= 0) {
      std::array<char, 4096> chunk{};
      for (ssize_t got = 0; (got = ::recv(descriptor, chunk.data(), chunk.size(), 0)) > 0;) {
        answer.append(chunk.data(), static_cast<size_t>(got));
      }
    }
    ::close(descriptor);
    return answer;
  }

  std::filesystem::path directory;
};

TEST_F(SocketFileTest, ServesItsOwner) {
  start_echo();
  EXPECT_EQ(server->port(), 0);
  struct stat found{};
  ASSERT_EQ(::stat(options.socket_file.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0077U, 0U) << "nobody else";
  EXPECT_THAT(ask("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), EndsWith("GET /a "));
}

TEST_F(SocketFileTest, ReplacesADeadSocketButNoOtherFile) {
  start_echo();
  server.reset();
  start_echo();
  EXPECT_THAT(ask("GET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), EndsWith("GET /b "));
  server.reset();
  std::filesystem::remove(options.socket_file);
  std::ofstream(options.socket_file) << "precious";
  const auto refused = Server::start(options, [](const std::shared_ptr<HttpExchange>&) {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr(options.socket_file));
  EXPECT_EQ(std::filesystem::file_size(options.socket_file), 8U);
}

TEST_F(SocketFileTest, PathsHaveALimit) {
  options.socket_file = "/" + std::string(200, 'x');
  EXPECT_FALSE(Server::start(options, [](const std::shared_ptr<HttpExchange>&) {}));
}

TEST_F(ServerTest, NewConnectionsGetTheNewIdentity) {
  start_echo();
  HttpClient old = client();
  EXPECT_EQ(must(old.request(get("/1"))).body, "GET /1 ");
  const TestAuthority later;
  ASSERT_TRUE(
      server->replace_identity({.certificate_pem = later.server.certificate_pem, .key_pem = later.server.key_pem}));
  EXPECT_EQ(must(old.request(get("/2"))).body, "GET /2 ") << "a connection that is there stays good";
  EXPECT_FALSE(HttpClient::connect("127.0.0.1", server->port(), trusting)) << "the old authority vouches no more";
  trusting.ca_pem = later.authority.certificate_pem;
  EXPECT_EQ(must(client().request(get("/3"))).body, "GET /3 ");
}

TEST_F(ServerTest, AnUnusableIdentityChangesNothing) {
  start_echo();
  for (const TlsIdentity& bad : {TlsIdentity{}, TlsIdentity{.certificate_pem = "x", .key_pem = "y"},
                                 TlsIdentity{.certificate_pem = certificates.server.certificate_pem,
                                             .key_pem = certificates.authority.key_pem}}) {
    EXPECT_FALSE(server->replace_identity(bad));
  }
  EXPECT_EQ(must(client().request(get("/"))).body, "GET / ");
}

}  // namespace
}  // namespace basalt::net
