#include "kube/net/http_parser.h"

#include <gmock/gmock.h>

#include "kube/net/response_text.h"
#include "kube/net/send_buffer.h"

namespace basalt::net {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

const std::string kRequest =
    "PATCH /api/v1/pods/a?x=1 HTTP/1.1\r\nHost: here\r\nX-A: 1\r\nx-a: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
    "5\r\nhello\r\n7;q=1\r\n, world\r\n0\r\n\r\n";

// However the bytes are cut, the message is the same.
TEST(RequestParser, AnyCutGivesTheSameMessage) {
  for (size_t step = 1; step < kRequest.size(); ++step) {
    RequestParser parser(4096, 4096);
    std::string waiting;
    ParseStep last = ParseStep::More;
    for (size_t at = 0; at < kRequest.size(); at += step) {
      ASSERT_EQ(last, ParseStep::More) << step;
      waiting += kRequest.substr(at, step);
      const ParseResult parsed = parser.feed(waiting);
      waiting.erase(0, parsed.taken);
      last = parsed.step;
    }
    ASSERT_EQ(last, ParseStep::Done) << step;
    const HttpRequest& message = parser.message();
    EXPECT_EQ(message.method, "PATCH");
    EXPECT_EQ(message.target, "/api/v1/pods/a?x=1");
    EXPECT_EQ(message.headers.get("X-A"), "1");
    EXPECT_EQ(message.headers.list.size(), 4U);
    EXPECT_EQ(message.body, "hello, world");
    EXPECT_TRUE(parser.keep_alive());
  }
}

TEST(RequestParser, LeavesTheNextRequestAlone) {
  RequestParser parser(4096, 4096);
  const std::string first = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  const ParseResult parsed = parser.feed(first + "GET /next");
  EXPECT_EQ(parsed.step, ParseStep::Done);
  EXPECT_EQ(parsed.taken, first.size());
}

// Every prefix and every flipped byte: an answer, never a crash.
TEST(RequestParser, BrokenBytesNeverCrash) {
  for (size_t at = 0; at < kRequest.size(); ++at) {
    for (const int flip : {0x01, 0x20, 0x80, 0xFF}) {
      std::string broken = kRequest;
      broken[at] = static_cast<char>(broken[at] ^ flip);
      RequestParser parser(4096, 4096);
      EXPECT_LE(parser.feed(broken).taken, broken.size());
    }
  }
}

TEST(ResponseParser, ReadsToTheEndOfTheConnection) {
  ResponseParser parser(4096, 4096, false, nullptr);
  EXPECT_EQ(parser.feed("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nall ").step, ParseStep::More);
  EXPECT_EQ(parser.feed("of it").step, ParseStep::More);
  EXPECT_EQ(parser.feed_end().step, ParseStep::Done);
  EXPECT_EQ(parser.message().body, "all of it");
  EXPECT_EQ(parser.message().content_type, "text/plain");
}

TEST(ResponseParser, EarlyEndIsAnError) {
  ResponseParser nothing(4096, 4096, false, nullptr);
  EXPECT_EQ(nothing.feed_end().step, ParseStep::BadMessage);
  ResponseParser half(4096, 4096, false, nullptr);
  EXPECT_EQ(half.feed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab").step, ParseStep::More);
  EXPECT_EQ(half.feed_end().step, ParseStep::BadMessage);
}

TEST(ResponseText, WritesAHead) {
  std::string out;
  append_head(out, {.status = 409, .body = "12345", .headers = {{{"X-B", "c"}}}},
              {.keep_alive = false, .now = 784111777});
  EXPECT_EQ(out,
            "HTTP/1.1 409 Conflict\r\nContent-Type: application/json\r\nX-B: c\r\n"
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nConnection: close\r\nContent-Length: 5\r\n\r\n");
}

TEST(ResponseText, UnknownStatusStillHasAReason) {
  std::string out;
  append_head(out, {.status = 599}, {});
  EXPECT_THAT(out, HasSubstr("HTTP/1.1 599 Unknown\r\n"));
  EXPECT_THAT(out, EndsWith("\r\n\r\n"));
}

TEST(SendBuffer, GivesBackAllBytesInOrder) {
  for (const size_t size :
       {size_t{0}, size_t{10}, SendBuffer::kRecordBytes - 4, SendBuffer::kRecordBytes, size_t{100'000}}) {
    std::string body(size, 'x');
    for (size_t i = 0; i < size; ++i) body[i] = static_cast<char>('a' + i % 26);
    SendBuffer box;
    box.text() = "head";
    box.put_body(body);
    std::string sent;
    while (!box.empty()) {
      const auto next = box.next().substr(0, 1000);
      sent += next;
      box.sent(next.size());
    }
    EXPECT_TRUE(sent == "head" + body) << size;
    EXPECT_TRUE(box.next().empty());
  }
}

TEST(Headers, NamesCompareWithoutCase) {
  const Headers headers{{{"Content-Type", "a"}, {"X", "first"}, {"x", "second"}}};
  EXPECT_EQ(headers.get("content-type"), "a");
  EXPECT_EQ(headers.get("X"), "first");
  EXPECT_EQ(headers.get("Content"), "");
}

}  // namespace
}  // namespace basalt::net
