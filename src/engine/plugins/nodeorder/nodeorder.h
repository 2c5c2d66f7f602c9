// nodeorder: which of the possible nodes is the best one? A weighted sum of Kubernetes' own scores, each 0 to 100.
//
// | argument (integer)       | default | what it weighs                                                            |
// |--------------------------|---------|---------------------------------------------------------------------------|
// | leastrequested.weight    | 1       | free cpu and memory                                                       |
// | mostrequested.weight     | 0       | used cpu and memory                                                       |
// | balancedresource.weight  | 1       | what the pod does to the balance of cpu, memory, nvidia.com/gpu           |
// | imagelocality.weight     | 1       | container images that are on the node already                             |
// | nodeaffinity.weight      | 2       | preferred node affinity terms that match                                  |
// | tainttoleration.weight   | 3       | PreferNoSchedule taints that are not tolerated, reversed                  |
// | podaffinity.weight       | 2       | preferred pod affinity and anti-affinity, of this pod and of those around |
// | podtopologyspread.weight | 2       | ScheduleAnyway spread constraints                                         |
// Weight 0 switches a part off.
//
// The first four depend on the node alone (hook score); the others are scaled over the candidates (bind_scaled, see
// scales.h). Least and most requested count 100m cpu and 200 MiB for containers that ask for nothing; balance counts
// what is really asked for, leaves out accelerators that the pod does not use, and has no opinion on a pod that asks
// for none of the three. Required affinity terms of pods that are there add nothing, as in Volcano (Kubernetes' own
// default would count each as 1).
//
// Not modelled: the system's default spread constraints of pods without any (they need Services and ReplicaSets).
//
// Hooks: score, scaled scores, sign, sign_epoch.
// Cost: open is O(shapes with pod terms); a call O(nodes of the call), see predicates.h for pods with terms.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/core/plugin.h"
#include "engine/core/session.h"
#include "engine/plugins/nodeorder/pod_scores.h"
#include "engine/plugins/nodeorder/resource_scores.h"

namespace basalt::plugins {

class NodeOrder {
 public:
  static constexpr std::string_view kName = "nodeorder";
  static Result<NodeOrder> make(const engine::Arguments& arguments);
  void open(engine::Session& session, engine::HookBinder& binder);

  void score(const engine::ScoreCall& call);
  void node_affinity(const engine::RawCall& call);
  void taints(const engine::RawCall& call);
  void pod_affinity(const engine::RawCall& call);
  void spread(const engine::RawCall& call);
  engine::Reach node_alone(model::TaskId task);
  engine::Reach pod_affinity_reach(model::TaskId task);
  engine::Reach spread_reach(model::TaskId task);
  void sign(model::TaskId task, engine::ClassKey& key);
  void sign_epoch(Fingerprint& epoch);

 private:
  struct Weights {
    int64_t least = 1, most = 0, balanced = 1, image = 1;
    int64_t node_affinity = 2, taints = 3, pod_affinity = 2, spread = 2;
  };
  // An image of the pod that some node has.
  struct WantedImage {
    NameId name;
    double spread = 0;  // the share of nodes that have it
  };
  // What the pod asks for, taken out of its shape once per call.
  struct Ask {
    int64_t cpu = 0, memory = 0, gpu = 0;
    int64_t nonzero_cpu = 0, nonzero_memory = 0;
    int32_t containers = 0;
    const std::vector<WantedImage>* images = nullptr;
  };
  [[nodiscard]] Ask ask_of(model::TaskId task);
  [[nodiscard]] int64_t local_score(const Ask& ask, model::NodeId id) const;
  [[nodiscard]] int64_t image_score(const Ask& ask, const model::Node& node) const;
  const std::vector<WantedImage>& images_of(model::ShapeId shape);

  Weights weights_;

  // Of the cycle.
  const model::ClusterState* state_ = nullptr;
  model::ResourceId gpu_;                                                // none: no such resource in the cluster
  std::shared_ptr<PodScores> pods_;                                      // made in open(); a prototype has none
  std::unordered_map<model::ShapeId, std::vector<WantedImage>> images_;  // asked by shape, never walked
  std::vector<uint64_t> signature_;
};

}  // namespace basalt::plugins
