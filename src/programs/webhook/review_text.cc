#include "programs/webhook/review_text.h"

#include <utility>

#include "kube/text/base64.h"
#include "kube/text/field.h"

namespace basalt::webhook {
namespace {

constexpr std::string_view kApiVersion = "admission.k8s.io/v1";
constexpr std::string_view kKind = "AdmissionReview";

Result<void> read_string(const text::Field& field, std::string& into) {
  auto value = field.string_or("");
  if (!value) return std::unexpected(value.error());
  into = std::move(*value);
  return {};
}

Result<void> expect(const text::Field& field, std::string_view wanted) {
  auto value = field.as_string();
  if (!value) return std::unexpected(value.error());
  if (*value != wanted) return std::unexpected(field.error("expected \"" + std::string(wanted) + "\""));
  return {};
}

Result<void> read_object(const text::Field& field, std::optional<text::Object>& into) {
  if (!field.given()) return {};
  auto object = field.as_object();
  if (!object) return std::unexpected(object.error());
  into = **object;
  return {};
}

Result<void> read_request(const text::Field& request, AdmissionReview& review) {
  if (auto there = request.as_object(); !there) return std::unexpected(there.error());
  auto uid = request.field("uid").as_string();
  if (!uid) return std::unexpected(uid.error());
  if (uid->empty() || uid->size() > kMaxUidBytes) {
    return std::unexpected(request.field("uid").error("expected 1 to " + std::to_string(kMaxUidBytes) + " bytes"));
  }
  review.uid = std::move(*uid);
  auto operation = request.field("operation").as_string();
  if (!operation) return std::unexpected(operation.error());
  review.operation = std::move(*operation);

  const text::Field resource = request.field("resource");
  const std::pair<text::Field, std::string*> texts[] = {{request.field("name"), &review.name},
                                                        {request.field("namespace"), &review.namespace_name},
                                                        {request.field("subResource"), &review.subresource},
                                                        {resource.field("group"), &review.resource.group},
                                                        {resource.field("version"), &review.resource.version},
                                                        {resource.field("resource"), &review.resource.plural}};
  for (const auto& [field, into] : texts) {
    if (auto read = read_string(field, *into); !read) return read;
  }
  if (auto read = read_object(request.field("object"), review.object); !read) return read;
  return read_object(request.field("oldObject"), review.old);
}

}  // namespace

Result<AdmissionReview> read_review(std::string_view body) {
  if (body.size() > kMaxReviewBytes) return invalid("the review is larger than 3 MiB");
  const auto document = text::parse_json(body);
  if (!document) return std::unexpected(document.error());
  const text::Field root(*document);
  AdmissionReview review;
  if (auto ok = expect(root.field("kind"), kKind); !ok) return std::unexpected(ok.error());
  if (auto ok = expect(root.field("apiVersion"), kApiVersion); !ok) return std::unexpected(ok.error());
  if (auto ok = read_request(root.field("request"), review); !ok) return std::unexpected(ok.error());
  return review;
}

std::string answer_text(std::string_view uid, const ReviewResponse& answer) {
  text::Object response{{"uid", uid}, {"allowed", answer.verdict.has_value()}};
  if (!answer.verdict) {
    response["status"] = text::Object{{"metadata", text::Object()}, {"message", answer.verdict.error()}};
  } else if (!answer.patch.empty()) {
    response["patch"] = text::encode_base64(text::to_json(answer.patch));
    response["patchType"] = "JSONPatch";
  }
  if (!answer.warnings.empty()) response["warnings"] = text::Array(answer.warnings.begin(), answer.warnings.end());
  return text::to_json(text::Object{{"kind", kKind}, {"apiVersion", kApiVersion}, {"response", std::move(response)}});
}

}  // namespace basalt::webhook
