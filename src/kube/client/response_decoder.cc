#include "kube/client/response_decoder.h"

#include <fmt/format.h>

#include "kube/api/object_fields.h"
#include "kube/client/protobuf/protobuf_kinds.h"
#include "kube/client/protobuf/protobuf_response.h"
#include "kube/client/watch_event_type.h"
#include "kube/text/document_path.h"
#include "kube/text/scalar.h"
#include "kube/text/utf8.h"

namespace basalt::client {
namespace {

constexpr int64_t kMaxRetryAfterSeconds = 24 * 3600;

// Codes that clients know, for answers that are no Status.
std::string_view reason_of_code(unsigned code) {
  switch (code) {
    case 400:
      return "BadRequest";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 405:
      return "MethodNotAllowed";
    case 406:
      return "NotAcceptable";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 413:
      return "RequestEntityTooLarge";
    case 415:
      return "UnsupportedMediaType";
    case 422:
      return "Invalid";
    case 429:
      return "TooManyRequests";
    case 503:
      return "ServiceUnavailable";
    case 504:
      return "Timeout";
    default:
      return code >= 500 ? "InternalError" : "Unknown";
  }
}

bool is_status(const text::Value& value) {
  return value.is_object() && api::string_at(value.get_object(), "kind") == "Status";
}

int bounded_seconds(int64_t seconds) {
  return static_cast<int>(seconds < 0 ? 0 : std::min(seconds, kMaxRetryAfterSeconds));
}

std::string shown_body(std::string_view body) {
  std::string text(body.substr(0, kMaxShownBody));
  while (!text.empty() && !text::is_utf8(text) && text.size() + 4 > kMaxShownBody) text.pop_back();  // cut inside one
  if (!text::is_utf8(text)) return "";
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') c = ' ';
  }
  return text;
}

// The object with apiVersion and kind in front, where it has none.
text::Value typed(text::Value&& item, std::string_view api_version, std::string_view kind) {
  if (!item.is_object() || kind.empty() || item.get_object().contains("kind")) return std::move(item);
  text::Object whole;
  whole.reserve(item.get_object().size() + 2);
  whole["apiVersion"] = api_version;
  whole["kind"] = kind;
  for (auto& member : item.get_object()) whole[member.key()] = std::move(member.value());
  return whole;
}

void drop_managed_fields(text::Value& object) {
  if (!object.is_object()) return;
  text::Value* metadata = object.get_object().if_contains("metadata");
  if (metadata != nullptr && metadata->is_object()) metadata->get_object().stable_erase("managedFields");
}

api::ApiResult<Reply> list_reply(text::Value body, bool lean) {
  if (!body.is_object()) return std::unexpected(api::internal_error("the server's list is no object"));
  text::Object& list = body.get_object();
  const std::string api_version(api::string_at(list, "apiVersion"));
  std::string kind(api::string_at(list, "kind"));
  const bool named = kind.ends_with("List");
  if (named) kind.resize(kind.size() - std::string_view("List").size());
  Reply reply;
  reply.resource_version = api::string_at(list, {"metadata", "resourceVersion"});
  reply.continue_token = api::string_at(list, {"metadata", "continue"});
  text::Value* items = list.if_contains("items");
  if (items == nullptr || items->is_null()) return reply;  // Go prints an empty list so
  if (!items->is_array()) return std::unexpected(api::internal_error("the server's list has no items"));
  reply.items.reserve(items->get_array().size());
  for (text::Value& item : items->get_array()) {
    if (lean) drop_managed_fields(item);
    reply.items.push_back(
        std::make_shared<const text::Value>(typed(std::move(item), api_version, named ? kind : std::string())));
  }
  return reply;
}

api::ApiError unreadable(const Error& error) {
  return api::internal_error("the server's answer cannot be read: " + error.message);
}

api::ApiResult<Reply> sealed_reply(const api::Call& call, const net::HttpResponse& response,
                                   const ResponseFormat& reading) {
  if (reading.layout == nullptr) return std::unexpected(unreadable({.message = "nobody asked for protobuf"}));
  if (call.verb == api::Verb::List) {
    auto list = decode_protobuf_list(*reading.layout, response.body);
    if (!list) return std::unexpected(unreadable(list.error()));
    return std::move(*list);
  }
  auto object = decode_protobuf_object(*reading.layout, response.body);
  if (!object) return std::unexpected(unreadable(object.error()));
  return Reply{.object = std::make_shared<const text::Value>(std::move(*object))};
}

api::ApiResult<Reply> json_reply(const api::Call& call, const net::HttpResponse& response,
                                 const ResponseFormat& reading) {
  auto body = text::parse_json(response.body);
  const bool json = response.content_type.starts_with("application/json");
  if (!body && (json || call.verb == api::Verb::List || !text::is_utf8(response.body))) {
    return std::unexpected(unreadable(body.error()));
  }
  if (call.verb == api::Verb::List) return list_reply(std::move(*body), reading.lean);
  if (!body || !json) return Reply{.object = std::make_shared<const text::Value>(text::Value(response.body))};
  if (reading.lean) drop_managed_fields(*body);
  return Reply{.object = std::make_shared<const text::Value>(std::move(*body))};
}

// One quoted string of a Warning header; `at` moves behind it. nullopt: malformed.
std::optional<std::string> quoted(std::string_view text, size_t& at) {
  if (at >= text.size() || text[at] != '"') return std::nullopt;
  std::string out;
  for (++at; at < text.size(); ++at) {
    if (text[at] == '"') {
      ++at;
      return out;
    }
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    out += text[at];
  }
  return std::nullopt;
}

}  // namespace

