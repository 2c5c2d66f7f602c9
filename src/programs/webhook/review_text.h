// AdmissionReview (admission.k8s.io/v1) as kube-apiserver sends it and as it wants the answer.
//
// Reading is strict about what decides (apiVersion, kind, uid, operation, resource, the types of all of them and of the
// objects) and takes no notice of members it does not know. What parse_json bounds (size, depth, UTF-8) is bounded
// here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/api/api_resource.h"
#include "kube/text/json.h"
#include "server/admission/webhooks.h"

namespace basalt::webhook {

inline constexpr size_t kMaxReviewBytes = size_t{3} * 1024 * 1024;  // as Volcano
inline constexpr size_t kMaxUidBytes = 256;

struct AdmissionReview {
  std::string uid;
  std::string operation;             // "CREATE"
  std::string name, namespace_name;  // "": none given
  api::GroupVersionResource resource;
  std::string subresource;
  std::optional<text::Object> object, old;
};

// Errors say what is wrong with the review; they are for whoever looks into the log of kube-apiserver.
[[nodiscard]] Result<AdmissionReview> read_review(std::string_view body);

struct ReviewResponse {
  admission::WebhookResult verdict;
  text::Array patch;  // JSON Patch; only when allowed
  std::vector<std::string> warnings = {};
};

// The review that answers `uid`.
[[nodiscard]] std::string answer_text(std::string_view uid, const ReviewResponse& answer);

}  // namespace basalt::webhook
