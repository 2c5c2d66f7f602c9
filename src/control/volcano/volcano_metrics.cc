#include "control/volcano/volcano_metrics.h"

#include <array>
#include <string_view>

#include "kube/api/object_fields.h"
#include "kube/text/prometheus.h"
#include "kube/text/rfc3339.h"

namespace basalt::volcano {
namespace {

using api::string_at;
using text::append_family;
using text::append_label;
using text::append_series;
using text::one_label;

std::string_view queue_of(const text::Object& object) { return string_at(object, {"spec", "queue"}); }

// Whether the phase became `wanted` with this change.
bool became(const ObjectChange& change, std::initializer_list<std::string_view> path, std::string_view wanted) {
  return change.before != nullptr && change.now != nullptr && string_at(*change.now, path) == wanted &&
         string_at(*change.before, path) != wanted;
}

// The row of `key`, made if there is room; null: there is none.
template <class Rows>
auto* row_in(Rows& rows, std::string_view key) {
  const auto at = rows.find(key);
  if (at != rows.end()) return &at->second;
  return rows.size() < kMaxSeries ? &rows[std::string(key)] : nullptr;
}

struct Phase {
  std::string_view name;
  int64_t PodGroupCounts::* count;
};
constexpr std::array kCountedPhases = {
    Phase{"inqueue", &PodGroupCounts::inqueue},     Phase{"pending", &PodGroupCounts::pending},
    Phase{"running", &PodGroupCounts::running},     Phase{"unknown", &PodGroupCounts::unknown},
    Phase{"completed", &PodGroupCounts::completed},
};

}  // namespace

void VolcanoMetrics::note(const ControllerCache& seen, const ObjectChange& change, Instant now) {
  if (!began_.is_set()) began_ = now;
  if (change.kind == VolcanoKind::Pod) return note_pod(seen, change);
  const std::scoped_lock lock(mutex_);
  if (change.kind == VolcanoKind::Job) note_job(change);
  if (change.kind == VolcanoKind::JobFlow) note_flow(change);
  if (change.kind == VolcanoKind::Queue) note_queue(seen, std::string(change.key));
  if (change.kind == VolcanoKind::PodGroup) {
    if (change.before != nullptr) note_queue(seen, std::string(queue_of(*change.before)));
    if (change.now != nullptr) note_queue(seen, std::string(queue_of(*change.now)));
  }
}

void VolcanoMetrics::note_job(const ObjectChange& change) {
  if (change.now == nullptr) {
    if (const auto at = jobs_.find(change.key); at != jobs_.end()) jobs_.erase(at);
    return;
  }
  const bool completed = became(change, {"status", "state", "phase"}, "Completed");
  if (!completed && !became(change, {"status", "state", "phase"}, "Failed")) return;
  JobEnds* row = row_in(jobs_, change.key);
  if (row == nullptr) return;
  row->queue = queue_of(*change.now);
  ++(completed ? row->good : row->bad);
}

void VolcanoMetrics::note_flow(const ObjectChange& change) {
  const bool succeeded = became(change, {"status", "state", "phase"}, "Succeed");
  if (!succeeded && !became(change, {"status", "state", "phase"}, "Failed")) return;
  Ends* row = row_in(flows_, change.key.substr(0, change.key.find('/')));
  if (row != nullptr) ++(succeeded ? row->good : row->bad);
}

void VolcanoMetrics::note_queue(const ControllerCache& seen, const std::string& name) {
  if (seen.find(VolcanoKind::Queue, name) == nullptr) {
    queues_.erase(name);
  } else if (PodGroupCounts* row = row_in(queues_, name)) {
    *row = seen.group_counts(name);
  }
}

// A pod that was there before us says nothing about how fast we are.
void VolcanoMetrics::note_pod(const ControllerCache& seen, const ObjectChange& change) {
  const CachedPod* pod = change.pod_now;
  if (pod == nullptr || change.pod_before != nullptr || pod->owner.empty() || pod->created < began_) return;
  const std::string key = std::string(change.key.substr(0, change.key.find('/') + 1)) + pod->owner;
  const text::Object* job = seen.find(VolcanoKind::Job, key);
  if (job == nullptr) return;
  const auto created = text::parse_time(string_at(*job, {"metadata", "creationTimestamp"}));
  if (created) creation_.observe(pod->created - *created);
}

std::string VolcanoMetrics::text() const {
  std::string out;
  const auto append_ends = [&out](std::string_view name, std::string_view help, const auto& rows, const auto& labels,
                                  uint64_t Ends::* count) {
    append_family(out, name, "counter", help);
    for (const auto& [key, row] : rows) {
      if (row.*count > 0) append_series(out, name, labels(key, row), static_cast<double>(row.*count));
    }
  };
  const auto job_labels = [](const std::string& key, const JobEnds& row) {
    std::string labels = one_label("job_name", key);
    append_label(labels, "queue_name", row.queue);
    return labels;
  };
  const auto flow_labels = [](const std::string& ns, const Ends&) { return one_label("jobflow_namespace", ns); };
  const std::scoped_lock lock(mutex_);
  append_ends("volcano_job_completed_phase_count", "How often the job completed.", jobs_, job_labels, &Ends::good);
  append_ends("volcano_job_failed_phase_count", "How often the job failed.", jobs_, job_labels, &Ends::bad);
  append_ends("volcano_jobflow_succeed_phase_count", "Flows that succeeded.", flows_, flow_labels, &Ends::good);
  append_ends("volcano_jobflow_failed_phase_count", "Flows that failed.", flows_, flow_labels, &Ends::bad);
  for (const Phase& phase : kCountedPhases) {
    const std::string name = "volcano_queue_pod_group_" + std::string(phase.name) + "_count";
    append_family(out, name, "gauge", "Pod groups of the queue in this phase.");
    for (const auto& [queue, counts] : queues_) {
      append_series(out, name, one_label("queue_name", queue), static_cast<double>(counts.*phase.count));
    }
  }
  constexpr std::string_view kCreation = "volcano_controller_job_to_pod_creation_latency_milliseconds";
  append_family(out, kCreation, "histogram", "From the creation of a job to the creation of its pod.");
  creation_.append(out, kCreation, "");
  return out;
}

}  // namespace basalt::volcano
