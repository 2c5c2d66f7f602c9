// Answers of an API server, as bytes, to what the contract (object_client.h) has. Pure; nothing here trusts the bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/api/call.h"
#include "kube/api/schema/protobuf_layout.h"
#include "kube/client/object_client.h"
#include "kube/net/http.h"

namespace basalt::client {

inline constexpr size_t kMaxShownBody = 1024;  // of an answer that is no Status, in an error message

// How the answers to a call are read.
struct ResponseFormat {
  bool lean = false;                             // without metadata.managedFields
  const api::ProtobufMessage* layout = nullptr;  // of its objects; null: the call did not ask for the binary form
};

// The whole answer, in JSON or the binary form, as its Content-Type says. A body that is neither (a log) is a string
// value. Items of a list have apiVersion and kind, also where the server leaves them to the list.
[[nodiscard]] ReplyOrError outcome_of(const api::Call& call, net::HttpResponse response,
                                      const ResponseFormat& reading = {});

// A refusal: the Status in the body, or, when there is none, what the HTTP status says.
[[nodiscard]] api::ApiError refusal_of(const net::HttpResponse& response);

// What a Status says; code 500 and the like where it says nothing. Requires nothing of `status`.
[[nodiscard]] api::ApiError error_of_status(const text::Value& status);

// The texts of Warning headers (RFC 7234, code 299 only).
[[nodiscard]] std::vector<std::string> warnings_of(const net::Headers& headers);

// One line of a watch in JSON. An error says what is wrong with it.
[[nodiscard]] Result<WatchEvent> parse_event(std::string_view line, bool lean = false);

// An event that ends a watch.
[[nodiscard]] WatchEvent error_event(const api::ApiError& error);

}  // namespace basalt::client
