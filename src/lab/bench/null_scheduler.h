// The fastest scheduler that there can be: it binds each pod at once to the next node, looking at nothing. What it
// reaches on a cluster is the limit for a real one with the same client.
//
// It binds pods of its scheduler name that have no node, round robin over the nodes that it knows; no gangs, no room,
// no events, no status. PodGroups that a controller made are let in (phase Inqueue), because Volcano's job controller
// makes no pods before.
// At most kMaxNullBinds are under way; what failed for another reason than that the pod is gone or bound is sent again.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "kube/client/object_client.h"
#include "lab/bench/bench_pod_timeline.h"

namespace basalt::lab {

inline constexpr size_t kMaxNullBinds = 2'000;

class NullScheduler {
 public:
  // Works until it is destroyed. Requires: `client` outlives it.
  NullScheduler(client::ObjectClient& client, std::string scheduler_name);
  ~NullScheduler();
  NullScheduler(const NullScheduler&) = delete;
  NullScheduler& operator=(const NullScheduler&) = delete;

  [[nodiscard]] uint64_t binds() const { return binds_; }  // that succeeded

 private:
  struct Pod {
    std::string namespace_name, name, uid;
  };
  void take(size_t kind, const client::WatchEvent& event);
  void take_pod(const text::Object& object);
  void let_in(const text::Object& group);
  void send_more();
  void answered(const Pod& pod, const client::ReplyOrError& outcome);

  client::ObjectClient& client_;
  const std::string scheduler_name_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::vector<std::string> nodes_;
  std::unordered_set<std::string> known_nodes_, known_pods_;  // names; uids
  std::deque<Pod> waiting_;
  size_t next_node_ = 0, under_way_ = 0;
  bool stopping_ = false;
  std::atomic<uint64_t> binds_ = 0;
  std::unique_ptr<KindWatcher> stream_;  // the last: it ends before what it writes to goes
};

// Runs one until `end` is closed at its other side. For a process of its own. Exit code: 0, or 1 when there is no way
// to the cluster.
[[nodiscard]] int run_null_scheduler(client::ObjectClient& client, const std::string& scheduler_name, int end);

}  // namespace basalt::lab
