#include "kube/net/websocket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace basalt::net {
namespace {

using From = WebSocketParser::From;

std::string from_client(WebSocketOp op, std::string_view payload) {
  std::string out;
  append_frame(out, op, payload, 0xA1B2C3D4U);
  return out;
}

// A frame of a client whose first two bytes are given.
std::string raw_frame(uint8_t first, uint8_t second, std::string_view rest = "") {
  return std::string{static_cast<char>(first), static_cast<char>(second)}.append(rest);
}

std::string text_of(const WebSocketParser::FeedResult& fed) {
  std::string all;
  for (const WebSocketMessage& message : fed.messages) {
    all += std::to_string(static_cast<int>(message.op)) + ":" + message.payload + " ";
  }
  if (fed.fault) all += "fault " + std::to_string(fed.fault->code);
  return all;
}

std::string parsed(std::string_view bytes, From from = From::Client) {
  WebSocketParser parser(from);
  return text_of(parser.feed(bytes));
}

TEST(WebSocketFrames, EveryLengthComesBackHoweverItIsCut) {
  for (const size_t size : {0UL, 1UL, 125UL, 126UL, 65535UL, 65536UL}) {
    std::string payload(size, 'x');
    for (size_t i = 0; i < size; ++i) payload[i] = static_cast<char>(i * 7);
    const std::string bytes = from_client(WebSocketOp::Binary, payload);
    for (const size_t piece : {size_t{1}, size_t{3}, size_t{1000}, bytes.size()}) {
      WebSocketParser parser(From::Client);
      std::vector<WebSocketMessage> got;
      for (size_t at = 0; at < bytes.size(); at += piece) {
        auto fed = parser.feed(std::string_view(bytes).substr(at, piece));
        ASSERT_FALSE(fed.fault);
        for (WebSocketMessage& message : fed.messages) got.push_back(std::move(message));
      }
      ASSERT_EQ(got.size(), 1U) << size << " in pieces of " << piece;
      EXPECT_EQ(got[0].payload, payload);
    }
  }
}

TEST(WebSocketFrames, TheExampleOfTheStandard) {
  EXPECT_EQ(parsed("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"), "1:Hello ");
  EXPECT_EQ(parsed("\x81\x05Hello", From::Server), "1:Hello ");
  std::string out;
  append_frame(out, WebSocketOp::Text, "Hello", 0x37FA213DU);
  EXPECT_EQ(out, "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58");
}

TEST(WebSocketFrames, AMessageInPiecesWithAPingBetween) {
  std::string bytes = from_client(WebSocketOp::Binary, "one ");
  bytes[0] = 0x02;  // not the last
  bytes += from_client(WebSocketOp::Ping, "?");
  std::string middle = from_client(WebSocketOp::Continuation, "two ");
  middle[0] = 0x00;
  bytes += middle + from_client(WebSocketOp::Continuation, "three") + from_client(WebSocketOp::Text, "next");
  EXPECT_EQ(parsed(bytes), "9:? 2:one two three 1:next ");
}

TEST(WebSocketFrames, WhatBreaksTheProtocol) {
  EXPECT_EQ(parsed(raw_frame(0x82, 0x01, "x")), "fault 1002");           // not masked
  EXPECT_EQ(parsed(raw_frame(0x82, 0x81), From::Server), "fault 1002");  // masked
  EXPECT_EQ(parsed(raw_frame(0xC2, 0x80)), "fault 1002");                // reserved bit
  EXPECT_EQ(parsed(raw_frame(0x83, 0x80)), "fault 1002");                // unknown opcode
  EXPECT_EQ(parsed(raw_frame(0x8B, 0x80)), "fault 1002");                // unknown control opcode
  EXPECT_EQ(parsed(raw_frame(0x09, 0x80)), "fault 1002");                // a ping in pieces
  EXPECT_EQ(parsed(raw_frame(0x89, 0xFE)), "fault 1002");                // a long ping
  EXPECT_EQ(parsed(from_client(WebSocketOp::Continuation, "x")), "fault 1002");
  std::string begun = from_client(WebSocketOp::Binary, "x");
  begun[0] = 0x02;
  EXPECT_EQ(parsed(begun + from_client(WebSocketOp::Binary, "y")), "fault 1002");
  EXPECT_EQ(parsed(raw_frame(0x82, 0xFE, std::string("\x00\x05\x00\x00\x00\x00", 6))), "fault 1002");  // 5 as 16 bits
}

TEST(WebSocketFrames, NoMessageIsLongerThanTheLimit) {
  std::string claim = raw_frame(0x82, 0xFF, std::string("\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8) + "mask");
  EXPECT_EQ(parsed(claim), "fault 1009");
  claim[2] = '\xFF';  // not even a length
  EXPECT_EQ(parsed(claim), "fault 1009");
  EXPECT_EQ(parsed(from_client(WebSocketOp::Binary, std::string(kMaxWebSocketMessage + 1, 'x'))), "fault 1009");
  // Piece by piece it is no better.
  std::string piece = from_client(WebSocketOp::Binary, std::string(kMaxWebSocketMessage, 'x'));
  piece[0] = 0x02;
  EXPECT_EQ(parsed(piece + from_client(WebSocketOp::Continuation, "x")), "fault 1009");
}

TEST(WebSocketFrames, NothingCountsAfterACloseOrAFault) {
  const std::string more = from_client(WebSocketOp::Binary, "more");
  EXPECT_EQ(parsed(from_client(WebSocketOp::Close, close_payload(1000, "bye")) + more),
            "8:\x03\xE8"
            "bye ");
  EXPECT_EQ(parsed(from_client(WebSocketOp::Close, "") + more), "8: ");
  WebSocketParser parser(From::Client);
  EXPECT_TRUE(parser.feed(raw_frame(0xF2, 0x80)).fault);
  EXPECT_EQ(text_of(parser.feed(more)), "");
}

TEST(WebSocketFrames, ACloseHasAProperCodeOrNone) {
  EXPECT_EQ(parsed(from_client(WebSocketOp::Close, "x")), "fault 1002");
  for (const int code : {0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65535}) {
    EXPECT_EQ(parsed(from_client(WebSocketOp::Close, close_payload(static_cast<uint16_t>(code), ""))), "fault 1002")
        << code;
  }
  EXPECT_EQ(close_payload(1000, std::string(500, 'x')).size(), kMaxWebSocketControl);
}

HttpRequest handshake() {
  HttpRequest request{.method = "GET", .target = "/"};
  request.headers.list = {{"Host", "x"},
                          {"connection", "keep-alive, upgrade"},
                          {"UPGRADE", "WebSocket"},
                          {"Sec-WebSocket-Version", "13"},
                          {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="},
                          {"Sec-WebSocket-Protocol", "v4.channel.k8s.io,v5.channel.k8s.io"}};
  return request;
}

constexpr std::array<std::string_view, 2> kOurs = {"v5.channel.k8s.io", "v4.channel.k8s.io"};

TEST(WebSocketHandshake, OursComesFirst) {
  const auto head = accept_websocket(handshake(), kOurs);
  ASSERT_TRUE(head.has_value()) << head.error().message;
  EXPECT_EQ(head->status, 101U);
  EXPECT_EQ(head->headers.get("Sec-WebSocket-Accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");  // as in the standard
  EXPECT_EQ(head->headers.get("Sec-WebSocket-Protocol"), "v5.channel.k8s.io");
}

TEST(WebSocketHandshake, WhatIsRefused) {
  const auto refused = [](size_t header, const char* value) {
    HttpRequest request = handshake();
    request.headers.list[header].second = value;
    return !accept_websocket(request, kOurs).has_value();
  };
  EXPECT_TRUE(refused(1, "keep-alive"));
  EXPECT_TRUE(refused(2, "SPDY/3.1"));
  EXPECT_TRUE(refused(3, "8"));
  EXPECT_TRUE(refused(4, ""));
  EXPECT_TRUE(refused(4, "short"));
  EXPECT_TRUE(refused(4, "dGhlIHNhbXBsZSBub25jZQ==\r\nX: y"));
  EXPECT_TRUE(refused(4, "!!!!IHNhbXBsZSBub25jZQ=="));
  EXPECT_TRUE(refused(5, ""));
  EXPECT_TRUE(refused(5, ",,, ,"));
  EXPECT_TRUE(refused(5, "v5.channel.k8s.io.evil"));
  HttpRequest posted = handshake();
  posted.method = "POST";
  EXPECT_FALSE(accept_websocket(posted, kOurs).has_value());
}

}  // namespace
}  // namespace basalt::net
