#include "control/volcano/volcano_metrics.h"

#include <string_view>

#include "kube/api/views/volcano_flow_view.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/api/views/volcano_pod_group_view.h"
#include "kube/text/rfc3339.h"

namespace basalt::volcano {
namespace {

std::string group_queue(const text::Object& group) { return std::string(api::PodGroupView(group).spec().queue()); }

// Whether the phase became `wanted` with this change, of a kind that this view is for.
template <class KindView>
bool became(const ObjectChange& change, std::string_view wanted) {
  const auto phase = [](const text::Object& object) { return KindView(object).status().state().phase(); };
  return change.before != nullptr && change.now != nullptr && phase(*change.now) == wanted &&
         phase(*change.before) != wanted;
}

}  // namespace

VolcanoMetrics::PhaseGauges VolcanoMetrics::phase_gauges(std::string_view phase, int64_t PodGroupCounts::* count) {
  return {.count = count,
          .by_queue = page_.gauges({"volcano_queue_pod_group_" + std::string(phase) + "_count",
                                    "Pod groups of the queue in this phase.",
                                    {"queue_name"}})};
}

void VolcanoMetrics::note(const ControllerCache& seen, const ObjectChange& change, Instant now) {
  if (!began_.is_set()) began_ = now;
  if (change.kind == VolcanoKind::Pod) return note_pod(seen, change);
  if (change.kind == VolcanoKind::Job) note_job(change);
  if (change.kind == VolcanoKind::JobFlow) note_flow(change);
  if (change.kind == VolcanoKind::Queue) note_queue(seen, std::string(change.key));
  if (change.kind == VolcanoKind::PodGroup) {
    if (change.before != nullptr) note_queue(seen, group_queue(*change.before));
    if (change.now != nullptr) note_queue(seen, group_queue(*change.now));
  }
}

void VolcanoMetrics::note_job(const ObjectChange& change) {
  if (change.now == nullptr) {
    job_completed_.remove({change.key});
    job_failed_.remove({change.key});
    return;
  }
  const std::string_view queue = api::VolcanoJobView(*change.now).spec().queue();
  if (became<api::VolcanoJobView>(change, "Completed")) job_completed_.at({change.key, queue}).add();
  if (became<api::VolcanoJobView>(change, "Failed")) job_failed_.at({change.key, queue}).add();
}

void VolcanoMetrics::note_flow(const ObjectChange& change) {
  const std::string_view ns = change.key.substr(0, change.key.find('/'));
  if (became<api::JobFlowView>(change, "Succeed")) flow_succeeded_.at({ns}).add();
  if (became<api::JobFlowView>(change, "Failed")) flow_failed_.at({ns}).add();
}

void VolcanoMetrics::note_queue(const ControllerCache& seen, const std::string& name) {
  if (seen.find(VolcanoKind::Queue, name) == nullptr) {
    for (const PhaseGauges& phase : group_phases_) phase.by_queue.remove({name});
    return;
  }
  const PodGroupCounts counts = seen.group_counts(name);
  for (const PhaseGauges& phase : group_phases_) {
    phase.by_queue.at({name}).set(static_cast<double>(counts.*phase.count));
  }
}

// A pod that was there before us says nothing about how fast we are.
void VolcanoMetrics::note_pod(const ControllerCache& seen, const ObjectChange& change) {
  const CachedPod* pod = change.pod_now;
  if (pod == nullptr || change.pod_before != nullptr || pod->owner.empty() || pod->created < began_) return;
  const std::string key = std::string(change.key.substr(0, change.key.find('/') + 1)) + pod->owner;
  const text::Object* job = seen.find(VolcanoKind::Job, key);
  if (job == nullptr) return;
  const auto created = text::parse_time(api::VolcanoJobView(*job).metadata().creation_timestamp());
  if (created) creation_.observe_ms(pod->created - *created);
}

std::string VolcanoMetrics::text() const { return page_.text(); }

}  // namespace basalt::volcano
