#include "control/volcano/job/job_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "control/volcano/job/apply_actions.h"
#include "control/volcano/job/clean_up_job.h"
#include "control/volcano/job/job_pod_group.h"
#include "control/volcano/job/job_snapshot.h"
#include "control/volcano/job/job_waiting_reason.h"
#include "control/volcano/job/sync_job.h"
#include "control/volcano/volcano_writes.h"
#include "kube/api/object_view.h"
#include "kube/api/views/metadata_view.h"
#include "kube/api/views/volcano_command_view.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/api/views/volcano_queue_view.h"

namespace basalt::volcano {
namespace {

std::string_view namespace_of_key(std::string_view key) { return key.substr(0, std::min(key.find('/'), key.size())); }

// Does the job see a difference between the two?
bool is_news(const CachedPod& before, const CachedPod& now) {
  return before.phase != now.phase || before.leaving() != now.leaving() || before.out_of_sync != now.out_of_sync ||
         before.restart != now.restart || before.ready != now.ready || before.restarts != now.restarts ||
         before.exit_code != now.exit_code || before.uid != now.uid || before.stuck != now.stuck ||
         before.lost != now.lost;
}

bool is_running_job(const VolcanoContext& context, std::string_view key) {
  const text::Object* job = context.seen.find(VolcanoKind::Job, key);
  return job != nullptr && api::VolcanoJobView(*job).status().state().phase() == "Running";
}

void wake_by_pod(const VolcanoContext& context, const ObjectChange& change, std::vector<std::string>& items) {
  const CachedPod* pod = change.pod_now != nullptr ? change.pod_now : change.pod_before;
  if (pod == nullptr || pod->owner.empty()) return;
  std::string job = fmt::format("{}/{}", namespace_of_key(change.key), pod->owner);
  if (change.pod_now != nullptr && change.pod_before != nullptr && !is_news(*change.pod_before, *change.pod_now)) {
    // Of a gang that waits its PodGroup tells why, for all of its pods at once.
    const bool judged = change.pod_before->unschedulable != change.pod_now->unschedulable;
    if (!judged || !is_running_job(context, job)) return;
  }
  items.push_back(std::move(job));
}

void wake_by_owner(const ObjectChange& change, std::vector<std::string>& items) {
  const text::Object& object = change.either();
  if (controller_uid(object, row_of(VolcanoKind::Job).group, "Job").empty()) return;
  for (const api::OwnerReferenceView owner : api::ObjectView(object).metadata().owner_references()) {
    if (!owner.controller().value_or(false)) continue;
    items.push_back(fmt::format("{}/{}", namespace_of_key(change.key), owner.name()));
  }
}

void wake_by_command(const ObjectChange& change, std::vector<std::string>& items) {
  const api::OwnerReferenceView target = api::CommandView(change.either()).target();
  if (target.kind() != "Job") return;
  if (!target.api_version().starts_with(row_of(VolcanoKind::Job).group)) return;
  items.push_back(fmt::format("{}/{}", namespace_of_key(change.key), target.name()));
}

void wake_by_queue(const VolcanoContext& context, const ObjectChange& change, std::vector<std::string>& items) {
  if (change.before != nullptr && change.now != nullptr) {
    const auto clusters = [](const text::Object& queue) {
      return api::QueueView(queue).spec().extend_clusters().json();
    };
    const text::Array* before = clusters(*change.before);
    const text::Array* now = clusters(*change.now);
    if ((before == nullptr) == (now == nullptr) && (now == nullptr || *before == *now)) return;
  }
  for (const std::string& key : context.seen.jobs_in(change.key)) items.push_back(key);
}

// A claim that jobs wait for has come. Those that jobs own were made by their own plans.
void wake_by_claim(const VolcanoContext& context, const ObjectChange& change, std::vector<std::string>& items) {
  if (change.before != nullptr || !controller_uid(*change.now, row_of(VolcanoKind::Job).group, "Job").empty()) return;
  const std::string_view name = change.key.substr(change.key.find('/') + 1);
  context.seen.each_in(VolcanoKind::Job, namespace_of_key(change.key),
                       [&](const std::string& key, const text::Object& job) {
                         for (const api::VolumeSpecView volume : api::VolcanoJobView(job).spec().volumes()) {
                           if (volume.volume_claim_name() == name) items.push_back(key);
                         }
                       });
}

void wake_jobs(const VolcanoContext& context, const ObjectChange& change, std::vector<std::string>& items) {
  switch (change.kind) {
    case VolcanoKind::Job:
      items.emplace_back(change.key);
      break;
    case VolcanoKind::Pod:
      wake_by_pod(context, change, items);
      break;
    case VolcanoKind::PodGroup:
      wake_by_owner(change, items);
      break;
    case VolcanoKind::Command:
      wake_by_command(change, items);
      break;
    case VolcanoKind::Queue:
      wake_by_queue(context, change, items);
      break;
    case VolcanoKind::Claim:
      wake_by_claim(context, change, items);
      break;
    default:
      break;
  }
}

WritePlan plan_jobs(const VolcanoContext& context, const std::string& item, Instant now) {
  WritePlan plan;
  const text::Object* object = context.seen.find(VolcanoKind::Job, item);
  if (object == nullptr || is_leaving(*object)) return plan;
  const JobSnapshot snapshot(*object, context.seen.pods_of(api::ObjectView(*object).metadata().uid()));
  const JobPodGroup group = group_of(context, snapshot.job);
  const ActionOutcome acted = apply_commands(plan, context, snapshot, group.current(), now);
  if (acted == ActionOutcome::Yes) return plan;
  if (!is_working(snapshot.phase)) {
    clean_up_job(plan, snapshot, group, now);
    return plan;
  }
  PolicyOutcome outcome;
  if (acted == ActionOutcome::No && snapshot.phase != JobPhase::Restarting) {
    outcome = apply_policies(plan, snapshot, group.current(), now);
  }
  if (outcome.acted != ActionOutcome::No) return plan;
  const OngoingActions ongoing{.delayed = outcome.delayed, .command = acted == ActionOutcome::Held};
  sync_job(plan, context, snapshot, group, ongoing, now);
  return plan;
}

struct Words {
  std::string_view reason, text;
};

Words words_of(const api::Call& call) {
  const std::string_view plural = call.resource.plural;
  if (plural == "pods") {
    const bool creates = call.verb == api::Verb::Create;
    return creates ? Words{"FailedCreate", "Error creating pods: "} : Words{"FailedDelete", "Error deleting pods: "};
  }
  if (plural == "podgroups") return {"PodGroupError", "Failed to create PodGroup, err: "};
  if (plural == "persistentvolumeclaims") return {"PVCError", "Failed to create PVC, err: "};
  if (plural == "jobs") return {"JobStatusError", "Failed to initialize job status, err: "};
  if (plural == "commands") return {"CommandIssued", "Failed to delete the command, err: "};
  return {"PluginError", "Execute plugin when job add failed, err: "};
}

void refused_jobs(const VolcanoContext& context, const std::string& item, const api::Call& call,
                  const api::ApiError& error, std::vector<EventNote>& notes) {
  constexpr std::string_view kConflict = "Conflict";
  if (error.reason == kConflict) return;  // seen from an outdated view; the next plan knows better
  const text::Object* job = context.seen.find(VolcanoKind::Job, item);
  if (job == nullptr) return;
  const Words words = words_of(call);
  const bool is_list = call.resource.plural == "pods";
  notes.push_back(warning(VolcanoKind::Job, *job, std::string(words.reason),
                          fmt::format("{}{}{}{}", words.text, is_list ? "[" : "", error.message, is_list ? "]" : "")));
}

// What a job cannot have: not what was planned from an outdated view, nor a server that is busy or away.
bool heeds_refusal(const api::Call& call, const api::ApiError& error) {
  constexpr std::array kPassing = {409, 429, 503, 504};
  if (std::ranges::find(kPassing, error.code) != kPassing.end()) return false;
  if (call.resource.plural == "pods") return call.verb == api::Verb::Create;
  return call.verb != api::Verb::Delete && !refusal_reason(call.resource.plural).empty();
}

}  // namespace

VolcanoController job_controller() {
  return {.name = "job-controller",
          .wake = wake_jobs,
          .plan = plan_jobs,
          .refused = refused_jobs,
          .heeds_refusal = heeds_refusal};
}

}  // namespace basalt::volcano
