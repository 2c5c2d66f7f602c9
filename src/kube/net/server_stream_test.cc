// Streams, and the server's end.
#include <gmock/gmock.h>

#include <functional>
#include <mutex>
#include <thread>

#include "kube/net/net_fixture.h"

namespace basalt::net {
namespace {

using std::chrono::milliseconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;

// Writes `chunks` lines one after the other, then finishes.
void count_to(const std::shared_ptr<ResponseStream>& stream, int next, int chunks) {
  if (next == chunks) return stream->finish();
  stream->write(std::to_string(next) + "\n", [stream, next, chunks](bool written) {
    if (written) count_to(stream, next + 1, chunks);
  });
}

class StreamTest : public ServerTest {
 protected:
  // The handler's stream goes to the test.
  std::future<std::shared_ptr<ResponseStream>> start_handing_over() {
    auto opened = std::make_shared<std::promise<std::shared_ptr<ResponseStream>>>();
    start([opened](const std::shared_ptr<HttpExchange>& exchange) { opened->set_value(exchange->stream({})); });
    return opened->get_future();
  }
  static std::future<bool> write(ResponseStream& stream, std::string chunk) {
    auto done = std::make_shared<std::promise<bool>>();
    stream.write(std::move(chunk), [done](bool written) { done->set_value(written); });
    return done->get_future();
  }
  static std::future<void> closed(ResponseStream& stream) {
    auto done = std::make_shared<std::promise<void>>();
    stream.on_closed([done] { done->set_value(); });
    return done->get_future();
  }
};

TEST_F(StreamTest, ManyChunksThenKeepAlive) {
  start([](const std::shared_ptr<HttpExchange>& exchange) { count_to(exchange->stream({}), 0, 2000); });
  std::string expected;
  for (int i = 0; i < 2000; ++i) expected += std::to_string(i) + "\n";
  HttpClient one = client();
  for (int round = 0; round < 3; ++round) {
    std::string body;
    const auto response = one.stream(get("/"), [&](const HttpResponse& head, std::string_view piece) {
      EXPECT_EQ(head.status, 200U);
      body += piece;
      return true;
    });
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(body, expected);
  }
  EXPECT_EQ(server->figures().accepted, 1U);
}

TEST_F(StreamTest, LargeChunksFromAnotherThread) {
  auto opened = start_handing_over();
  const std::string large(size_t{3} << 20U, 'z');
  std::jthread writer([&] {
    const auto stream = await(std::move(opened));
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(await(write(*stream, large)));
    stream->finish();
  });
  size_t got = 0;
  ASSERT_TRUE(client().stream(get("/"), [&](const HttpResponse&, std::string_view piece) {
    got += piece.size();
    return true;
  }));
  EXPECT_EQ(got, 3 * large.size());
}

TEST_F(StreamTest, HeadIsSentBeforeTheFirstChunk) {
  auto opened = start_handing_over();
  bool greeted = false;
  ASSERT_TRUE(client().stream(get("/"), [&](const HttpResponse& head, std::string_view piece) {
    greeted = head.status == 200 && piece.empty();
    return false;
  }));
  EXPECT_TRUE(greeted);
}

TEST_F(StreamTest, PeerThatDisappearsBetweenWritesIsNoticed) {
  auto opened = start_handing_over();
  std::shared_ptr<ResponseStream> stream;
  std::future<void> gone;
  {
    HttpClient one = client();
    ASSERT_TRUE(one.stream(get("/"), [&](const HttpResponse&, std::string_view piece) {
      if (!stream) {
        stream = await(std::move(opened));
        gone = closed(*stream);
        stream->write("first", [](bool) {});
      }
      return piece != "first";
    }));
  }
  await(std::move(gone));
  EXPECT_FALSE(await(write(*stream, "too late")));
}

TEST_F(StreamTest, OnClosedAfterTheEndIsCalledAtOnce) {
  auto opened = start_handing_over();
  ASSERT_TRUE(client().stream(get("/"), [](const HttpResponse&, std::string_view) { return false; }));
  const auto stream = await(std::move(opened));
  await(closed(*stream));
  await(closed(*stream));
}

TEST_F(StreamTest, PeerThatNeverReadsIsCutOff) {
  options.limits.write_timeout = milliseconds(100);
  auto opened = start_handing_over();
  ClientConnection link = raw();
  ASSERT_TRUE(link.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n", soon()));
  const auto stream = await(std::move(opened));
  auto gone = closed(*stream);
  const std::string chunk(size_t{1} << 20U, 'x');
  int writes = 0;
  while (await(write(*stream, chunk))) ASSERT_LT(++writes, 1000) << "nobody reads this";
  await(std::move(gone));
}

TEST_F(StreamTest, ResponseThatNobodyReadsIsCutOff) {
  options.limits.write_timeout = milliseconds(100);
  start([](const std::shared_ptr<HttpExchange>& exchange) {
    exchange->reply({.body = std::string(size_t{64} << 20U, 'x')});
  });
  ClientConnection link = raw();
  ASSERT_TRUE(link.send("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n", soon()));
  server->stop(kTestTimeout);  // waits for the answer, which cannot be sent
  EXPECT_EQ(server->figures().open, 0U);
}

TEST_F(StreamTest, RequestsAheadOfAStreamsEndAreAnsweredAfterIt) {
  std::promise<std::shared_ptr<ResponseStream>> opened;
  start([&](const std::shared_ptr<HttpExchange>& exchange) {
    if (exchange->request().target == "/stream") return opened.set_value(exchange->stream({}));
    exchange->reply({.body = "second"});
  });
  ClientConnection link = raw();
  ASSERT_TRUE(
      link.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n"
                "GET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                soon()));
  const auto stream = await(opened.get_future());
  EXPECT_TRUE(await(write(*stream, "first")));
  stream->finish();
  const std::string answers = drain(link);
  EXPECT_THAT(answers, HasSubstr("5\r\nfirst\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answers, EndsWith("second"));
}

TEST_F(StreamTest, DroppedStreamCutsTheConnection) {
  start([](const std::shared_ptr<HttpExchange>& exchange) {
    const auto stream = exchange->stream({});
    stream->write("half", [](bool) {});
  });
  const auto response = client().stream(get("/"), [](const HttpResponse&, std::string_view) { return true; });
  EXPECT_FALSE(response) << "half a body must not look whole";
}

TEST_F(StreamTest, StopEndsStreamsInGoodOrder) {
  auto opened = start_handing_over();
  std::jthread stopper;
  std::string body;
  const auto response = client().stream(get("/"), [&](const HttpResponse&, std::string_view piece) {
    if (opened.valid()) {
      const auto stream = await(std::move(opened));
      stopper = std::jthread([this, stream, gone = closed(*stream)]() mutable {
        EXPECT_TRUE(await(write(*stream, "before")));
        server->stop(kTestTimeout);
        await(std::move(gone));
      });
    }
    body += piece;
    return true;
  });
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(body, "before");
  stopper.join();
  EXPECT_EQ(server->figures().open, 0U);
}

TEST_F(StreamTest, StopLetsRequestsFinishAndClosesIdleConnections) {
  std::promise<std::shared_ptr<HttpExchange>> asked;
  start([&](std::shared_ptr<HttpExchange> exchange) { asked.set_value(std::move(exchange)); });
  ClientConnection idle = raw();
  ClientConnection busy = raw();
  ASSERT_TRUE(busy.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n", soon()));
  auto exchange = await(asked.get_future());
  std::jthread stopper([this] { server->stop(kTestTimeout); });
  EXPECT_EQ(drain(idle), "");  // closed: so the server is stopping
  exchange->reply({.body = "the last word"});
  const std::string answer = drain(busy);
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(answer, EndsWith("the last word"));
  stopper.join();
  EXPECT_FALSE(HttpClient::connect("127.0.0.1", server->port(), trusting));
}

TEST_F(StreamTest, GraceEndsAndLateAnswersAreHarmless) {
  std::promise<std::shared_ptr<HttpExchange>> asked;
  std::promise<std::shared_ptr<ResponseStream>> opened;
  start([&](std::shared_ptr<HttpExchange> exchange) {
    if (exchange->request().target == "/stream") return opened.set_value(exchange->stream({}));
    asked.set_value(std::move(exchange));
  });
  ClientConnection one = raw();
  ClientConnection two = raw();
  ASSERT_TRUE(one.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n", soon()));
  ASSERT_TRUE(two.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n", soon()));
  auto exchange = await(asked.get_future());
  auto stream = await(opened.get_future());
  auto gone = closed(*stream);
  server->stop(milliseconds(20));
  await(std::move(gone));
  EXPECT_EQ(drain(one), "");
  server.reset();
  exchange->reply({.body = "nobody hears this"});
  stream->write("nor this", [](bool) { ADD_FAILURE() << "the server is gone"; });
  stream->finish();
}

TEST_F(StreamTest, ServerEndsWithOpenConnectionsAndUnansweredRequests) {
  std::mutex mutex;
  std::vector<std::shared_ptr<HttpExchange>> kept;
  start([&](std::shared_ptr<HttpExchange> exchange) {
    const std::scoped_lock lock(mutex);
    kept.push_back(std::move(exchange));
  });
  std::vector<ClientConnection> links;
  for (int i = 0; i < 20; ++i) {
    links.push_back(raw());
    ASSERT_TRUE(links.back().send("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HT", soon()));
  }
  server.reset();
  kept.clear();
}

}  // namespace
}  // namespace basalt::net
