// Compares the scheduler's state with one that is rebuilt from the API alone.
//
//   auto rebuilt = rebuild(client, state_options);           // lists everything, page by page; any thread
//   for (const Difference& d : check.consider(compare(live, **rebuilt))) log(d.what, d.live, d.rebuilt);
//
// 1. Compared is what decisions depend on: nodes (capacity, labels, taints, what is free), pods (status, node, job,
//    request, order), jobs (spec, counts, phase), queues, priority classes as far as they reach jobs, quotas, budgets
//    and namespace labels. Names and texts, never row numbers: two states number their rows differently.
// 2. What the scheduler decided and the API has not confirmed yet is no difference: a task that is Binding here may be
//    without a node there, or be there already; one that is Releasing here may still be running there. Sums over tasks
//    (free resources, counts) are not compared as such: each state recounts its own (ClusterState::verify()), and what
//    they are sums of is compared.
// 3. A list and the live state are never of the same moment. Only what two successive checks find in the same words
//    is a fault: consider() answers that.
// 4. An object that can not be read any more is a difference: the scheduler keeps its last readable state.
//
// Cost: O(state); 1 to 2 µs for each pod.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "control/scheduler/state/state_updater.h"
#include "engine/model/cluster_state.h"
#include "kube/client/object_client.h"

namespace basalt::scheduler {

inline constexpr size_t kMaxDifferences = 1'000;  // in one comparison; the rest is left out

struct Difference {
  std::string what;     // "pod team-a/train-0 (7f3c…) status"
  std::string live;     // as the scheduler has it; "" : not at all
  std::string rebuilt;  // as the API has it
  friend auto operator<=>(const Difference&, const Difference&) = default;
};

// Pods, by uid, that the scheduler itself keeps from being placed for a while: their gates are its own affair.
using HeldBack = std::function<bool(std::string_view uid)>;

// Sorted by `what`; at most kMaxDifferences. `held_back` may be empty.
[[nodiscard]] std::vector<Difference> compare(const model::ClusterState& live, const model::ClusterState& rebuilt,
                                              const HeldBack& held_back = {});

// A state made from nothing but what the API answers now. Objects that can not be read are left out, as the scheduler
// leaves them out. An error: some list failed.
[[nodiscard]] Result<std::unique_ptr<model::ClusterState>> rebuild(client::ObjectClient& client,
                                                                   const state::StateOptions& options);

class SelfCheck {
 public:
  // Those of `found` that the former check found too. Requires: `found` is sorted, as compare() answers it.
  [[nodiscard]] std::vector<Difference> consider(std::vector<Difference> found);
  // The last check found something new: the next one may come sooner than usual, to confirm it. Never after a check
  // that came for that: a busy cluster, where some news is always on its way, is not listed again and again.
  [[nodiscard]] bool unsettled() const { return unsettled_; }

 private:
  std::vector<Difference> former_;
  bool unsettled_ = false;
};

}  // namespace basalt::scheduler
