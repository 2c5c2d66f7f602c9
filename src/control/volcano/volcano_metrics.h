// What the controllers count, as Prometheus reads it, with Volcano's names and labels.
//
//   volcano_job_completed_phase_count, volcano_job_failed_phase_count           counters by job and queue
//   volcano_queue_pod_group_{inqueue,pending,running,unknown,completed}_count   gauges by queue
//   volcano_controller_job_to_pod_creation_latency_milliseconds                 histogram
//   volcano_jobflow_succeed_phase_count, volcano_jobflow_failed_phase_count     counters by namespace
//
// 1. Counted is what is seen to happen: a job that is Completed already when it is first seen counts nothing.
// 2. Series go away with their job or queue; of each kind there are at most kMaxSeries, the first ones that came.
//
// Threads: note() by the loop's thread, text() from any. Cost: note() O(log series).
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "base/instant.h"
#include "control/volcano/controller_cache.h"
#include "kube/text/latency_histogram.h"

namespace basalt::volcano {

inline constexpr size_t kMaxSeries = 5'000;

class VolcanoMetrics {
 public:
  // `change` has just come into `seen`.
  void note(const ControllerCache& seen, const ObjectChange& change, Instant now);
  [[nodiscard]] std::string text() const;

 private:
  struct Ends {  // how often something completed and failed
    uint64_t good = 0, bad = 0;
  };
  struct JobEnds : Ends {
    std::string queue;  // at the last end
  };

  void note_job(const ObjectChange& change);
  void note_flow(const ObjectChange& change);
  void note_queue(const ControllerCache& seen, const std::string& name);
  void note_pod(const ControllerCache& seen, const ObjectChange& change);

  Instant began_;  // the first time that was noted
  text::LatencyHistogram creation_{text::exponential_bounds(50, 60'000, 30)};
  mutable std::mutex mutex_;  // of those below
  std::map<std::string, JobEnds, std::less<>> jobs_;
  std::map<std::string, Ends, std::less<>> flows_;  // by namespace
  std::map<std::string, PodGroupCounts, std::less<>> queues_;
};

}  // namespace basalt::volcano
