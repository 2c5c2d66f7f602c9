// Volcano's webhooks in process: who is asked, and how a refusal looks from outside.
#include <fmt/format.h>

#include "kube/text/time_zone.h"
#include "server/admission/review.h"
#include "server/chain/step.h"

namespace basalt::server::admission {
namespace {

namespace volcano = basalt::admission;

constexpr std::string_view kQueues = "queues.scheduling.volcano.sh";

volcano::Operation operation_of(Operation operation) {
  switch (operation) {
    case Operation::Create:
      return volcano::Operation::Create;
    case Operation::Update:
      return volcano::Operation::Update;
    case Operation::Delete:
      return volcano::Operation::Delete;
  }
  return volcano::Operation::Create;
}

volcano::Lookup lookup_in(const Surroundings& around) {
  return {.queue = [&around](std::string_view name) { return around.get(kQueues, name); },
          .queues = [&around] { return around.list(kQueues, ""); },
          .name_space = [&around](std::string_view name) { return around.get("namespaces", name); },
          .time_zone = [](std::string_view name) { return text::load_time_zone(name).has_value(); }};
}

// As kube-apiserver words the denial of a webhook that gives a message and neither code nor reason.
std::unexpected<api::ApiError> denied(std::string_view webhook, std::string_view why) {
  api::ApiError error = api::bad_request(fmt::format("admission webhook \"{}\" denied the request: {}", webhook, why));
  error.reason.clear();
  return std::unexpected(std::move(error));
}

// Calls the webhooks of the kind that mutate, or those that validate, until one refuses.
Verdict call_webhooks(const Request& request, bool mutating) {
  const auto& options = request.around.options->volcano;
  if (options == nullptr) return {};
  const volcano::Operation operation = operation_of(request.operation);
  for (const volcano::Webhook& webhook : volcano::webhooks()) {
    if (webhook.plural != request.resource.plural || webhook.group != request.resource.group) continue;
    if ((webhook.mutate != nullptr) != mutating) continue;
    if ((webhook.operations & static_cast<unsigned>(operation)) == 0) continue;
    const volcano::Lookup lookup = lookup_in(request.around);
    const volcano::Request review{.operation = operation,
                                  .name = request.name(),
                                  .name_space = request.space(),
                                  .object = request.next,
                                  .old = request.old,
                                  .lookup = lookup,
                                  .options = *options,
                                  .decoded = !request.resource.custom};
    const volcano::Verdict verdict = volcano::call(webhook, review, request.next);
    if (!verdict) return denied(webhook.name, verdict.error());
  }
  return {};
}

}  // namespace

Verdict call_mutating_webhooks(const Request& request) { return call_webhooks(request, true); }

Verdict call_validating_webhooks(const Request& request) { return call_webhooks(request, false); }

}  // namespace basalt::server::admission