api::ApiError error_of_status(const text::Value& value) {
  api::ApiError error;
  if (!value.is_object()) {
    error.message = "the server sent an error that cannot be read";
    return error;
  }
  const text::Object& status = value.get_object();
  const int64_t code = api::int_at(status, {"code"}, 500);
  error.code = code >= 100 && code <= 599 ? static_cast<int>(code) : 500;
  error.reason = api::string_at(status, "reason");
  error.message = api::string_at(status, "message");
  error.subject = {.group = std::string(api::string_at(status, {"details", "group"})),
                   .kind_or_plural = std::string(api::string_at(status, {"details", "kind"})),
                   .name = std::string(api::string_at(status, {"details", "name"}))};
  error.retry_after_seconds = bounded_seconds(api::int_at(status, {"details", "retryAfterSeconds"}));
  if (const text::Array* causes = api::array_at(status, {"details", "causes"}); causes != nullptr) {
    for (const text::Value& cause : *causes) {
      if (!cause.is_object()) continue;
      const text::Object& one = cause.get_object();
      error.causes.push_back({.reason = std::string(api::string_at(one, "reason")),
                              .message = std::string(api::string_at(one, "message")),
                              .field = std::string(api::string_at(one, "field"))});
    }
  }
  if (error.message.empty())
    error.message = fmt::format("the server answered with status {} and no message", error.code);
  return error;
}

api::ApiError refusal_of(const net::HttpResponse& response) {
  api::ApiError error;
  const auto body = is_protobuf(response.content_type) ? decode_protobuf_object(status_layout(), response.body)
                                                       : text::parse_json(response.body);
  if (body && is_status(*body)) {
    error = error_of_status(*body);
    error.code = static_cast<int>(response.status);
  } else {
    error.code = static_cast<int>(response.status);
    error.reason = reason_of_code(response.status);
    const std::string shown = shown_body(response.body);
    error.message =
        fmt::format("the server answered with status {}{}{}", response.status, shown.empty() ? "" : ": ", shown);
  }
  if (error.retry_after_seconds == 0) {
    const auto seconds = text::parse_int(response.headers.get("Retry-After"));
    if (seconds) error.retry_after_seconds = bounded_seconds(*seconds);
  }
  error.warnings = warnings_of(response.headers);
  return error;
}

std::vector<std::string> warnings_of(const net::Headers& headers) {
  std::vector<std::string> texts;
  for (const auto& header : headers.list) {
    if (net::Headers{.list = {header}}.get("Warning").empty()) continue;
    const std::string& value = header.second;
    for (size_t at = 0; at < value.size();) {
      const size_t start = value.find_first_not_of(" ,", at);
      const size_t quote = start == std::string::npos ? start : value.find('"', start);
      if (quote == std::string::npos) break;
      at = quote;
      auto text = quoted(value, at);
      if (!text) break;
      if (value.compare(start, 4, "299 ") == 0 && text::is_utf8(*text)) texts.push_back(std::move(*text));
      at = std::min(value.find(',', at), value.size());  // a date may stand behind it
    }
  }
  return texts;
}

ReplyOrError outcome_of(const api::Call& call, net::HttpResponse response, const ResponseFormat& reading) {
  if (response.status < 200 || response.status > 299) return std::unexpected(refusal_of(response));
  api::ApiResult<Reply> reply =
      is_protobuf(response.content_type) ? sealed_reply(call, response, reading) : json_reply(call, response, reading);
  if (!reply) return reply;
  reply->created = response.status == 201;
  reply->warnings = warnings_of(response.headers);
  return reply;
}

Result<WatchEvent> parse_event(std::string_view line, bool lean) {
  auto value = text::parse_json(line);
  if (!value) return std::unexpected(value.error().within("watch event"));
  if (!value->is_object()) return invalid("watch event: is no object");
  text::Object& event = value->get_object();
  const std::string_view type = api::string_at(event, "type");
  text::Value* object = event.if_contains("object");
  WatchEvent read;
  const auto happened = parse_watch_event_type(type);
  if (!happened) return std::unexpected(happened.error());
  read.type = *happened;
  if (object == nullptr || !object->is_object()) return invalid("watch event: has no object");
  if (lean) drop_managed_fields(*object);
  read.object = std::make_shared<const text::Value>(std::move(*object));
  return read;
}

WatchEvent error_event(const api::ApiError& error) {
  return {.type = WatchEventType::Error, .object = std::make_shared<const text::Value>(error.to_status())};
}

}  // namespace basalt::client
