// Metrics that are labelled by jobs and queues, read from the state.
//
// gauges() replaces what it says about every object that is there, so series go away with their object. At most
// kMaxJobSeries jobs and kMaxQueueSeries queues have series, the first ones that came; the counts of unschedulable jobs
// are over all. Not thread-safe: SchedulerMetrics holds the lock.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "engine/model/cluster_state.h"
#include "engine/model/real_vec.h"
#include "engine/policy/policy_spec.h"

namespace basalt::scheduler {

inline constexpr size_t kMaxJobSeries = 5'000;
inline constexpr size_t kMaxQueueSeries = 2'000;

class ObjectSeries {
 public:
  // Tasks of the job were given nodes; it was found short of its minimum.
  void assumed(const model::ClusterState& state, model::JobId job, Instant now);
  void retried(const model::ClusterState& state, model::JobId job);

  void gauges(const model::ClusterState& state, const policy::PolicySpec& policy);

  void append(std::string& out) const;

 private:
  struct JobRow {
    std::string ns, name, queue;
    Instant created, last;  // last: when a task was last given a node; none yet: kNever
    uint64_t retries = 0;
    int32_t missing = 0;  // tasks that the gang lacks
    double share = 0;
  };
  struct Amounts {
    double cpu_milli = 0, memory = 0;
    std::map<std::string, double, std::less<>> scalars;
  };
  static constexpr size_t kAmounts = 6;  // allocated, request, inqueue, deserved, capacity, real capacity
  static constexpr size_t kPhases = 5;   // Pending, Inqueue, Running, Unknown, Completed
  struct QueueRow {
    std::array<std::optional<Amounts>, kAmounts> amounts;
    std::optional<double> share;
    std::optional<bool> overused;
    double weight = 0;
    std::array<int64_t, kPhases> pod_groups{};
  };
  using QueueRows = std::map<std::string, QueueRow, std::less<>>;

  JobRow* job_row(const model::ClusterState& state, model::JobId job);
  void read_jobs(const model::ClusterState& state, const policy::PolicySpec& policy);
  void read_queues(const model::ClusterState& state, const policy::PolicySpec& policy);
  template <class Parts>
  void read_parts(const model::ClusterState& state, const Parts& parts);
  [[nodiscard]] QueueRow* queue_row(const model::ClusterState& state, model::QueueId queue);
  // `zeros`: resources that the cluster has are there even if they are 0, so that their series goes to 0.
  template <class Vec>
  static Amounts amounts(const model::ClusterState& state, const Vec& vec, bool zeros = true);

  void append_jobs(std::string& out) const;
  void append_queues(std::string& out) const;
  void append_amounts(std::string& out) const;

  std::map<std::string, JobRow, std::less<>> jobs_;  // by "namespace/name"
  QueueRows queues_;
  int64_t unscheduled_jobs_ = 0;
  bool shares_ = false, gangs_ = false;  // the policy has drf; gang
};

}  // namespace basalt::scheduler
