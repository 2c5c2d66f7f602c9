// Why a gang whose pods have several shapes finds no room though each shape alone would:
//
//   needs 2 × 8 + 1 × 6 nvidia.com/gpu; largest free blocks 8, 8, 3
//   needs 1 × 8 + 8 × 5 nvidia.com/gpu, 8 empty nodes with up to 8 have no room for all of them: cannot ever run
//
// The second only where it is proven (gang_packing.h). Pure. Cost: a packing for the first gang of the same shapes and
// numbers, a look-up for the others.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "control/scheduler/state/gang_packing.h"
#include "control/scheduler/state/wait_facts.h"
#include "engine/model/cluster_state.h"

namespace basalt::state {

class MixedGangs {
 public:
  // Requires: the state outlives it and stays as it is.
  explicit MixedGangs(const model::ClusterState& state) : state_(state) {}

  // Nothing: they fit into empty nodes, cordoned ones included, or it cannot be told. Requires: two shapes or more.
  [[nodiscard]] std::optional<std::string> never(const std::vector<PodsNeeded>& pods);
  // Nothing: they fit into what is free. Requires: two shapes or more.
  [[nodiscard]] std::optional<std::string> not_now(const std::vector<PodsNeeded>& pods);
  [[nodiscard]] size_t steps() const { return steps_; }  // what the answers have cost

 private:
  struct Question {
    std::vector<PackedShape> shapes;  // the largest first
    std::vector<PackedNode> nodes;    // those that take one of them at least
  };
  using Answers = std::map<std::vector<PodsNeeded>, std::optional<std::string>>;

  [[nodiscard]] Question question(std::vector<PodsNeeded> pods, bool empty_nodes) const;
  // The resource that alone is the cause, if one is: packed by itself it `fails`.
  [[nodiscard]] model::ResourceId culprit(const Question& asked, const std::function<bool(Packs)>& fails);
  Packs packed(const Question& asked);
  // "2 × 8 + 1 × 6 nvidia.com/gpu"; of an invalid id: "2 × (4 cpu, 8Gi memory) + …".
  [[nodiscard]] std::string pods_words(const Question& asked, model::ResourceId id) const;

  const model::ClusterState& state_;
  Answers never_, not_now_;
  size_t steps_ = 0;
};

// "4 cpu, 8 nvidia.com/gpu": what a pod requests, its place aside; by name.
[[nodiscard]] std::string request_words(const model::ResourceSchema& schema, model::DemandSpan request);

}  // namespace basalt::state
