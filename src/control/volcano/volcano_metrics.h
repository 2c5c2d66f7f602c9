// What the controllers count, as Prometheus reads it, with Volcano's names and labels.
//
//   volcano_job_completed_phase_count, volcano_job_failed_phase_count           counters by job and queue
//   volcano_queue_pod_group_{inqueue,pending,running,unknown,completed}_count   gauges by queue
//   volcano_controller_job_to_pod_creation_latency_milliseconds                 histogram
//   volcano_jobflow_succeed_phase_count, volcano_jobflow_failed_phase_count     counters by namespace
//
// 1. Counted is what is seen to happen: a job that is Completed already when it is first seen counts nothing.
// 2. Series go away with their job or queue; a metric has at most text::kMaxFamilySeries, the first ones that came.
//
// Threads: note() by the loop's thread, text() from any. Cost: note() O(log series).
#pragma once

#include <array>
#include <string>

#include "base/instant.h"
#include "control/volcano/controller_cache.h"
#include "kube/text/metric_registry.h"

namespace basalt::volcano {

class VolcanoMetrics {
 public:
  // `change` has just come into `seen`.
  void note(const ControllerCache& seen, const ObjectChange& change, Instant now);
  [[nodiscard]] std::string text() const;

 private:
  void note_job(const ObjectChange& change);
  void note_flow(const ObjectChange& change);
  void note_queue(const ControllerCache& seen, const std::string& name);
  void note_pod(const ControllerCache& seen, const ObjectChange& change);

  Instant began_;  // the first time that was noted

  text::MetricRegistry page_;
  text::Counters& job_completed_ =
      page_.counters({"volcano_job_completed_phase_count", "How often the job completed.", {"job_name", "queue_name"}});
  text::Counters& job_failed_ =
      page_.counters({"volcano_job_failed_phase_count", "How often the job failed.", {"job_name", "queue_name"}});
  text::Counters& flow_succeeded_ =
      page_.counters({"volcano_jobflow_succeed_phase_count", "Flows that succeeded.", {"jobflow_namespace"}});
  text::Counters& flow_failed_ =
      page_.counters({"volcano_jobflow_failed_phase_count", "Flows that failed.", {"jobflow_namespace"}});
  struct PhaseGauges {
    int64_t PodGroupCounts::* count;
    text::Gauges& by_queue;
  };
  [[nodiscard]] PhaseGauges phase_gauges(std::string_view phase, int64_t PodGroupCounts::* count);
  std::array<PhaseGauges, 5> group_phases_{
      phase_gauges("inqueue", &PodGroupCounts::inqueue), phase_gauges("pending", &PodGroupCounts::pending),
      phase_gauges("running", &PodGroupCounts::running), phase_gauges("unknown", &PodGroupCounts::unknown),
      phase_gauges("completed", &PodGroupCounts::completed)};
  text::Histogram& creation_ = page_.histogram("volcano_controller_job_to_pod_creation_latency_milliseconds",
                                               "From the creation of a job to the creation of its pod.",
                                               text::exponential_bounds(50, 60'000, 30));
};

}  // namespace basalt::volcano
