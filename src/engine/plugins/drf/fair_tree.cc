#include "engine/plugins/drf/fair_tree.h"

#include <algorithm>
#include <charconv>

namespace basalt::plugins {

using engine::Order;
using model::JobId;
using model::QueueId;
using model::ResourceId;
using model::ResourceVec;

namespace {

// Takes the next step off a path: "a/b/c" gives "a" and leaves "b/c".
std::string_view next_step(std::string_view& path) {
  const size_t slash = path.find('/');
  const std::string_view step = path.substr(0, slash);
  path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  return step;
}

double weight_of(std::string_view text) {
  double weight = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  if (error != std::errc() || end != text.data() + text.size()) return 1;
  return std::max(weight, 1.0);
}

}  // namespace

FairTree::FairTree(model::DominantShare whole, size_t queue_rows, size_t job_rows)
    : whole_(std::move(whole)), nodes_(1), paths_(queue_rows), leaves_(job_rows, kNoNode) {}

uint32_t FairTree::child(uint32_t parent, std::string_view name, double weight) {
  auto [at, is_new] = by_name_.try_emplace({parent, std::string(name)}, static_cast<uint32_t>(nodes_.size()));
  if (is_new) {
    nodes_[parent].children.push_back(at->second);
    Node& node = nodes_.emplace_back();
    node.parent = parent;
    node.name = name;
    node.weight = weight;
  }
  return at->second;
}

void FairTree::add_queue(QueueId queue, std::string_view path, std::string_view weights) {
  std::vector<uint32_t>& steps = paths_[queue];
  steps.push_back(0);
  next_step(path);  // the root, whatever it is called
  next_step(weights);
  while (!path.empty()) {
    const std::string_view name = next_step(path);
    steps.push_back(child(steps.back(), name, weight_of(next_step(weights))));
  }
}

void FairTree::add_job(JobId job, QueueId queue, std::string_view name, const ResourceVec& request,
                       const ResourceVec& held) {
  const uint32_t leaf = child(paths_[queue].back(), name, 1);
  Node& node = nodes_[leaf];
  node.leaf = true;
  node.request = request;
  node.held = held;
  leaves_[job] = leaf;
  total_held_.add(held);
}

void FairTree::finish() {
  for (Node& node : nodes_) {
    std::sort(node.children.begin(), node.children.end(),
              [&](uint32_t a, uint32_t b) { return nodes_[a].name < nodes_[b].name; });
    node.scaled.assign(whole_.parts().size(), 0);
  }
  update_demand();
  refresh_all(0);
}

// Returns whether a dimension came to an end or came back.
bool FairTree::update_demand() {
  model::DimSet now;
  for (const auto& part : whole_.parts()) {
    if (static_cast<double>(total_held_[part.id]) < part.whole) now.set(part.id.index());
  }
  const bool changed = now != in_demand_;
  in_demand_ = now;
  return changed;
}

void FairTree::charge(JobId job, model::DemandSpan request, model::Amount sign) {
  const uint32_t leaf = leaves_[job];
  if (leaf == kNoNode) return;
  for (const auto& [id, amount] : request) {
    nodes_[leaf].held.at(id) += sign * amount;
    total_held_.at(id) += sign * amount;
  }
  if (update_demand()) {
    refresh_all(0);
  } else {
    for (uint32_t node = leaf; node != kNoNode; node = nodes_[node].parent) refresh(node);
  }
}

void FairTree::refresh_all(uint32_t node) {
  for (const uint32_t below : nodes_[node].children) refresh_all(below);
  refresh(node);
}

void FairTree::refresh(uint32_t node) {
  if (nodes_[node].leaf) {
    refresh_leaf(nodes_[node]);
  } else {
    refresh_inner(nodes_[node]);
  }
}

void FairTree::refresh_leaf(Node& node) const {
  node.share = whole_.of(node.held);
  node.saturated = false;
  for (size_t i = 0; i < node.held.size() && !node.saturated; ++i) {
    const ResourceId id(i);
    if (node.held[id] <= 0 || node.request[id] == 0) continue;
    node.saturated = node.held[id] >= node.request[id] || !in_demand_.test(i);
  }
}

double FairTree::holding(const Node& node, size_t part) const {
  return node.leaf ? static_cast<double>(node.held[whole_.parts()[part].id]) : node.scaled[part];
}

void FairTree::refresh_inner(Node& node) {
  double smallest = 1;
  node.saturated = true;
  for (const uint32_t below : node.children) {
    const Node& child = nodes_[below];
    node.saturated = node.saturated && child.saturated;
    if (child.share != 0 && !child.saturated) smallest = std::min(smallest, child.share);
  }
  node.share = 0;
  for (size_t part = 0; part < node.scaled.size(); ++part) {
    double sum = 0;
    for (const uint32_t below : node.children) {
      const Node& child = nodes_[below];
      if (child.share == 0) continue;
      sum += child.saturated ? holding(child, part) : holding(child, part) * (smallest / child.share);
    }
    node.scaled[part] = sum;
    node.share = std::max(node.share, sum / whole_.parts()[part].whole);
  }
}

Order FairTree::compare(QueueId a, QueueId b) const {
  const size_t depth = std::min(paths_[a].size(), paths_[b].size());
  for (size_t i = 0; i < depth; ++i) {
    const Node& left = nodes_[paths_[a][i]];
    const Node& right = nodes_[paths_[b][i]];
    if (left.saturated != right.saturated) return right.saturated ? Order::less : Order::greater;
    const double left_share = left.share / left.weight;
    const double right_share = right.share / right.weight;
    if (left_share != right_share) return left_share < right_share ? Order::less : Order::greater;
  }
  return Order::equivalent;
}

}  // namespace basalt::plugins
