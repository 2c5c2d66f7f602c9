// The load of `basalt bench kubernetes`: objects that it makes in a cluster, and takes away again.
//
//   gangs    PodGroups, each followed by its pods, which must run together
//   singles  the same with one pod each
//   jobs     Volcano jobs; a controller makes PodGroups and pods
//   misfits  gangs whose pods fit on no node
//
// All objects carry kBenchLabel; names start with kBenchPrefix or kMisfitPrefix.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/client/object_client.h"
#include "lab/bench/bench_pod_timeline.h"

namespace basalt::lab {

inline constexpr std::string_view kBenchLabel = "basalt.sh/bench";

struct KubeLoad {
  enum class Kind : uint8_t { Gangs, Jobs };
  Kind kind = Kind::Gangs;
  size_t gangs = 100, size = 50;
  std::string namespace_name = "default", scheduler_name = "volcano", prefix{kBenchPrefix};
  std::string cpu = "1";
  size_t clients = 16;  // creates under way

  [[nodiscard]] size_t pods() const { return gangs * size; }
  [[nodiscard]] std::string pod_name(size_t gang, size_t index) const;
};

struct LoadResult {
  double seconds = 0;
  size_t objects = 0;
  [[nodiscard]] double per_second() const { return seconds > 0 ? static_cast<double>(objects) / seconds : 0; }
};

// Makes the queue that the load goes to, and opens it: Volcano's controllers do, where they run. An error is a refusal;
// a cluster without queues is none.
[[nodiscard]] Result<void> open_queue(client::ObjectClient& client);
// Creates everything, in order, with load.clients calls under way; `schedule` learns when each pod is sent. An error is
// the first refusal.
[[nodiscard]] Result<LoadResult> send_load(client::ObjectClient& client, const KubeLoad& load, PodTimeline& schedule);
// Binds the pods of a load of gangs to the nodes NAME-0 … in turn: what a scheduler could do at best.
[[nodiscard]] Result<LoadResult> bind_load(client::ObjectClient& client, const KubeLoad& load, size_t nodes);
// Deletes what any run has left in the namespace, and the nodes of the bench. An error is the first refusal.
[[nodiscard]] Result<void> remove_load(client::ObjectClient& client, const std::string& namespace_name, bool nodes);

}  // namespace basalt::lab
