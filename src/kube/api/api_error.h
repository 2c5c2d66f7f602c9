// A refusal as the API words it: metav1.Status with code, reason and causes.
//
// Every failed request ends as one of these, whoever made it: decoding, rules, admission, store. The factories below
// are the only places that pair codes with reasons; messages follow Kubernetes' wording where clients and people know
// it.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "kube/text/json.h"

namespace basalt::api {

struct Cause {
  std::string reason;  // FieldValueInvalid, FieldValueRequired, FieldValueForbidden, FieldValueNotSupported, …
  std::string message;
  std::string field;  // spec.containers[0].image
};

// What a request was about, for the message and the details of a Status.
struct StatusSubject {
  std::string group, kind_or_plural, name;
};

struct ApiError {
  int code = 500;
  std::string reason = "InternalError";
  std::string message;
  StatusSubject subject;
  std::vector<Cause> causes;
  std::vector<std::string> warnings;  // said besides, in headers
  int retry_after_seconds = 0;
  bool empty_details = false;  // details are shown even if there is nothing to say in them

  [[nodiscard]] text::Value to_status() const;  // the metav1.Status object
};

template <class T>
using ApiResult = std::expected<T, ApiError>;

// `plural`/`group` name the resource, e.g. pods "" / jobs batch.volcano.sh; messages say `pods "x" not found`,
// `jobs.batch.volcano.sh "x" already exists`.
[[nodiscard]] ApiError not_found(std::string_view group, std::string_view plural, std::string_view name);
[[nodiscard]] ApiError no_such_path();  // 404 "the server could not find the requested resource"
[[nodiscard]] ApiError already_exists(std::string_view group, std::string_view plural, std::string_view name);
[[nodiscard]] ApiError conflict(std::string_view group, std::string_view plural, std::string_view name,
                                std::string_view why);
[[nodiscard]] ApiError apply_conflict(std::vector<Cause> causes);  // 409 Conflict with FieldManagerConflict causes
[[nodiscard]] ApiError invalid_object(std::string_view group, std::string_view kind, std::string_view name,
                                      std::vector<Cause> causes);  // 422 Invalid
[[nodiscard]] ApiError bad_request(std::string message);           // 400
[[nodiscard]] ApiError unauthorized();                             // 401
[[nodiscard]] ApiError forbidden(std::string_view group, std::string_view plural, std::string_view name,
                                 std::string_view why);                               // 403
[[nodiscard]] ApiError method_not_allowed(std::string_view method);                   // 405
[[nodiscard]] ApiError not_acceptable(std::string_view offered);                      // 406
[[nodiscard]] ApiError expired(std::string message);                                  // 410 Expired
[[nodiscard]] ApiError gone(std::string message);                                     // 410 Gone
[[nodiscard]] ApiError too_large(std::string message);                                // 413
[[nodiscard]] ApiError unsupported_media_type(std::string_view supported);            // 415
[[nodiscard]] ApiError too_many_requests(std::string message, int seconds);           // 429
[[nodiscard]] ApiError internal_error(std::string message);                           // 500
[[nodiscard]] ApiError unavailable(std::string message);                              // 503
[[nodiscard]] ApiError too_large_resource_version(uint64_t asked, uint64_t current);  // 504 Timeout, retry in 1 s
[[nodiscard]] ApiError insufficient_storage(std::string message);                     // 507

// Collects what is wrong with an object, in Kubernetes' wording: `Invalid value: "x": must be …`.
class Causes {
 public:
  void invalid(std::string field, const text::Value& value, std::string_view why);
  void required(std::string field, std::string_view why = "");
  void forbidden(std::string field, std::string_view why);
  void not_supported(std::string field, const text::Value& value, const std::vector<std::string>& supported);
  void duplicate(std::string field, const text::Value& value);
  void not_found(std::string field, const text::Value& value);
  void too_long(std::string field, size_t max_bytes);
  void too_many(std::string field, size_t actual, size_t max);
  void type_invalid(std::string field, const text::Value& value, std::string_view why);
  void add(Cause cause) { list_.push_back(std::move(cause)); }

  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] const std::vector<Cause>& list() const { return list_; }
  [[nodiscard]] std::vector<Cause> take() { return std::move(list_); }

 private:
  std::vector<Cause> list_;
};

}  // namespace basalt::api
