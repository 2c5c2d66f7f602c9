#include "control/scheduler/state/mixed_gang.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "control/scheduler/state/amount_words.h"

namespace basalt::state {
namespace {

using model::Amount;
using model::ResourceId;

Amount amount_in(model::DemandSpan request, ResourceId id) {
  for (const auto& [dimension, amount] : request) {
    if (dimension == id) return amount;
  }
  return 0;
}

Amount room_in(const PackedNode& node, ResourceId id) {
  return id.index() < node.room.size() ? std::max<Amount>(0, node.room[id.index()]) : 0;
}

// How much of a whole node a pod takes, in the dimension of which it takes most.
double share_of(model::DemandSpan request, const std::vector<Amount>& largest) {
  double most = 0;
  for (const auto& [id, amount] : request) {
    const Amount has = id.index() < largest.size() ? largest[id.index()] : 0;
    most = std::max(most, static_cast<double>(amount) / static_cast<double>(std::max<Amount>(1, has)));
  }
  return most;
}

std::vector<Amount> largest_rooms(const std::vector<PackedNode>& nodes) {
  std::vector<Amount> largest;
  for (const PackedNode& node : nodes) {
    largest.resize(std::max(largest.size(), node.room.size()), 0);
    for (size_t r = 0; r < node.room.size(); ++r) largest[r] = std::max(largest[r], node.room[r]);
  }
  return largest;
}

}  // namespace

std::string request_words(const model::ResourceSchema& schema, model::DemandSpan request) {
  std::vector<std::string> parts;
  for (const auto& [id, amount] : request) {
    if (id == model::kPods || amount <= 0) continue;
    parts.push_back(fmt::format("{} {}", amount_words(schema.name(id), amount), schema.name(id)));
  }
  if (parts.empty()) return "1 pods";
  std::sort(parts.begin(), parts.end());
  std::string out;
  for (const std::string& part : parts) out.append(out.empty() ? "" : ", ").append(part);
  return out;
}

MixedGangs::Question MixedGangs::question(std::vector<PodsNeeded> pods, bool empty_nodes) const {
  Question asked;
  for (const model::NodeId id : state_.nodes_by_name()) {
    const std::span<const Amount> row = empty_nodes ? state_.allocatable(id) : state_.idle(id);
    asked.nodes.push_back({.room = {row.begin(), row.end()}});
  }
  const std::vector<Amount> largest = largest_rooms(asked.nodes);
  std::ranges::stable_sort(pods, [&](const PodsNeeded& a, const PodsNeeded& b) {
    return share_of(state_.shapes[a.shape].request, largest) > share_of(state_.shapes[b.shape].request, largest);
  });
  for (const PodsNeeded& one : pods) {
    asked.shapes.push_back({.request = state_.shapes[one.shape].request, .count = one.count});
  }
  size_t at = 0;
  for (const model::NodeId id : state_.nodes_by_name()) {
    PackedNode& node = asked.nodes[at++];
    for (size_t s = 0; s < std::min(pods.size(), kMaxPackedShapes); ++s) {
      const NodeUse use = use_of(state_, state_.shapes[pods[s].shape], state_.node(id));
      if (empty_nodes ? use.possible : use.takes()) node.takes |= uint64_t{1} << s;
    }
  }
  std::erase_if(asked.nodes, [](const PackedNode& node) { return node.takes == 0; });
  return asked;
}

Packs MixedGangs::packed(const Question& asked) {
  const Packing packing = pack(asked.shapes, asked.nodes);
  steps_ += packing.steps;
  return packing.packs;
}

ResourceId MixedGangs::culprit(const Question& asked, const std::function<bool(Packs)>& fails) {
  std::set<std::pair<std::string_view, ResourceId>> dimensions;  // by name
  for (const PackedShape& shape : asked.shapes) {
    for (const auto& [id, amount] : shape.request) {
      if (id != model::kPods && amount > 0) dimensions.emplace(state_.schema.name(id), id);
    }
  }
  for (const auto& [name, id] : dimensions) {
    Question alone = asked;
    for (PackedShape& shape : alone.shapes) shape.request = {{.id = id, .amount = amount_in(shape.request, id)}};
    if (fails(packed(alone))) return id;
  }
  return {};
}

std::string MixedGangs::pods_words(const Question& asked, ResourceId id) const {
  std::string out;
  if (!id.valid()) {
    for (const PackedShape& shape : asked.shapes) {
      out += fmt::format("{}{} × ({})", out.empty() ? "" : " + ", shape.count,
                         request_words(state_.schema, shape.request));
    }
    return out;
  }
  std::map<Amount, int32_t, std::greater<>> by_size;
  for (const PackedShape& shape : asked.shapes) {
    if (const Amount amount = amount_in(shape.request, id); amount > 0) by_size[amount] += shape.count;
  }
  const std::string_view name = state_.schema.name(id);
  for (const auto& [amount, count] : by_size) {
    out += fmt::format("{}{} × {}", out.empty() ? "" : " + ", count, amount_words(name, amount));
  }
  return fmt::format("{} {}", out, name);
}

std::optional<std::string> MixedGangs::never(const std::vector<PodsNeeded>& pods) {
  const auto known = never_.find(pods);
  if (known != never_.end()) return known->second;
  const Question asked = question(pods, /*empty_nodes=*/true);
  std::optional<std::string> answer;
  if (packed(asked) == Packs::No) {
    const ResourceId id = culprit(asked, [](Packs packs) { return packs == Packs::No; });
    Amount largest = 0;
    for (const PackedNode& node : asked.nodes) largest = std::max(largest, id.valid() ? room_in(node, id) : 0);
    const std::string with =
        id.valid() ? fmt::format(" with up to {}", amount_words(state_.schema.name(id), largest)) : "";
    answer = fmt::format("needs {}, {} empty node{} no room for all of them", pods_words(asked, id), asked.nodes.size(),
                         asked.nodes.size() == 1 ? with + " has" : "s" + with + " have");
  }
  return never_.emplace(pods, std::move(answer)).first->second;
}

std::optional<std::string> MixedGangs::not_now(const std::vector<PodsNeeded>& pods) {
  const auto known = not_now_.find(pods);
  if (known != not_now_.end()) return known->second;
  const Question asked = question(pods, /*empty_nodes=*/false);
  std::optional<std::string> answer;
  if (packed(asked) != Packs::Yes) {
    const ResourceId id = culprit(asked, [](Packs packs) { return packs != Packs::Yes; });
    std::string free = "what is free does not take them together";
    if (id.valid()) {
      std::vector<Amount> blocks;
      for (const PackedNode& node : asked.nodes) blocks.push_back(room_in(node, id));
      std::ranges::sort(blocks, std::greater<>());
      free = "largest free blocks ";
      for (size_t b = 0; b < std::min(kBlocksNamed, blocks.size()); ++b) {
        free += fmt::format("{}{}", b == 0 ? "" : ", ", amount_words(state_.schema.name(id), blocks[b]));
      }
    }
    answer = fmt::format("needs {}; {}", pods_words(asked, id), free);
  }
  return not_now_.emplace(pods, std::move(answer)).first->second;
}

}  // namespace basalt::state
