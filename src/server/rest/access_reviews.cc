#include "server/rest/access_reviews.h"

#include "kube/api/object_fields.h"
#include "kube/api/schema/normalize.h"
#include "server/rest/decode_and_validate.h"

namespace basalt::server {
namespace {

text::Object user_info(const api::UserInfo& user) {
  text::Object info;
  info["username"] = user.name;
  if (!user.uid.empty()) info["uid"] = user.uid;
  text::Array& groups = api::array_in(info, "groups");
  for (const std::string& group : user.groups) groups.emplace_back(group);
  return info;
}

}  // namespace

bool is_review(const api::ApiResource& resource) {
  return resource.group == "authentication.k8s.io" || resource.group == "authorization.k8s.io";
}

ApiOutcome answer_review(const api::ApiResource& resource, const api::Call& call, const api::UserInfo& user) {
  if (call.verb != api::Verb::Create) return std::unexpected(api::method_not_allowed("this one"));
  text::Value decoded = call.body;
  const auto unknown = api::normalize(*resource.schema, decoded);
  if (!unknown) return std::unexpected(unknown.error());
  ApiResponse answer;
  if (auto told = report_unknown(call.field_validation, *unknown, answer.warnings); !told) {
    return std::unexpected(std::move(told.error()));
  }
  text::Object& review = decoded.get_object();
  review["kind"] = resource.kind;
  review["apiVersion"] = resource.api_version();
  (void)api::metadata_of(review);
  text::Object& status = api::object_in(review, "status");
  if (resource.kind == "SelfSubjectReview") {
    status["userInfo"] = user_info(user);
  } else if (resource.kind == "SelfSubjectRulesReview") {
    text::Object all;
    for (const std::string_view key : {"verbs", "apiGroups", "resources"}) all[key] = text::Array{"*"};
    status["resourceRules"] = text::Array{all};
    text::Object paths;
    paths["verbs"] = text::Array{"*"};
    paths["nonResourceURLs"] = text::Array{"*"};
    status["nonResourceRules"] = text::Array{paths};
    status["incomplete"] = false;
  } else if (resource.kind == "TokenReview") {
    // Tokens of this server are not handed to others for checking.
    status["authenticated"] = false;
  } else {
    status["allowed"] = true;  // whoever is known may do everything
    status["reason"] = "every authenticated user is allowed";
  }
  answer.value = std::make_shared<const text::Value>(std::move(decoded));
  answer.created = true;
  return answer;
}

}  // namespace basalt::server
