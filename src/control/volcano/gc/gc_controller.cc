#include "control/volcano/gc/gc_controller.h"

#include <algorithm>
#include <optional>

#include "control/volcano/volcano_writes.h"
#include "kube/api/job_phase.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/quota_usage.h"
#include "kube/api/views/metadata_view.h"
#include "kube/api/views/volcano_flow_view.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/text/rfc3339.h"

namespace basalt::volcano {
namespace {

constexpr int64_t kMaxTtlSeconds = api::kMaxGraceSeconds;  // beyond: as good as never

// When the job is to go; nothing: not by itself.
std::optional<Instant> expiry_of(const text::Object& job) {
  const api::JobStateView state = api::VolcanoJobView(job).status().state();
  if (is_leaving(job) || !api::is_finished_job(state.phase())) return std::nullopt;
  const std::optional<int64_t> ttl = api::VolcanoJobView(job).spec().ttl_seconds_after_finished();
  const auto ended = text::parse_time(state.last_transition_time());
  if (!ttl || !ended || !ended->is_set()) return std::nullopt;
  const int64_t seconds = std::clamp<int64_t>(*ttl, 0, kMaxTtlSeconds);
  if (ended->nanos > INT64_MAX - Duration::seconds(seconds).nanos) {
    return std::nullopt;  // later than time reaches
  }
  return *ended + Duration::seconds(seconds);
}

// The flow that made the job still counts it.
bool is_counted(const VolcanoContext& context, const text::Object& job) {
  const VolcanoKindRow& row = row_of(VolcanoKind::JobFlow);
  const std::string_view uid = controller_uid(job, row.group, row.name);
  if (uid.empty()) return false;
  bool counted = false;
  for (const api::OwnerReferenceView owner : api::ObjectView(job).metadata().owner_references()) {
    if (owner.uid() != uid) continue;
    const api::JobFlowView flow(
        context.seen.find(VolcanoKind::JobFlow, std::string(api::namespace_of(job)).append("/").append(owner.name())));
    counted = flow && flow.metadata().uid() == uid && flow.status().state().phase() != "Succeed";
  }
  return counted;
}

void wake_finished_jobs(const VolcanoContext& context, const ObjectChange& change, std::vector<std::string>& items) {
  if (change.kind == VolcanoKind::JobFlow) {
    for (const std::string& job :
         context.seen.controlled(VolcanoKind::Job, api::ObjectView(change.either()).metadata().uid())) {
      items.push_back(job);
    }
    return;
  }
  if (change.kind != VolcanoKind::Job || change.now == nullptr || !expiry_of(*change.now)) return;
  items.emplace_back(change.key);
}

WritePlan plan_finished_jobs(const VolcanoContext& context, const std::string& item, Instant now) {
  WritePlan plan;
  const text::Object* job = context.seen.find(VolcanoKind::Job, item);
  const std::optional<Instant> expiry = job == nullptr ? std::nullopt : expiry_of(*job);
  if (!expiry) return plan;
  if (now < *expiry) {
    plan.look_again(*expiry);
  } else if (!is_counted(context, *job)) {
    plan.write(delete_object(VolcanoKind::Job, *job, "Foreground", RefuseIf::Changed));
  }
  return plan;
}

}  // namespace

VolcanoController gc_controller() {
  return {.name = "gc-controller", .wake = wake_finished_jobs, .plan = plan_finished_jobs};
}

}  // namespace basalt::volcano
