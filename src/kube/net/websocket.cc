#include "kube/net/websocket.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <cctype>

#include "base/ascii.h"

namespace basalt::net {
namespace {

constexpr std::string_view kHandshakeSalt = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";  // RFC 6455, 1.3
constexpr size_t kKeyBytes = 16;
constexpr size_t kMaxProtocolsNamed = 32;

bool same_word(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  });
}

// The words of a header that is a list, of all its lines.
std::vector<std::string_view> words_of(const Headers& headers, std::string_view name) {
  std::vector<std::string_view> words;
  for (const auto& [key, value] : headers.list) {
    if (!same_word(key, name)) continue;
    std::string_view rest = value;
    while (!rest.empty() && words.size() < kMaxProtocolsNamed) {
      const size_t end = std::min(rest.find(','), rest.size());
      if (const std::string_view word = trimmed(rest.substr(0, end), kLineBlanks); !word.empty()) words.push_back(word);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return words;
}

bool names(const Headers& headers, std::string_view header, std::string_view word) {
  return std::ranges::any_of(words_of(headers, header), [&](std::string_view one) { return same_word(one, word); });
}

bool is_key(std::string_view key) {
  std::array<unsigned char, kKeyBytes + 2> bytes{};
  if (key.size() != 24 || !key.ends_with("==")) return false;
  return EVP_DecodeBlock(bytes.data(), reinterpret_cast<const unsigned char*>(key.data()), 24) == 18;
}

std::string accept_of(std::string_view key) {
  const std::string text = std::string(key) + std::string(kHandshakeSalt);
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::array<unsigned char, 32> encoded{};
  const int size = EVP_EncodeBlock(encoded.data(), digest.data(), SHA_DIGEST_LENGTH);
  return {reinterpret_cast<const char*>(encoded.data()), static_cast<size_t>(size)};
}

bool is_known(uint8_t op) { return op <= 2 || (op >= 8 && op <= 10); }

bool is_close_code(uint16_t code) {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

}  // namespace

WebSocketParser::FeedResult WebSocketParser::feed(std::string_view bytes) {
  FeedResult fed;
  while (!over_ && !bytes.empty()) {
    if (!in_payload_) {
      take_header_byte(static_cast<uint8_t>(bytes.front()));
      bytes.remove_prefix(1);
    }
    if (in_payload_ && !over_) {
      bytes.remove_prefix(take_payload(bytes));
      if (left_ == 0) frame_complete(fed);
    }
  }
  fed.fault = std::exchange(fault_, std::nullopt);
  return fed;
}

void WebSocketParser::fail(uint16_t code, std::string reason) {
  over_ = true;
  fault_ = {.code = code, .reason = std::move(reason)};
  std::string().swap(message_);
}

size_t WebSocketParser::header_size() const {
  const uint8_t length = header_[1] & 0x7FU;
  const size_t more = length == 126 ? 2 : length == 127 ? 8 : 0;
  return 2 + more + (masked_ ? mask_.size() : 0);
}

void WebSocketParser::take_header_byte(uint8_t byte) {
  header_[header_bytes_++] = byte;
  if (header_bytes_ == 2) check_first_bytes();
  if (over_ || header_bytes_ < 2 || header_bytes_ < header_size()) return;
  header_complete();
}

void WebSocketParser::check_first_bytes() {
  const uint8_t op = header_[0] & 0x0FU;
  if ((header_[0] & 0x70U) != 0) return fail(kCloseProtocolError, "a reserved bit is set");
  if (!is_known(op)) return fail(kCloseProtocolError, "unknown opcode");
  op_ = WebSocketOp{op};
  last_ = (header_[0] & 0x80U) != 0;
  if (((header_[1] & 0x80U) != 0) != masked_) {
    return fail(kCloseProtocolError, masked_ ? "a client must mask its frames" : "a server must not mask its frames");
  }
  if (is_control() && (!last_ || (header_[1] & 0x7FU) > kMaxWebSocketControl)) {
    return fail(kCloseProtocolError, "a control frame is fragmented or too long");
  }
  if (is_control()) return;
  if (op_ == WebSocketOp::Continuation && !message_op_) fail(kCloseProtocolError, "nothing to continue");
  if (op_ != WebSocketOp::Continuation && message_op_) fail(kCloseProtocolError, "a message inside another");
}

void WebSocketParser::header_complete() {
  const uint8_t length = header_[1] & 0x7FU;
  const size_t more = length == 126 ? 2 : length == 127 ? 8 : 0;
  left_ = more == 0 ? length : 0;
  for (size_t i = 0; i < more; ++i) left_ = (left_ << 8U) | header_[2 + i];
  if ((more == 2 && left_ < 126) || (more == 8 && left_ <= 0xFFFF)) {
    return fail(kCloseProtocolError, "a length is longer than it must be");
  }
  if (!is_control() && (left_ > kMaxWebSocketMessage || message_.size() + left_ > kMaxWebSocketMessage)) {
    return fail(kCloseTooBig, "a message may have " + std::to_string(kMaxWebSocketMessage) + " bytes");
  }
  if (masked_) std::copy_n(header_.begin() + static_cast<ptrdiff_t>(2 + more), mask_.size(), mask_.begin());
  if (!is_control() && op_ != WebSocketOp::Continuation) message_op_ = op_;
  mask_at_ = 0;
  in_payload_ = true;
}

size_t WebSocketParser::take_payload(std::string_view bytes) {
  const size_t count = static_cast<size_t>(std::min<uint64_t>(left_, bytes.size()));
  std::string& out = is_control() ? control_ : message_;
  const size_t start = out.size();
  out.append(bytes.substr(0, count));
  if (masked_) {
    for (size_t i = start; i < out.size(); ++i) {
      out[i] = static_cast<char>(static_cast<uint8_t>(out[i]) ^ mask_[mask_at_++ % mask_.size()]);
    }
  }
  left_ -= count;
  return count;
}

void WebSocketParser::frame_complete(FeedResult& fed) {
  in_payload_ = false;
  header_bytes_ = 0;
  if (is_control()) {
    if (op_ == WebSocketOp::Close) check_close(control_);
    if (!fault_) fed.messages.push_back({.op = op_, .payload = std::exchange(control_, {})});
    return;
  }
  if (!last_) return;
  fed.messages.push_back({.op = *message_op_, .payload = std::exchange(message_, {})});
  message_op_.reset();
}

void WebSocketParser::check_close(std::string_view payload) {
  over_ = true;
  if (payload.empty()) return;
  const auto byte = [&](size_t at) { return static_cast<unsigned>(static_cast<uint8_t>(payload[at])); };
  if (payload.size() < 2 || !is_close_code(static_cast<uint16_t>((byte(0) << 8U) | byte(1)))) {
    fail(kCloseProtocolError, "a close frame without a proper code");
  }
}

void append_frame(std::string& out, WebSocketOp op, std::string_view payload, std::optional<uint32_t> mask) {
  const auto put = [&](uint64_t byte) { out.push_back(static_cast<char>(byte & 0xFFU)); };
  const unsigned masked = mask ? 0x80U : 0U;
  put(0x80U | static_cast<unsigned>(op));
  const size_t size = payload.size();
  const size_t more = size < 126 ? 0 : size <= 0xFFFF ? 2 : 8;
  put(masked | (more == 0 ? size : more == 2 ? 126U : 127U));
  for (size_t i = more; i-- > 0;) put(uint64_t{size} >> (8 * i));
  if (!mask) {
    out.append(payload);
    return;
  }
  for (size_t i = 4; i-- > 0;) put(*mask >> (8 * i));
  for (size_t i = 0; i < size; ++i) put(static_cast<uint8_t>(payload[i]) ^ (*mask >> (8 * (3 - i % 4))));
}

std::string close_payload(uint16_t code, std::string_view reason) {
  std::string payload{static_cast<char>(code >> 8U), static_cast<char>(code & 0xFFU)};
  return payload.append(reason.substr(0, kMaxWebSocketControl - 2));
}

bool asks_upgrade(const HttpRequest& request, std::string_view protocol) {
  return names(request.headers, "Connection", "upgrade") && names(request.headers, "Upgrade", protocol);
}

Result<HttpResponse> accept_websocket(const HttpRequest& request, std::span<const std::string_view> ours) {
  if (request.method != "GET" || !asks_upgrade(request, "websocket")) return invalid("not a WebSocket handshake");
  if (request.headers.get("Sec-WebSocket-Version") != "13") return invalid("only WebSocket version 13 is spoken");
  const std::string_view key = request.headers.get("Sec-WebSocket-Key");
  if (!is_key(key)) return invalid("Sec-WebSocket-Key is not base64 of 16 bytes");
  const auto theirs = words_of(request.headers, "Sec-WebSocket-Protocol");
  const auto chosen =
      std::ranges::find_if(ours, [&](std::string_view one) { return std::ranges::find(theirs, one) != theirs.end(); });
  if (chosen == ours.end()) {
    std::string all;
    for (const std::string_view one : ours) all += (all.empty() ? "" : ", ") + std::string(one);
    return invalid("no common subprotocol; this server speaks " + all);
  }
  HttpResponse head{.status = 101, .content_type = "", .body = "", .headers = {}};
  head.headers.list = {{"Upgrade", "websocket"},
                       {"Connection", "Upgrade"},
                       {"Sec-WebSocket-Accept", accept_of(key)},
                       {"Sec-WebSocket-Protocol", std::string(*chosen)}};
  return head;
}

}  // namespace basalt::net
