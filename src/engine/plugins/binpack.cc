#include "engine/plugins/binpack.h"

#include <algorithm>

#include "base/ascii.h"
#include "engine/core/session.h"

namespace basalt::plugins {

using engine::HookTable;
using model::NodeId;
using model::TaskId;

namespace {

constexpr double kFullScore = 100;

std::vector<std::string> comma_list(std::string_view text) {
  std::vector<std::string> items;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    if (const std::string_view item = trimmed(text.substr(at, comma - at), kLineBlanks); !item.empty())
      items.emplace_back(item);
    at = comma + 1;
  }
  return items;
}

}  // namespace

Result<Binpack> Binpack::make(const engine::Arguments& arguments) {
  Binpack binpack;
  const Result<int64_t> overall = arguments.get_int("binpack.weight", 1);
  if (!overall) return std::unexpected(overall.error());
  binpack.weight_ = *overall;
  const Result<std::string> extra = arguments.get_string("binpack.resources", "");
  if (!extra) return std::unexpected(extra.error());
  std::vector<std::pair<std::string, std::string>> keys;  // resource, argument
  for (const std::string& name : comma_list(*extra)) keys.emplace_back(name, "binpack.resources." + name);
  keys.emplace_back("cpu", "binpack.cpu");
  keys.emplace_back("memory", "binpack.memory");
  for (const auto& [name, key] : keys) {
    const Result<int64_t> weight = arguments.get_int(key, 1);
    if (!weight) return std::unexpected(weight.error());
    binpack.resource_weights_[name] = *weight < 0 ? 1 : *weight;
  }
  return binpack;
}

void Binpack::open(engine::Session& session, engine::HookBinder& binder) {
  session_ = &session;
  if (weight_ == 0) return;
  weights_.assign(session.state.schema.size(), kNoWeight);
  for (const auto& [name, weight] : resource_weights_) {
    const model::ResourceId id = session.state.schema.find(name);
    if (id.valid()) weights_[id.index()] = weight;
  }
  binder.bind<&Binpack::score>(&HookTable::score, *this);
  binder.bind<&Binpack::sign>(&HookTable::sign, *this);
}

double Binpack::node_score(model::DemandSpan request, NodeId node) const {
  const auto allocatable = session_->state.allocatable(node);
  double score = 0;
  int64_t weight_sum = 0;
  for (const auto& [id, amount] : request) {
    const int64_t weight = weights_[id.index()];
    if (weight == kNoWeight) continue;
    weight_sum += weight;
    const model::Amount capacity = id.index() < allocatable.size() ? allocatable[id.index()] : 0;
    if (capacity == 0 || weight == 0) continue;
    const model::Amount used = session_->state.used(node, id) + amount;
    if (used > capacity) return 0;
    score += static_cast<double>(used) * static_cast<double>(weight) / static_cast<double>(capacity);
  }
  if (weight_sum > 0) score /= static_cast<double>(weight_sum);
  return score * (kFullScore * static_cast<double>(weight_));
}

void Binpack::score(const engine::ScoreCall& call) const {
  const model::Demand& request = session_->state.shape_of(call.task).request;
  for (size_t i = 0; i < call.nodes.size(); ++i) call.scores[i] += node_score(request, call.nodes[i]);
}

void Binpack::sign(TaskId task, engine::ClassKey& key) const { key.add(session_->state.task(task).shape); }

}  // namespace basalt::plugins
