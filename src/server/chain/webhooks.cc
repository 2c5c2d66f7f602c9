// Volcano's webhooks in process: who is asked, and how a refusal looks from outside.
#include <fmt/format.h>

#include "kube/text/time_zone.h"
#include "server/admission/webhooks.h"
#include "server/chain/admission_step.h"

namespace basalt::server::chain {
namespace {

namespace volcano = basalt::admission;

constexpr std::string_view kQueues = "queues.scheduling.volcano.sh";

volcano::WebhookOperation operation_of(AdmissionOperation operation) {
  switch (operation) {
    case AdmissionOperation::Create:
      return volcano::WebhookOperation::Create;
    case AdmissionOperation::Update:
      return volcano::WebhookOperation::Update;
    case AdmissionOperation::Delete:
      return volcano::WebhookOperation::Delete;
  }
  return volcano::WebhookOperation::Create;
}

volcano::ObjectLookup lookup_in(const AdmissionContext& admission_context) {
  return {.queue = [&admission_context](std::string_view name) { return admission_context.get(kQueues, name); },
          .queues = [&admission_context] { return admission_context.list(kQueues, ""); },
          .namespace_name =
              [&admission_context](std::string_view name) { return admission_context.get("namespaces", name); },
          .time_zone = [](std::string_view name) { return text::load_time_zone(name).has_value(); }};
}

// As kube-apiserver words the denial of a webhook that gives a message and neither code nor reason.
std::unexpected<api::ApiError> denied(std::string_view webhook, std::string_view why) {
  api::ApiError error = api::bad_request(fmt::format("admission webhook \"{}\" denied the request: {}", webhook, why));
  error.reason.clear();
  return std::unexpected(std::move(error));
}

std::string_view text_of(AdmissionOperation operation) {
  switch (operation) {
    case AdmissionOperation::Create:
      return "create";
    case AdmissionOperation::Update:
      return "update";
    case AdmissionOperation::Delete:
      return "delete";
  }
  return "create";
}

void tell_denial(const AdmissionAttributes& request, const volcano::Webhook& webhook, std::string_view why) {
  const AdmissionContext& context = request.admission_context;
  if (context.options->denied == nullptr) return;
  const std::string_view ns = request.ns();
  context.options->denied(fmt::format("{} denied {} of {} {}{}{}{}: {}", webhook.name, text_of(request.operation),
                                      request.resource.plural, ns, ns.empty() ? "" : "/", request.name(),
                                      context.user == nullptr ? "" : " by " + context.user->name, why));
}

// Calls the webhooks of the kind that mutate, or those that validate, until one refuses.
StepResult call_webhooks(const AdmissionAttributes& request, bool mutating) {
  const auto& options = request.admission_context.options->volcano;
  if (options == nullptr) return {};
  const volcano::WebhookOperation operation = operation_of(request.operation);
  for (const volcano::Webhook& webhook : volcano::webhooks()) {
    if (webhook.plural != request.resource.plural || webhook.group != request.resource.group) continue;
    if ((webhook.mutate != nullptr) != mutating) continue;
    if ((webhook.operations & static_cast<unsigned>(operation)) == 0) continue;
    const volcano::ObjectLookup lookup = lookup_in(request.admission_context);
    const volcano::AdmissionRequest review{.operation = operation,
                                           .name = request.name(),
                                           .namespace_name = request.ns(),
                                           .object = request.next,
                                           .old = request.old,
                                           .lookup = lookup,
                                           .options = *options,
                                           .decoded = !request.resource.custom};
    const volcano::WebhookResult verdict = volcano::call(webhook, review, request.next);
    if (!verdict) {
      tell_denial(request, webhook, verdict.error());
      return denied(webhook.name, verdict.error());
    }
  }
  return {};
}

}  // namespace

StepResult call_mutating_webhooks(const AdmissionAttributes& request) { return call_webhooks(request, true); }

StepResult call_validating_webhooks(const AdmissionAttributes& request) { return call_webhooks(request, false); }

}  // namespace basalt::server::chain
