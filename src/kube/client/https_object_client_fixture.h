// What the tests of the HTTPS client share: calls, and a client for a server whose responses the test scripts.
#pragma once

#include <array>
#include <charconv>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "kube/api/object_fields.h"
#include "kube/client/https_object_client.h"
#include "kube/client/raw_server_fixture.h"
#include "kube/net/net_fixture.h"

namespace basalt::client {

inline api::Call pods(api::Verb verb, std::string name = "") {
  return {.verb = verb,
          .resource = {.group = "", .version = "v1", .plural = "pods"},
          .namespace_name = "n",
          .name = std::move(name)};
}

inline std::string short_of(const ReplyOrError& outcome) {
  return outcome ? "fine" : std::to_string(outcome.error().code) + " " + outcome.error().reason;
}

inline std::unique_ptr<HttpsObjectClient> plain_client(const RawServer& server, HttpsObjectClientOptions options = {}) {
  return net::must(HttpsObjectClient::make({.server = {.tls = false, .host = "127.0.0.1", .port = server.port()}},
                                           std::move(options)));
}

// The events of a watch until its end, in short.
inline std::vector<std::string> watched(ObjectClient& client, bool bookmarks = false) {
  std::vector<std::string> lines;
  std::promise<void> over;
  api::Call call = pods(api::Verb::Watch);
  call.bookmarks = bookmarks;
  const auto watch = client.watch(std::move(call), [&](const WatchEvent& event) {
    const text::Object& object = event.object->get_object();
    if (event.type != WatchEventType::Error) return lines.push_back("event " + std::string(api::name_of(object)));
    lines.push_back(std::to_string(api::int_at(object, {"code"})) + " " +
                    std::string(api::string_at(object, "reason")));
    over.set_value();
  });
  net::await(over.get_future());
  return lines;
}

inline constexpr std::string_view kChunked =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";

inline std::string chunk(std::string_view text) {
  std::array<char, 20> size{};
  const auto end = std::to_chars(size.data(), size.data() + size.size(), text.size(), 16).ptr;
  return std::string(size.data(), end) + "\r\n" + std::string(text) + "\r\n";
}

}  // namespace basalt::client
