// The table of Volcano's webhooks (declared in webhooks.h).
#include "server/admission/webhooks.h"

#include <array>

#include "kube/api/volcano_go_types.h"
#include "server/admission/refusal_message.h"
#include "server/admission/webhook_handlers.h"

namespace basalt::admission {
namespace {

constexpr unsigned kCreate = static_cast<unsigned>(WebhookOperation::Create);
constexpr unsigned kUpdate = static_cast<unsigned>(WebhookOperation::Update);
constexpr unsigned kDelete = static_cast<unsigned>(WebhookOperation::Delete);

constexpr std::string_view kBatch = "batch.volcano.sh";
constexpr std::string_view kScheduling = "scheduling.volcano.sh";

constexpr std::string_view kOnlyCreate = "expect operation to be 'CREATE'";
constexpr std::string_view kCreateOrUpdate = "expect operation to be 'CREATE' or 'UPDATE'";
constexpr std::string_view kInvalidNoCreate = "invalid operation `{}`, expect operation to be `CREATE`";
constexpr std::string_view kInvalidQueue =
    "invalid operation `{}`, expect operation to be `CREATE`, `UPDATE` or `DELETE`";
constexpr std::string_view kUnsupported = "unsupported operation {}";

constexpr Webhook kWebhooks[] = {
    {"/jobs/mutate", "mutatejob.volcano.sh", kBatch, "v1alpha1", "jobs", kCreate, kOnlyCreate, mutate_job, nullptr},
    {"/queues/mutate", "mutatequeue.volcano.sh", kScheduling, "v1beta1", "queues", kCreate, kInvalidNoCreate,
     mutate_queue, nullptr},
    {"/podgroups/mutate", "mutatepodgroup.volcano.sh", kScheduling, "v1beta1", "podgroups", kCreate, kInvalidNoCreate,
     mutate_pod_group, nullptr},
    {"/pods/mutate", "mutatepod.volcano.sh", "", "v1", "pods", kCreate, kOnlyCreate, mutate_pod, nullptr},
    {"/jobs/validate", "validatejob.volcano.sh", kBatch, "v1alpha1", "jobs", kCreate | kUpdate, kCreateOrUpdate,
     nullptr, validate_job},
    {"/queues/validate", "validatequeue.volcano.sh", kScheduling, "v1beta1", "queues", kCreate | kUpdate | kDelete,
     kInvalidQueue, nullptr, validate_queue},
    {"/podgroups/validate", "validatepodgroup.volcano.sh", kScheduling, "v1beta1", "podgroups", kCreate, kUnsupported,
     nullptr, validate_pod_group},
    {"/pods/validate", "validatepod.volcano.sh", "", "v1", "pods", kCreate, kOnlyCreate, nullptr, validate_pod},
    {"/jobflows/validate", "validatejobflow.volcano.sh", "flow.volcano.sh", "v1alpha1", "jobflows", kCreate | kUpdate,
     kCreateOrUpdate, nullptr, validate_job_flow},
    {"/cronjobs/validate", "validatecronjob.volcano.sh", kBatch, "v1alpha1", "cronjobs", kCreate | kUpdate,
     kCreateOrUpdate, nullptr, validate_cron_job},
    {"/hypernodes/validate", "validatehypernodes.volcano.sh", "topology.volcano.sh", "v1alpha1", "hypernodes",
     kCreate | kUpdate, kCreateOrUpdate, nullptr, validate_hyper_node},
};

WebhookResult check_decodes(const Webhook& webhook, const text::Object* object) {
  const api::Schema* type = api::volcano_type(webhook.group, webhook.version, webhook.plural);
  if (object == nullptr || type == nullptr) return {};
  const std::string fault = api::decode_fault(*type, *object);
  return fault.empty() ? WebhookResult() : deny(fault);
}

}  // namespace

WebhookResult call(const Webhook& webhook, const AdmissionRequest& request, text::Object* object) {
  // Of what is deleted only the name counts: nothing stands in the way of its removal.
  if (!request.decoded && request.operation != WebhookOperation::Delete) {
    if (WebhookResult fine = check_decodes(webhook, request.object); !fine) return fine;
    if (WebhookResult fine = check_decodes(webhook, request.old); !fine) {
      return deny(fine.error(), "in the object as it was before the update");
    }
  }
  return webhook.mutate != nullptr ? webhook.mutate(request, *object) : webhook.validate(request);
}

std::string refuse_operation(const Webhook& webhook, std::string_view operation) {
  std::string text(webhook.other_operation);
  if (const size_t at = text.find("{}"); at != std::string::npos) text.replace(at, 2, operation);
  return text;
}

std::span<const Webhook> webhooks() { return kWebhooks; }

}  // namespace basalt::admission
