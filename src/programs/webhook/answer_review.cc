#include "programs/webhook/answer_review.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kube/api/object_fields.h"
#include "programs/webhook/json_patch.h"
#include "server/admission/create_warnings.h"

namespace basalt::webhook {
namespace {

std::optional<admission::WebhookOperation> operation_of(std::string_view name) {
  if (name == "CREATE") return admission::WebhookOperation::Create;
  if (name == "UPDATE") return admission::WebhookOperation::Update;
  if (name == "DELETE") return admission::WebhookOperation::Delete;
  return std::nullopt;
}

ReviewResponse refuse(std::string message) { return {.verdict = std::unexpected(std::move(message)), .patch = {}}; }

// What the review should have carried for its operation; "": it has all.
std::string missing_part(const AdmissionReview& review, admission::WebhookOperation operation) {
  const bool gone = operation == admission::WebhookOperation::Delete;
  if (!gone && !review.object) return fmt::format("the review of a {} has no object", review.operation);
  if (operation == admission::WebhookOperation::Update && !review.old)
    return "the review of an UPDATE has no oldObject";
  return "";
}

}  // namespace

const admission::Webhook* webhook_at(std::string_view path) {
  const auto rows = admission::webhooks();
  const auto found = std::ranges::find(rows, path, &admission::Webhook::path);
  return found == rows.end() ? nullptr : &*found;
}

ReviewResponse answer_review(const admission::Webhook& webhook, const AdmissionReview& review,
                             const admission::ObjectLookup& lookup, const admission::VolcanoAdmissionOptions& options) {
  const auto& asked = review.resource;
  if (asked.group != webhook.group || asked.version != webhook.version || asked.plural != webhook.plural) {
    return refuse(fmt::format("expect resource to be {{{} {} {}}}", webhook.group, webhook.version, webhook.plural));
  }
  if (!review.subresource.empty()) return {};
  const std::optional<admission::WebhookOperation> operation = operation_of(review.operation);
  if (!operation || (webhook.operations & static_cast<unsigned>(*operation)) == 0) {
    return refuse(admission::refuse_operation(webhook, review.operation));
  }
  if (std::string missing = missing_part(review, *operation); !missing.empty()) return refuse(std::move(missing));

  text::Object object = review.object.value_or(text::Object());
  const bool gone = *operation == admission::WebhookOperation::Delete;
  const std::string_view name = review.name.empty() ? api::name_of(object) : std::string_view(review.name);
  const admission::AdmissionRequest request{
      .operation = *operation,
      .name = name,
      .namespace_name = review.namespace_name,
      .object = gone ? nullptr : &object,
      .old = review.old && *operation != admission::WebhookOperation::Create ? &*review.old : nullptr,
      .lookup = lookup,
      .options = options};
  ReviewResponse answer{.verdict = admission::call(webhook, request, &object), .patch = {}};
  if (answer.verdict && webhook.mutate != nullptr && review.object)
    answer.patch = json_patch_between(*review.object, object);
  // Not about pods and their groups: controllers make them, by the thousand, for jobs that were warned of.
  const bool is_job = webhook.validate != nullptr && webhook.group == "batch.volcano.sh";
  if (answer.verdict && is_job && *operation == admission::WebhookOperation::Create) {
    std::vector<std::string> schedulers = options.scheduler_names;
    schedulers.emplace_back("default-scheduler");  // a cluster with webhooks has Kubernetes' own
    answer.warnings = admission::warnings_on_create(webhook.group, webhook.plural, object, lookup, schedulers);
  }
  return answer;
}

}  // namespace basalt::webhook
