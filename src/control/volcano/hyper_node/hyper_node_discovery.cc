#include "control/volcano/hyper_node/hyper_node_discovery.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/fingerprint.h"
#include "control/volcano/pod_group_parts.h"
#include "control/volcano/volcano_writes.h"
#include "kube/api/object_view.h"
#include "kube/api/rules/member_access.h"
#include "kube/api/volcano_keys.h"

namespace basalt::volcano {
namespace {
using api::rules::part_of;
namespace keys = api::keys;

constexpr std::string_view kSource = "label";
constexpr int kMaxNameTries = 1'000;
constexpr size_t kHashLetters = 8;

const text::Object& labels_of(const text::Object& object) { return part_of(part_of(object, "metadata"), "labels"); }

bool is_discovered(const text::Object& hyper_node) {
  return api::ObjectView(hyper_node).metadata().labels()[keys::kTopologySource] == kSource;
}

// In the letters of Kubernetes' generated names.
std::string hash_text(std::string_view label, std::string_view value, int attempt) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  uint64_t rest = Fingerprint().add(label).add(value).add(static_cast<uint64_t>(attempt)).value();
  std::string text;
  for (size_t i = 0; i < kHashLetters; ++i, rest /= kLetters.size()) text += kLetters[rest % kLetters.size()];
  return text;
}

// Gives out names, each to one value.
class NamesInUse {
 public:
  explicit NamesInUse(const ControllerCache& seen) : seen_(seen) {
    for (const auto& [name, object] : seen.all(VolcanoKind::HyperNode)) {
      const text::Object& hyper_node = object->get_object();
      if (!is_discovered(hyper_node)) continue;
      for (const auto& member : labels_of(hyper_node)) {
        known_[{std::string(member.key()), std::string(api::rules::view_of(member.value()))}].push_back(name);
      }
    }
  }

  std::string name_for(const LabelTopology& topology, size_t tier, const std::string& label, const std::string& value) {
    const std::string prefix = hyper_node_prefix(topology, tier);
    if (const auto known = known_.find({label, value}); known != known_.end()) {
      for (const std::string& name : known->second) {
        // Behind the prefix stands one word: another topology's name may begin like this one.
        const bool ours = name.starts_with(prefix) && name.find('-', prefix.size()) == std::string::npos;
        if (ours && taken_.insert(name).second) return name;
      }
    }
    for (int attempt = 0;; ++attempt) {
      std::string name = prefix + hash_text(label, value, attempt);
      const bool free = seen_.find(VolcanoKind::HyperNode, name) == nullptr && !taken_.contains(name);
      if (!free && attempt < kMaxNameTries) continue;
      taken_.insert(name);
      return name;
    }
  }

 private:
  const ControllerCache& seen_;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> known_;  // label and value → names, in order
  std::set<std::string> taken_;
};

text::Array members_of(const DiscoveredHyperNode& found) {
  text::Array members;
  for (const std::string& name : found.members) {
    members.emplace_back(text::Object{{"type", found.tier == 1 ? "Node" : "HyperNode"},
                                      {"selector", text::Object{{"exactMatch", text::Object{{"name", name}}}}}});
  }
  return members;
}

text::Object hyper_node_of(const std::string& name, const DiscoveredHyperNode& found) {
  return {{"apiVersion", api_version_of(VolcanoKind::HyperNode)},
          {"kind", row_of(VolcanoKind::HyperNode).name},
          {"metadata",
           text::Object{{"name", name},
                        {"labels", text::Object{{found.label, found.value}, {keys::kTopologySource, kSource}}}}},
          {"spec",
           text::Object{
               {"tier", static_cast<int64_t>(found.tier)}, {"tierName", found.label}, {"members", members_of(found)}}}};
}

// The merge patch that makes it so; nothing when it is.
std::optional<text::Object> change_of(const text::Object& wanted, const text::Object& current) {
  text::Object change;
  text::Object labels = map_change(labels_of(wanted), labels_of(current), false, same_json);
  if (!labels.empty()) change["metadata"] = text::Object{{"labels", std::move(labels)}};
  text::Object spec = map_change(part_of(wanted, "spec"), part_of(current, "spec"), false, same_json);
  if (!spec.empty()) change["spec"] = std::move(spec);
  if (change.empty()) return std::nullopt;
  return change;
}

}  // namespace

std::map<std::string, DiscoveredHyperNode> discover(const ControllerCache& seen, const LabelDiscovery& config) {
  std::map<std::string, DiscoveredHyperNode> found;
  std::map<std::tuple<size_t, std::string, std::string>, std::string> named;  // tier, label, value → name
  NamesInUse names(seen);
  for (const auto& [node_name, object] : seen.all(VolcanoKind::Node)) {
    const text::Object& labels = labels_of(object->get_object());
    for (const LabelTopology& topology : config.topologies) {
      std::string member = node_name;
      for (size_t tier = 1; tier <= topology.labels.size(); ++tier) {
        const std::string& label = topology.labels[tier - 1];
        if (!labels.contains(label)) break;
        const std::string value{api::StringMapView(&labels)[label]};
        auto [name, is_new] = named.try_emplace({tier, label, value});
        if (is_new) {
          name->second = names.name_for(topology, tier, label, value);
          found[name->second] = {.tier = tier, .label = label, .value = value, .members = {}};
        }
        found[name->second].members.push_back(std::exchange(member, name->second));
      }
    }
  }
  for (auto& [name, one] : found) {
    std::ranges::sort(one.members);
    const auto twice = std::ranges::unique(one.members);
    one.members.erase(twice.begin(), twice.end());
  }
  return found;
}

void replace_hyper_nodes(const ControllerCache& seen, const std::map<std::string, DiscoveredHyperNode>& found,
                         WritePlan& plan) {
  for (const auto& [name, one] : found) {
    text::Object wanted = hyper_node_of(name, one);
    const text::Object* current = seen.find(VolcanoKind::HyperNode, name);
    if (current == nullptr) {
      plan.write(create_object(VolcanoKind::HyperNode, std::move(wanted)));
    } else if (auto change = is_leaving(*current) ? std::nullopt : change_of(wanted, *current)) {
      plan.write(patch_object(VolcanoKind::HyperNode, *current, std::move(*change)));
    }
  }
  bool first = true;
  for (const auto& [name, object] : seen.all(VolcanoKind::HyperNode)) {
    const text::Object& hyper_node = object->get_object();
    if (!is_discovered(hyper_node) || found.contains(name) || is_leaving(hyper_node)) continue;
    if (std::exchange(first, false)) plan.then();  // after the new ones: no node is without a HyperNode in between
    plan.write(delete_object(VolcanoKind::HyperNode, hyper_node));
  }
}

}  // namespace basalt::volcano
