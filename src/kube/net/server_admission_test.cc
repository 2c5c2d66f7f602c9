// What is let in before it is read, how much of it all together, and who makes room for whom.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "kube/net/descriptor_limit.h"
#include "kube/net/net_fixture.h"

namespace basalt::net {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class AdmissionTest : public ServerTest {
 protected:
  // Waits for what another thread does.
  template <class Condition>
  static void until(Condition condition) {
    const auto end = soon();
    while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_TRUE(condition()) << "waited in vain";
  }
  // "Basic …" may come in, nobody else.
  void ask_for_a_name() {
    options.body_gate = [](const HttpRequest& head) -> BodyAdmission {
      if (!head.headers.get("Authorization").empty()) return {.refusal = std::nullopt, .body_bytes = 100'000};
      return {.refusal = HttpResponse{.status = 401, .body = "who are you?"}};
    };
  }
  // What the server says next.
  static std::string hear(ClientConnection& link) {
    std::array<char, 64> piece{};
    const auto got = link.receive(piece, soon());
    return got ? std::string(piece.data(), *got) : "";
  }
  // Announces `bytes` and sends `sent` of them.
  static std::string begin_post(size_t bytes, size_t sent) {
    return "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(bytes) + "\r\n\r\n" +
           std::string(sent, 'x');
  }
};

TEST_F(AdmissionTest, NoBodyOfAStrangerIsWaitedFor) {
  ask_for_a_name();
  start_echo();
  for (const std::string framing : {"Content-Length: 3000000\r\n", "Transfer-Encoding: chunked\r\n",
                                    "Content-Length: 3000000\r\nExpect: 100-continue\r\n"}) {
    const std::string answer = answer_to("POST / HTTP/1.1\r\nHost: x\r\n" + framing + "\r\n");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 401 ")) << framing;
    EXPECT_THAT(answer, HasSubstr("who are you?"));
    EXPECT_THAT(answer, HasSubstr("Connection: close"));
  }
  EXPECT_EQ(server->figures().requests, 0U);
  EXPECT_EQ(server->figures().body_bytes, 0U);
}

TEST_F(AdmissionTest, AStrangerWhoSendsAllTheSameGetsToRead401) {
  ask_for_a_name();
  start_echo();
  const auto response = client().request(post("/", std::string(3'000'000, 'x')));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 401U);
}

TEST_F(AdmissionTest, WhoIsKnownIsToldToContinueUpToTheLimitOfThisRequest) {
  ask_for_a_name();
  start_echo();
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nAuthorization: me\r\nConnection: close\r\n";
  ClientConnection link = raw();
  ASSERT_TRUE(link.send(head + "Content-Length: 5\r\nExpect: 100-Continue\r\n\r\n", soon()));
  EXPECT_THAT(hear(link), StartsWith("HTTP/1.1 100 Continue"));
  ASSERT_TRUE(link.send("abcde", soon()));
  EXPECT_THAT(drain(link), HasSubstr("abcde"));
  EXPECT_THAT(answer_to(head + "Content-Length: 100001\r\nExpect: 100-continue\r\n\r\n"), StartsWith("HTTP/1.1 413 "));
  const std::string chunk = "c351\r\n" + std::string(0xc351, 'x') + "\r\n";  // 50001 bytes
  EXPECT_THAT(answer_to(head + "Transfer-Encoding: chunked\r\n\r\n" + chunk + chunk), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(answer_to(head + "Content-Length: 5\r\nExpect: miracles\r\n\r\n"), StartsWith("HTTP/1.1 417 "));
}

TEST_F(AdmissionTest, AllBodiesTogetherStayWithinTheirBudget) {
  options.limits.all_body_bytes = 100'000;
  start_echo();
  ClientConnection first = raw();
  ASSERT_TRUE(first.send(begin_post(90'000, 60'000), soon()));
  until([&] { return server->figures().body_bytes == 60'000; });
  const std::string answer = answer_to(begin_post(60'000, 60'000));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 429 "));
  EXPECT_THAT(answer, HasSubstr("Retry-After: 1"));
  const std::string chunk = "c351\r\n" + std::string(0xc351, 'x') + "\r\n";
  EXPECT_THAT(answer_to("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk),
              StartsWith("HTTP/1.1 429 "));
  // Who was there first gets on, and what it held is free again.
  ASSERT_TRUE(first.send(std::string(30'000, 'x'), soon()));
  EXPECT_THAT(hear(first), StartsWith("HTTP/1.1 200 "));
  until([&] { return server->figures().body_bytes == 0; });
  EXPECT_EQ(must(client().request(post("/", std::string(90'000, 'x')))).status, 200U);
}

TEST_F(AdmissionTest, ABodyHoldsTheBudgetUntilItIsAnswered) {
  std::promise<std::shared_ptr<HttpExchange>> asked;
  start([&asked](std::shared_ptr<HttpExchange> exchange) { asked.set_value(std::move(exchange)); });
  ClientConnection link = raw();
  ASSERT_TRUE(link.send(begin_post(20'000, 20'000), soon()));
  const auto exchange = await(asked.get_future());
  EXPECT_EQ(server->figures().body_bytes, 20'000U);
  exchange->reply({.body = "done"});
  until([&] { return server->figures().body_bytes == 0; });
}

TEST_F(AdmissionTest, WhoSendsSlowlyOrHangsUpGivesTheBudgetBack) {
  options.limits.request_timeout = milliseconds(50);
  start_echo();
  EXPECT_THAT(answer_to(begin_post(90'000, 60'000)), StartsWith("HTTP/1.1 408 "));
  {
    ClientConnection link = raw();
    ASSERT_TRUE(link.send(begin_post(90'000, 60'000), soon()));
  }
  until([&] { return server->figures().body_bytes == 0; });
}

TEST_F(AdmissionTest, AnswersThatWaitStayWithinTheirBudget) {
  options.limits.all_answer_bytes = 1'000'000;
  start([](const std::shared_ptr<HttpExchange>& exchange) { exchange->reply({.body = std::string(2'000'000, 'x')}); });
  const auto read = must(client().request(get("/")));
  EXPECT_EQ(read.status, 429U);
  EXPECT_EQ(read.headers.get("Retry-After"), "1");
  // What was done already is answered all the same.
  EXPECT_EQ(must(client().request(post("/", "x"))).status, 200U);
  until([&] { return server->figures().answer_bytes == 0; });
}

TEST_F(AdmissionTest, AStreamThatFindsNoRoomEnds) {
  options.limits.all_answer_bytes = 1'000'000;
  std::promise<bool> written;
  std::shared_ptr<ResponseStream> stream;
  start([&](const std::shared_ptr<HttpExchange>& exchange) {
    stream = exchange->stream({});
    stream->write(std::string(2'000'000, 'x'), [&written](bool all) { written.set_value(all); });
  });
  ClientConnection link = raw();
  ASSERT_TRUE(link.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n", soon()));
  EXPECT_FALSE(await(written.get_future()));
  EXPECT_THAT(drain(link), Not(HasSubstr("xxx")));
}

TEST_F(AdmissionTest, IdleConnectionsMakeRoomForNewOnes) {
  options.limits.connections = 2;
  start_echo();
  HttpClient first = client(), second = client();
  ASSERT_TRUE(first.request(get("/")));
  ASSERT_TRUE(second.request(get("/")));
  HttpClient third = client();
  EXPECT_EQ(must(third.request(get("/"))).status, 200U);
  EXPECT_EQ(server->figures().made_room, 1U);
}

TEST_F(AdmissionTest, HeadersThatTrickleInMakeRoomToo) {
  options.limits.connections = 2;
  start_echo();
  ClientConnection first = raw(), second = raw();
  ASSERT_TRUE(first.send("GET / HT", soon()));
  ASSERT_TRUE(second.send("GET / HT", soon()));
  EXPECT_EQ(must(client().request(get("/"))).status, 200U);
}

// The longest idle one goes; one that is at work stays.
TEST_F(AdmissionTest, WhoIsAtWorkMakesNoRoom) {
  options.limits.connections = 2;
  std::promise<std::shared_ptr<HttpExchange>> asked;
  start([&asked](std::shared_ptr<HttpExchange> exchange) {
    if (exchange->request().target == "/wait") return asked.set_value(std::move(exchange));
    exchange->reply({.body = "ok"});
  });
  ClientConnection busy = raw();
  ASSERT_TRUE(busy.send("GET /wait HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", soon()));
  const auto exchange = await(asked.get_future());
  const ClientConnection idle = raw();
  EXPECT_EQ(must(client().request(get("/"))).status, 200U);
  exchange->reply({.body = "finished"});
  EXPECT_THAT(drain(busy), HasSubstr("finished"));
}

// All descriptors of the process but one, given back at the end.
class DescriptorHog {
 public:
  DescriptorHog() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit low = before_;
    low.rlim_cur = std::min<rlim_t>(before_.rlim_cur, 512);
    ::setrlimit(RLIMIT_NOFILE, &low);
    for (int one = ::dup(0); one >= 0; one = ::dup(0)) taken_.push_back(one);
  }
  DescriptorHog(const DescriptorHog&) = delete;
  DescriptorHog& operator=(const DescriptorHog&) = delete;
  ~DescriptorHog() {
    for (const int one : taken_) ::close(one);
    ::setrlimit(RLIMIT_NOFILE, &before_);
  }
  void free_one() {
    ::close(taken_.back());
    taken_.pop_back();
  }

 private:
  rlimit before_{};
  std::vector<int> taken_;
};

TEST_F(AdmissionTest, WithoutDescriptorsIdleConnectionsMakeRoom) {
  start_echo();
  HttpClient idle = client();
  ASSERT_TRUE(idle.request(get("/")));
  DescriptorHog hog;
  hog.free_one();  // for the new client's own end; the server finds none
  EXPECT_EQ(must(client().request(get("/"))).status, 200U);
  EXPECT_GE(server->figures().made_room, 1U);
}

}  // namespace
}  // namespace basalt::net
