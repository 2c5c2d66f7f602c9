// A new or changed Job: may it come in?
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kube/api/api_error.h"
#include "kube/api/go_quote.h"
#include "kube/api/name_validation.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/api/volcano_keys.h"
#include "kube/text/go_flags.h"
#include "server/admission/job_admission.h"
#include "server/admission/queue_admission.h"

namespace basalt::admission {
namespace {

void check_plugins(api::VolcanoJobSpecView spec, RefusalMessage& refusal) {
  if (!spec.plugins()) return;
  for (const auto& plugin : *spec.plugins().json()) {
    if (std::ranges::find(kJobPlugins, std::string_view(plugin.key())) != kJobPlugins.end()) continue;
    refusal.say(fmt::format(" unable to find job plugin: {};", std::string_view(plugin.key())));
    refusal.remedy(fmt::format("spec.plugins may name {}", fmt::join(kJobPlugins, ", ")));
  }
}

void check_queue(const AdmissionRequest& request, api::VolcanoJobSpecView spec, RefusalMessage& refusal) {
  const std::string_view name = spec.queue();
  const ObjectPtr found = request.lookup.queue(name);
  if (found == nullptr || !found->is_object()) {
    refusal.say(fmt::format(" unable to find job queue: {};", queue_not_found(name)));
    refusal.remedy(
        fmt::format("spec.queue is {}: create the queue first, or name one of those there are", api::go_quote(name)));
    return;
  }
  const text::Object& queue = found->get_object();
  if (!takes_work(queue)) {
    refusal.say(fmt::format(" can only submit job to queue with state `Open`, queue `{}` status is `{}`;", name,
                            queue_state(queue)));
    refusal.remedy("open the queue, or name another one in spec.queue");
  }
  if (name == api::keys::kRootQueue) {
    refusal.say(" can not submit job to root queue;");
    refusal.remedy("name a queue below it in spec.queue");
    return;
  }
  const std::vector<ObjectPtr> queues = request.lookup.queues();
  const auto below = std::ranges::count_if(queues, [name](const ObjectPtr& one) {
    return one != nullptr && one->is_object() && parent_of(one->get_object()) == name;
  });
  if (below == 0) return;
  refusal.say(fmt::format(" can only submit job to leaf queue, queue `{}` has {} child queues;", name, below));
  refusal.remedy("name one of its child queues in spec.queue");
}

WebhookResult validate_new_job(const AdmissionRequest& request, const text::Object& job) {
  const api::VolcanoJobSpecView spec = api::VolcanoJobView(job).spec();
  if (spec.tasks().empty()) return deny("No task specified in job spec", "spec.tasks needs at least one task");
  if (WebhookResult size = check_job_size(spec, {}); !size) return size;
  if (spec.plugins().find("mpi")) {
    const std::string master = mpi_master(spec);
    bool found = false;
    for (const api::TaskSpecView task : spec.tasks()) found = found || task.name() == master;
    if (!found) {
      return deny("The specified mpi master task was not found",
                  fmt::format("no task is named {}: name it so, or give spec.plugins.mpi the argument --master=<task>",
                              api::go_quote(master)));
    }
  }
  RefusalMessage refusal;
  refusal.say(topology_complaint(spec.network_topology()));
  check_tasks(request, refusal);
  check_policies(spec.policies(), "spec.policies", refusal);
  check_plugins(spec, refusal);
  check_volumes(spec, refusal);
  check_queue(request, spec, refusal);
  check_task_order(spec, refusal);
  return refusal.verdict();
}

}  // namespace

std::string mpi_master(api::VolcanoJobSpecView spec) {
  std::string master = "master";
  std::string worker;
  int64_t port = 0;
  std::vector<std::string_view> words;
  const api::ListView<std::string_view> arguments = spec.plugins()["mpi"];
  for (size_t i = 0; i < arguments.size(); ++i) words.push_back(arguments[i]);
  const text::GoFlag known[] = {
      {.name = "master", .target = &master}, {.name = "worker", .target = &worker}, {.name = "port", .target = &port}};
  // What is wrong with them is the plugin's to tell; what was read before applies.
  (void)text::read_go_flags(words, known);
  return master;
}

void check_volumes(api::VolcanoJobSpecView spec, RefusalMessage& refusal) {
  std::set<std::string_view> paths;
  for (const api::VolumeSpecView volume : spec.volumes()) {
    const std::string_view path = volume.mount_path();
    const std::string_view name = volume.volume_claim_name();
    const bool claims = bool(volume.volume_claim());
    if (path.empty()) return refusal.say(" mountPath is required;");
    if (!paths.insert(path).second) return refusal.say(fmt::format(" duplicated mountPath: {};", path));
    if (!claims && name.empty()) return refusal.say(" either VolumeClaim or VolumeClaimName must be specified;");
    if (name.empty()) continue;
    if (claims) {
      return refusal.say(
          "conflict: If you want to use an existing PVC, just specify VolumeClaimName."
          "If you want to create a new PVC, you do not need to specify VolumeClaimName");
    }
    if (const api::ValidationMessages complaints = api::dns1123_subdomain(name); !complaints.empty()) {
      return refusal.say(fmt::format("invalid VolumeClaimName {} : {}", name, go_list(complaints)));
    }
  }
}

WebhookResult validate_job(const AdmissionRequest& request) {
  if (request.object == nullptr) return {};
  if (request.operation == WebhookOperation::Update && request.old != nullptr) {
    return validate_job_update(*request.object, *request.old);
  }
  return validate_new_job(request, *request.object);
}

}  // namespace basalt::admission
