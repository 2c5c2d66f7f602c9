#include "control/node/node_object.h"

#include <algorithm>
#include <utility>

#include "kube/api/object_fields.h"
#include "kube/api/views/node_view.h"
#include "kube/text/rfc3339.h"

namespace basalt::node {
namespace {

text::Object object_of(const api::StringMap& map) {
  text::Object value;
  for (const auto& [key, text] : map) value[key] = text;
  return value;
}

text::Object object_of(const api::ResourceList& amounts) {
  text::Object value;
  for (const auto& [key, amount] : amounts) value[key] = amount.to_string();
  return value;
}

api::ResourceList allocatable_of(const NodeDescription& node) {
  api::ResourceList left = node.capacity;
  for (const auto& [name, amount] : node.reserved) {
    const auto at = left.find(name);
    if (at == left.end()) continue;
    at->second -= amount;
    if (at->second.is_negative()) at->second = text::Quantity();
  }
  return left;
}

text::Array addresses_of(const NodeDescription& node) {
  text::Array list;
  if (!node.address.empty()) list.push_back(text::Object{{"type", "InternalIP"}, {"address", node.address}});
  list.push_back(text::Object{{"type", "Hostname"}, {"address", node.name}});
  return list;
}

text::Object condition(std::string_view type, std::string_view status, std::string_view reason,
                       std::string_view message, const std::string& stamp) {
  return {{"type", type},     {"status", status},  {"lastHeartbeatTime", stamp}, {"lastTransitionTime", stamp},
          {"reason", reason}, {"message", message}};
}

bool has_taint(const text::Array& list, const NodeTaint& taint) {
  return std::ranges::any_of(list, [&](const text::Value& value) {
    const api::TaintView one(value);
    return one && one.key() == taint.key && one.effect() == taint.effect && one.value() == taint.value;
  });
}

bool is_of(const text::Value& value, const NodeTaint& taint) {
  const api::TaintView one(value);
  return one && one.key() == taint.key && one.effect() == taint.effect;
}

// Members of `wanted` that `seen` does not have so.
text::Object missing(const api::StringMap& wanted, const text::Object* seen) {
  text::Object change;
  for (const auto& [key, text] : wanted) {
    const text::Value* value = seen == nullptr ? nullptr : seen->if_contains(key);
    if (value == nullptr || !value->is_string() || value->get_string() != text) change[key] = text;
  }
  return change;
}

// What is no quantity reads as different.
bool same_amounts(const api::ResourceList& wanted, const text::Object* seen) {
  if (seen == nullptr) return wanted.empty();
  if (seen->size() != wanted.size()) return false;
  for (const auto& member : *seen) {
    const auto at = wanted.find(std::string_view(member.key()));
    if (at == wanted.end() || !member.value().is_string()) return false;
    const auto amount = text::Quantity::parse(member.value().get_string());
    if (!amount || *amount != at->second) return false;
  }
  return true;
}

// A merge patch of a map: what is not wanted is taken away.
text::Object amounts_patch(const api::ResourceList& wanted, const text::Object* seen) {
  text::Object change = object_of(wanted);
  if (seen != nullptr) {
    for (const auto& member : *seen) {
      if (!wanted.contains(std::string_view(member.key()))) change[member.key()] = nullptr;
    }
  }
  return change;
}

}  // namespace

std::string_view ready_status(const text::Object& node) {
  for (const api::NodeConditionView condition : api::NodeView(node).status().conditions()) {
    if (condition.type() == "Ready") return condition.status();
  }
  return "";
}

Result<NodeTaint> parse_taint(std::string_view text) {
  const size_t colon = text.rfind(':');
  const std::string_view head = text.substr(0, std::min(colon, text.size()));
  const size_t equals = std::min(head.find('='), head.size());
  NodeTaint taint{.key = std::string(head.substr(0, equals)),
                  .value = std::string(head.substr(std::min(equals + 1, head.size()))),
                  .effect = colon == std::string_view::npos ? "" : std::string(text.substr(colon + 1))};
  const bool known = taint.effect == "NoSchedule" || taint.effect == "PreferNoSchedule" || taint.effect == "NoExecute";
  if (taint.key.empty() || !known) {
    return invalid("taint \"" + std::string(text) +
                   "\": expected key=value:Effect with the effect NoSchedule, PreferNoSchedule or NoExecute");
  }
  return taint;
}

text::Object taint_object(const NodeTaint& taint) {
  text::Object value{{"key", taint.key}, {"effect", taint.effect}};
  if (!taint.value.empty()) value["value"] = taint.value;
  return value;
}

api::StringMap labels_of(const NodeDescription& node) {
  api::StringMap labels = node.labels;
  const std::pair<std::string_view, std::string_view> standard[] = {
      {"kubernetes.io/hostname", node.name},
      {"kubernetes.io/os", node.info.operating_system},
      {"kubernetes.io/arch", node.info.architecture},
      {"beta.kubernetes.io/os", node.info.operating_system},
      {"beta.kubernetes.io/arch", node.info.architecture},
      {kRuntimeLabel, node.runtime},
  };
  for (const auto& [key, value] : standard) {
    if (!value.empty()) labels.emplace(key, value);
  }
  return labels;
}

text::Array node_conditions(Instant now, std::string_view not_ready) {
  const std::string stamp = text::format_time(now);
  text::Array list;
  list.push_back(condition("MemoryPressure", "False", "KubeletHasSufficientMemory",
                           "kubelet has sufficient memory available", stamp));
  list.push_back(condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure", stamp));
  list.push_back(
      condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available", stamp));
  list.push_back(not_ready.empty()
                     ? condition("Ready", "True", "KubeletReady", "kubelet is posting ready status", stamp)
                     : condition("Ready", "False", "KubeletNotReady", not_ready, stamp));
  return list;
}

text::Object node_status(const NodeDescription& node, Instant now) {
  const MachineInfo& info = node.info;
  text::Object status{{"capacity", object_of(node.capacity)},
                      {"allocatable", object_of(allocatable_of(node))},
                      {"conditions", node_conditions(now)},
                      {"addresses", addresses_of(node)},
                      {"nodeInfo", text::Object{{"machineID", info.machine_id},
                                                {"systemUUID", info.system_uuid},
                                                {"bootID", info.boot_id},
                                                {"kernelVersion", info.kernel_version},
                                                {"osImage", info.os_image},
                                                {"containerRuntimeVersion", info.runtime_version},
                                                {"kubeletVersion", info.agent_version},
                                                {"kubeProxyVersion", ""},
                                                {"operatingSystem", info.operating_system},
                                                {"architecture", info.architecture}}}};
  if (node.agent_port != 0) {
    status["daemonEndpoints"] = text::Object{{"kubeletEndpoint", text::Object{{"Port", node.agent_port}}}};
  }
  return status;
}

text::Object node_object(const NodeDescription& node, Instant now) {
  text::Object metadata{{"name", node.name}, {"labels", object_of(labels_of(node))}};
  if (!node.annotations.empty()) metadata["annotations"] = object_of(node.annotations);
  text::Object spec;
  for (const NodeTaint& taint : node.taints) api::array_in(spec, "taints").push_back(taint_object(taint));
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", std::move(metadata)},
          {"spec", std::move(spec)},
          {"status", node_status(node, now)}};
}

text::Object node_change(const NodeDescription& node, const text::Object& seen) {
  text::Object change;
  text::Object labels = missing(labels_of(node), api::NodeView(seen).metadata().labels().json());
  if (!labels.empty()) api::metadata_of(change)["labels"] = std::move(labels);
  text::Object annotations = missing(node.annotations, api::NodeView(seen).metadata().annotations().json());
  if (!annotations.empty()) api::metadata_of(change)["annotations"] = std::move(annotations);
  const text::Array* old = api::NodeView(seen).spec().taints().json();
  text::Array taints = old == nullptr ? text::Array() : *old;
  bool tainted = false;
  for (const NodeTaint& taint : node.taints) {
    if (has_taint(taints, taint)) continue;
    tainted = true;
    const auto same = std::ranges::find_if(taints, [&](const text::Value& value) { return is_of(value, taint); });
    if (same != taints.end()) taints.erase(same);
    taints.push_back(taint_object(taint));
  }
  if (tainted) api::object_in(change, "spec")["taints"] = std::move(taints);
  return change;
}

text::Object node_status_change(const NodeDescription& node, const text::Object& seen, Instant now) {
  text::Object change;
  const text::Object* capacity = api::NodeView(seen).status().capacity().json();
  const text::Object* allocatable = api::NodeView(seen).status().allocatable().json();
  const api::ResourceList left = allocatable_of(node);
  if (!same_amounts(node.capacity, capacity)) change["capacity"] = amounts_patch(node.capacity, capacity);
  if (!same_amounts(left, allocatable)) change["allocatable"] = amounts_patch(left, allocatable);
  text::Array addresses = addresses_of(node);
  const text::Array* old = api::NodeView(seen).status().addresses().json();
  if (old == nullptr || *old != addresses) change["addresses"] = std::move(addresses);
  if (ready_status(seen) != "True") change["conditions"] = node_conditions(now);
  return change;
}

text::Object node_lease(std::string_view node, std::string_view uid, Instant now) {
  text::Object metadata{{"name", node}, {"namespace", kLeaseNamespace}};
  if (!uid.empty()) {
    metadata["ownerReferences"] =
        text::Array{text::Object{{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}, {"uid", uid}}};
  }
  return {{"apiVersion", "coordination.k8s.io/v1"},
          {"kind", "Lease"},
          {"metadata", std::move(metadata)},
          {"spec", text::Object{{"holderIdentity", node},
                                {"leaseDurationSeconds", kLeaseDuration.nanos / Duration::seconds(1).nanos},
                                {"renewTime", text::format_micro_time(now)}}}};
}

text::Object lease_renewal(Instant now) {
  return {{"spec", text::Object{{"renewTime", text::format_micro_time(now)}}}};
}

}  // namespace basalt::node
