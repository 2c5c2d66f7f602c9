#include "engine/plugins/nodeorder/nodeorder.h"

#include <algorithm>
#include <utility>

#include "engine/model/node_affinity.h"
#include "engine/plugins/nodeorder/scales.h"

namespace basalt::plugins {

using engine::Reach;
using model::NodeId;
using model::PodShape;
using model::TaskId;

Result<NodeOrder> NodeOrder::make(const engine::Arguments& arguments) {
  NodeOrder plugin;
  Weights& w = plugin.weights_;
  for (const auto& [key, weight] :
       {std::pair{"leastrequested.weight", &w.least}, std::pair{"mostrequested.weight", &w.most},
        std::pair{"balancedresource.weight", &w.balanced}, std::pair{"imagelocality.weight", &w.image},
        std::pair{"nodeaffinity.weight", &w.node_affinity}, std::pair{"tainttoleration.weight", &w.taints},
        std::pair{"podaffinity.weight", &w.pod_affinity}, std::pair{"podtopologyspread.weight", &w.spread}}) {
    const auto value = arguments.get_int(key, *weight);
    if (!value) return std::unexpected(value.error());
    *weight = *value;
  }
  return plugin;
}

void NodeOrder::open(engine::Session& session, engine::HookBinder& binder) {
  state_ = &session.state;
  gpu_ = state_->schema.find("nvidia.com/gpu");
  pods_ = std::make_shared<PodScores>(*state_);

  const auto weight = [](int64_t w) { return static_cast<double>(w); };
  binder.bind<&NodeOrder::score>(&engine::HookTable::score, *this);
  if (weights_.node_affinity != 0) {
    binder.bind_scaled<&NodeOrder::node_affinity, &NodeOrder::node_alone>(scale_to_max, weight(weights_.node_affinity),
                                                                          *this);
  }
  if (weights_.taints != 0) {
    binder.bind_scaled<&NodeOrder::taints, &NodeOrder::node_alone>(scale_reversed, weight(weights_.taints), *this);
  }
  if (weights_.pod_affinity != 0) {
    binder.bind_scaled<&NodeOrder::pod_affinity, &NodeOrder::pod_affinity_reach>(scale_between,
                                                                                 weight(weights_.pod_affinity), *this);
  }
  if (weights_.spread != 0) {
    binder.bind_scaled<&NodeOrder::spread, &NodeOrder::spread_reach>(scale_spread, weight(weights_.spread), *this);
  }
  binder.bind<&NodeOrder::sign>(&engine::HookTable::sign, *this);
  binder.bind<&NodeOrder::sign_epoch>(&engine::HookTable::sign_epoch, *this);
}

// ---- scores of the node alone -----------------------------------------------------------------------------------

NodeOrder::Ask NodeOrder::ask_of(TaskId task) {
  const PodShape& shape = state_->shape_of(task);
  Ask ask{
      .nonzero_cpu = shape.nonzero_cpu_milli, .nonzero_memory = shape.nonzero_memory, .containers = shape.containers};
  for (const auto& [id, amount] : shape.request) {
    if (id == model::kCpu) ask.cpu = amount;
    if (id == model::kMemory) ask.memory = amount;
    if (id == gpu_) ask.gpu = amount;
  }
  if (weights_.image != 0 && !state_->images.empty()) ask.images = &images_of(state_->task(task).shape);
  return ask;
}

const std::vector<NodeOrder::WantedImage>& NodeOrder::images_of(model::ShapeId shape) {
  auto [at, is_new] = images_.try_emplace(shape);
  if (!is_new) return at->second;
  const auto nodes = static_cast<double>(state_->nodes_by_name().size());
  for (const NameId image : state_->shapes[shape].images) {
    const auto having = static_cast<double>(state_->images.nodes_with(image));
    if (having > 0) at->second.push_back({.name = image, .spread = having / nodes});
  }
  return at->second;
}

int64_t NodeOrder::image_score(const Ask& ask, const model::Node& node) const {
  int64_t sum = 0;
  for (const WantedImage& wanted : *ask.images) {
    const auto there = std::find_if(node.images.begin(), node.images.end(),
                                    [&](const model::ImageState& image) { return image.name == wanted.name; });
    if (there == node.images.end()) continue;
    sum += static_cast<int64_t>(static_cast<double>(there->size_bytes) * wanted.spread);
  }
  return image_locality(sum, ask.containers);
}

int64_t NodeOrder::local_score(const Ask& ask, NodeId id) const {
  const model::Node& node = state_->node(id);
  const auto allocatable = state_->allocatable(id);
  const int64_t cpu = allocatable[model::kCpu.index()];
  const int64_t memory = allocatable[model::kMemory.index()];
  int64_t score = 0;
  if (weights_.least != 0 || weights_.most != 0) {
    const Load cpu_load{.allocatable = cpu, .requested = node.view_nonzero_cpu_milli, .pod = ask.nonzero_cpu};
    const Load memory_load{.allocatable = memory, .requested = node.view_nonzero_memory, .pod = ask.nonzero_memory};
    if (weights_.least != 0) score += weights_.least * least_requested(cpu_load, memory_load);
    if (weights_.most != 0) score += weights_.most * most_requested(cpu_load, memory_load);
  }
  if (weights_.balanced != 0 && (ask.cpu != 0 || ask.memory != 0 || ask.gpu != 0)) {
    const auto requested = state_->view_requested(id);
    Loads loads{Load{.allocatable = cpu, .requested = requested[model::kCpu.index()], .pod = ask.cpu},
                Load{.allocatable = memory, .requested = requested[model::kMemory.index()], .pod = ask.memory}};
    if (ask.gpu != 0) {
      loads[2] = {.allocatable = allocatable[gpu_.index()], .requested = requested[gpu_.index()], .pod = ask.gpu};
    }
    score += weights_.balanced * balance_change(loads);
  }
  if (ask.images != nullptr && !ask.images->empty()) score += weights_.image * image_score(ask, node);
  return score;
}

void NodeOrder::score(const engine::ScoreCall& call) {
  const Ask ask = ask_of(call.task);
  for (size_t i = 0; i < call.nodes.size(); ++i) {
    call.scores[i] += static_cast<double>(local_score(ask, call.nodes[i]));
  }
}

// ---- raw scores, scaled over the candidates ---------------------------------------------------------------------

void NodeOrder::node_affinity(const engine::RawCall& call) {
  const PodShape& shape = state_->shape_of(call.task);
  for (size_t i = 0; i < call.nodes.size(); ++i) {
    call.raw[i] = shape.preferred_node_terms.empty()
                      ? 0
                      : model::preferred_node_weight(shape, state_->node(call.nodes[i]), state_->names);
  }
}

void NodeOrder::taints(const engine::RawCall& call) {
  const PodShape& shape = state_->shape_of(call.task);
  for (size_t i = 0; i < call.nodes.size(); ++i) {
    const model::Node& node = state_->node(call.nodes[i]);
    call.raw[i] = node.taints.empty() ? 0 : model::disliked_taints(shape, node);
  }
}

void NodeOrder::pod_affinity(const engine::RawCall& call) {
  PodScores::Bound* pods = pods_->classes().any_terms() ? pods_->bind(call.task) : nullptr;
  if (pods == nullptr) {
    std::fill(call.raw.begin(), call.raw.end(), 0);
    return;
  }
  pods->preferences.sync();
  for (size_t i = 0; i < call.nodes.size(); ++i) call.raw[i] = pods->preferences.sum(call.nodes[i]);
}

void NodeOrder::spread(const engine::RawCall& call) {
  // Pods without soft constraints get nothing from this part, wherever they go.
  if (!model::has_spread(state_->shape_of(call.task), /*hard=*/false)) {
    std::fill(call.raw.begin(), call.raw.end(), engine::kIgnoredRaw);
    return;
  }
  PodScores::Bound* pods = pods_->bind(call.task);
  pods->spread.sync();
  pods->spread.score(call.nodes, engine::kIgnoredRaw, call.raw);
}

Reach NodeOrder::node_alone(TaskId /*task*/) { return Reach::Node; }

// Terms of pods on nodes do not reach: a column is rebuilt anyway when the pods with terms change.
Reach NodeOrder::pod_affinity_reach(TaskId task) {
  const PodShape& shape = state_->shape_of(task);
  const bool own = !shape.preferred_affinity.empty() || !shape.preferred_anti_affinity.empty();
  return own ? Reach::Cluster : Reach::Node;
}

Reach NodeOrder::spread_reach(TaskId task) {
  return model::has_spread(state_->shape_of(task), /*hard=*/false) ? Reach::Cluster : Reach::Node;
}

// ---- classes ----------------------------------------------------------------------------------------------------

void NodeOrder::sign(TaskId task, engine::ClassKey& key) {
  signature_.clear();
  pods_->classes().sign(task, signature_);
  for (const uint64_t part : signature_) key.add(part);
}

void NodeOrder::sign_epoch(Fingerprint& epoch) {
  epoch.add(pods_->classes().epoch());
  if (weights_.image != 0) epoch.add(state_->images.version());
}

}  // namespace basalt::plugins
