#include "kube/api/api_error.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "kube/api/go_quote.h"

namespace basalt::api {
namespace {

// "pods" / "jobs.batch": how messages name a resource or a kind.
std::string qualified(std::string_view group, std::string_view name) {
  return group.empty() ? std::string(name) : fmt::format("{}.{}", name, group);
}

ApiError plain(int code, std::string_view reason, std::string message) {
  return {.code = code, .reason = std::string(reason), .message = std::move(message)};
}

ApiError about(int code, std::string_view reason, std::string message, std::string_view group, std::string_view plural,
               std::string_view name) {
  ApiError error = plain(code, reason, std::move(message));
  error.subject = {.group = std::string(group), .kind_or_plural = std::string(plural), .name = std::string(name)};
  return error;
}

// Several causes as one sentence: `a: x` or `[a: x, b: y]`; the same sentence is said once.
std::string all_causes(const std::vector<Cause>& causes) {
  std::set<std::string> seen;
  std::string text;
  for (const Cause& cause : causes) {
    const std::string one = fmt::format("{}: {}", cause.field, cause.message);
    if (!seen.insert(one).second) continue;
    if (!text.empty()) text += ", ";
    text += one;
  }
  return seen.size() > 1 ? "[" + text + "]" : text;
}

void put(text::Object& object, std::string_view key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}

text::Object details_of(const ApiError& error) {
  text::Object details;
  put(details, "name", error.subject.name);
  put(details, "group", error.subject.group);
  put(details, "kind", error.subject.kind_or_plural);
  if (!error.causes.empty()) {
    text::Array& causes = details["causes"].emplace_array();
    for (const Cause& cause : error.causes) {
      text::Object one;
      put(one, "reason", cause.reason);
      put(one, "message", cause.message);
      put(one, "field", cause.field);
      causes.emplace_back(std::move(one));
    }
  }
  if (error.retry_after_seconds > 0) details["retryAfterSeconds"] = error.retry_after_seconds;
  return details;
}

}  // namespace

text::Value ApiError::to_status() const {
  text::Object status;
  status["kind"] = "Status";
  status["apiVersion"] = "v1";
  status["metadata"].emplace_object();
  status["status"] = "Failure";
  put(status, "message", message);
  put(status, "reason", reason);
  // Refusals of the routes themselves carry empty details; clients tell by them that an API server has spoken.
  text::Object details = details_of(*this);
  if (!details.empty() || code == 404 || code == 405 || empty_details) status["details"] = std::move(details);
  status["code"] = code;
  return status;
}

ApiError not_found(std::string_view group, std::string_view plural, std::string_view name) {
  return about(404, "NotFound", fmt::format("{} {} not found", qualified(group, plural), go_quote(name)), group, plural,
               name);
}

ApiError no_such_path() { return plain(404, "NotFound", "the server could not find the requested resource"); }

ApiError already_exists(std::string_view group, std::string_view plural, std::string_view name) {
  return about(409, "AlreadyExists", fmt::format("{} {} already exists", qualified(group, plural), go_quote(name)),
               group, plural, name);
}

ApiError conflict(std::string_view group, std::string_view plural, std::string_view name, std::string_view why) {
  return about(409, "Conflict",
               fmt::format("Operation cannot be fulfilled on {} {}: {}", qualified(group, plural), go_quote(name), why),
               group, plural, name);
}

ApiError apply_conflict(std::vector<Cause> causes) {
  std::string text;
  if (causes.size() == 1) {
    text = fmt::format("Apply failed with 1 conflict: {}: {}", causes[0].message, causes[0].field);
  } else {
    std::map<std::string, std::vector<std::string>> fields_of;
    for (const Cause& cause : causes) fields_of[cause.message].push_back(cause.field);
    text = fmt::format("Apply failed with {} conflicts: ", causes.size());
    bool first = true;
    for (const auto& [manager, fields] : fields_of) {
      // The cause says "conflict with x"; here it is several.
      const std::string_view singular = "conflict with ";
      const std::string_view who =
          manager.starts_with(singular) ? std::string_view(manager).substr(singular.size()) : std::string_view(manager);
      text += fmt::format("{}conflicts with {}:", first ? "" : "\n", who);
      first = false;
      for (const std::string& field : fields) text += "\n- " + field;
    }
  }
  ApiError error = plain(409, "Conflict", std::move(text));
  error.causes = std::move(causes);
  return error;
}

ApiError invalid_object(std::string_view group, std::string_view kind, std::string_view name,
                        std::vector<Cause> causes) {
  std::string text = fmt::format("{} {} is invalid", qualified(group, kind), go_quote(name));
  if (!causes.empty()) text += ": " + all_causes(causes);
  ApiError error = about(422, "Invalid", std::move(text), group, kind, name);
  error.causes = std::move(causes);
  return error;
}

ApiError bad_request(std::string message) { return plain(400, "BadRequest", std::move(message)); }

ApiError unauthorized() { return plain(401, "Unauthorized", "Unauthorized"); }

ApiError forbidden(std::string_view group, std::string_view plural, std::string_view name, std::string_view why) {
  std::string text;
  if (group.empty() && plural.empty()) {
    text = fmt::format("forbidden: {}", why);
  } else if (name.empty()) {
    text = fmt::format("{} is forbidden: {}", qualified(group, plural), why);
  } else {
    text = fmt::format("{} {} is forbidden: {}", qualified(group, plural), go_quote(name), why);
  }
  return about(403, "Forbidden", std::move(text), group, plural, name);
}

ApiError method_not_allowed(std::string_view) {
  return plain(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
}

ApiError not_acceptable(std::string_view offered) {
  return plain(406, "NotAcceptable", fmt::format("only the following media types are accepted: {}", offered));
}

ApiError expired(std::string message) { return plain(410, "Expired", std::move(message)); }

ApiError gone(std::string message) { return plain(410, "Gone", std::move(message)); }

ApiError too_large(std::string message) {
  return plain(413, "RequestEntityTooLarge", "Request entity too large: " + std::move(message));
}

ApiError unsupported_media_type(std::string_view supported) {
  return plain(
      415, "UnsupportedMediaType",
      fmt::format("the body of the request was in an unknown format - accepted media types include: {}", supported));
}

ApiError too_many_requests(std::string message, int seconds) {
  ApiError error = plain(429, "TooManyRequests", std::move(message));
  error.retry_after_seconds = seconds;
  return error;
}

ApiError internal_error(std::string message) {
  ApiError error = plain(500, "InternalError", "Internal error occurred: " + message);
  error.causes.push_back({.reason = "", .message = std::move(message), .field = ""});
  return error;
}

ApiError unavailable(std::string message) { return plain(503, "ServiceUnavailable", std::move(message)); }

ApiError insufficient_storage(std::string message) { return plain(507, "InsufficientStorage", std::move(message)); }

ApiError too_large_resource_version(uint64_t asked, uint64_t current) {
  ApiError error =
      plain(504, "Timeout", fmt::format("Timeout: Too large resource version: {}, current: {}", asked, current));
  error.causes.push_back({.reason = "ResourceVersionTooLarge", .message = "Too large resource version", .field = ""});
  error.retry_after_seconds = 1;
  return error;
}

}  // namespace basalt::api
