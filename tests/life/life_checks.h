// What must hold in a LifeCluster at rest, whatever happened before.
//
//  1. A job's counts are its pods.
//  2. No orphan: every pod and PodGroup belongs to a job that is there, every place of a job is taken at most once, a
//     working job has no pod beyond its places, and what has ended has no pod alive and no PodGroup.
//  3. Retries never exceed maxRetry, and never go back.
//  4. What is Completed, Failed or Terminated stays so. What is Aborted is left only by being resumed.
//  5. A finished job is deleted when its time to live is over, not before, and by one write.
//  6. At rest nothing is written, and a controller that starts anew finds nothing to write either.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "lab/life/life_cluster.h"

namespace basalt::lab {

inline const api::GroupVersionResource kLifeJobs{.group = "batch.volcano.sh", .version = "v1alpha1", .plural = "jobs"};
inline const api::GroupVersionResource kLifePods{.group = "", .version = "v1", .plural = "pods"};
inline const api::GroupVersionResource kLifeGroups{
    .group = "scheduling.volcano.sh", .version = "v1beta1", .plural = "podgroups"};

class LifeChecks {
 public:
  // Requires: `cluster` outlives it and nobody else sets controller_client().on_write.
  explicit LifeChecks(LifeCluster& cluster);
  LifeChecks(const LifeChecks&) = delete;
  LifeChecks& operator=(const LifeChecks&) = delete;

  // What does not hold; "": all does. Requires: the cluster is at rest.
  [[nodiscard]] std::string check_all();
  // The same for number 6. Restarts the controllers.
  [[nodiscard]] std::string check_idle();
  // What was seen of jobs so far: phases, and "deleted". A test that sees little proves little.
  [[nodiscard]] const std::set<std::string>& seen_phases() const { return seen_phases_; }
  // Jobs and pods as they are, for a failure.
  [[nodiscard]] std::string dump();

 private:
  struct Past {
    std::string phase;
    int64_t retries = 0, version = 0;
  };
  [[nodiscard]] std::string check_job(const text::Object& job);
  [[nodiscard]] std::string check_pods(const text::Object& job);
  [[nodiscard]] std::string check_history(const text::Object& job);
  [[nodiscard]] std::string check_owners();
  [[nodiscard]] std::string check_ttl(const text::Object& job);

  LifeCluster& cluster_;
  std::map<std::string, Past, std::less<>> past_;      // by uid
  std::map<std::string, int, std::less<>> deletions_;  // of jobs, by uid
  std::set<std::string> seen_phases_;
  std::string too_early_;  // a deletion before its time
};

}  // namespace basalt::lab
