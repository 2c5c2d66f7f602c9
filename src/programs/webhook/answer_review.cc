#include "programs/webhook/answer_review.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kube/api/object_fields.h"
#include "programs/webhook/json_patch.h"
#include "server/admission/advice.h"

namespace basalt::webhook {
namespace {

std::optional<admission::Operation> operation_of(std::string_view name) {
  if (name == "CREATE") return admission::Operation::Create;
  if (name == "UPDATE") return admission::Operation::Update;
  if (name == "DELETE") return admission::Operation::Delete;
  return std::nullopt;
}

Answer refuse(std::string message) { return {.verdict = std::unexpected(std::move(message)), .patch = {}}; }

// What the review should have carried for its operation; "": it has all.
std::string missing_part(const Review& review, admission::Operation operation) {
  const bool gone = operation == admission::Operation::Delete;
  if (!gone && !review.object) return fmt::format("the review of a {} has no object", review.operation);
  if (operation == admission::Operation::Update && !review.old) return "the review of an UPDATE has no oldObject";
  return "";
}

}  // namespace

const admission::Webhook* webhook_at(std::string_view path) {
  const auto rows = admission::webhooks();
  const auto found = std::ranges::find(rows, path, &admission::Webhook::path);
  return found == rows.end() ? nullptr : &*found;
}

Answer answer_review(const admission::Webhook& webhook, const Review& review, const admission::Lookup& lookup,
                     const admission::Options& options) {
  const auto& asked = review.resource;
  if (asked.group != webhook.group || asked.version != webhook.version || asked.plural != webhook.plural) {
    return refuse(fmt::format("expect resource to be {{{} {} {}}}", webhook.group, webhook.version, webhook.plural));
  }
  if (!review.subresource.empty()) return {};
  const std::optional<admission::Operation> operation = operation_of(review.operation);
  if (!operation || (webhook.operations & static_cast<unsigned>(*operation)) == 0) {
    return refuse(admission::refuse_operation(webhook, review.operation));
  }
  if (std::string missing = missing_part(review, *operation); !missing.empty()) return refuse(std::move(missing));

  text::Object object = review.object.value_or(text::Object());
  const bool gone = *operation == admission::Operation::Delete;
  const std::string_view name = review.name.empty() ? api::name_of(object) : std::string_view(review.name);
  const admission::Request request{
      .operation = *operation,
      .name = name,
      .name_space = review.name_space,
      .object = gone ? nullptr : &object,
      .old = review.old && *operation != admission::Operation::Create ? &*review.old : nullptr,
      .lookup = lookup,
      .options = options};
  Answer answer{.verdict = admission::call(webhook, request, &object), .patch = {}};
  if (answer.verdict && webhook.mutate != nullptr && review.object)
    answer.patch = json_patch_between(*review.object, object);
  // Not about pods and their groups: controllers make them, by the thousand, for jobs that were warned of.
  const bool is_job = webhook.validate != nullptr && webhook.group == "batch.volcano.sh";
  if (answer.verdict && is_job && *operation == admission::Operation::Create) {
    answer.warnings = admission::advise_on_create(webhook.group, webhook.plural, object, lookup, {});
  }
  return answer;
}

}  // namespace basalt::webhook
