// Pods: what a resource group gives them, and the annotations that limit how many may be taken away.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "kube/api/go_quote.h"
#include "kube/api/object_view.h"
#include "kube/api/views/pod_spec_view.h"
#include "kube/api/views/pod_view.h"
#include "kube/api/volcano_keys.h"
#include "kube/text/scalar.h"
#include "kube/text/yaml.h"
#include "server/admission/refusal_message.h"
#include "server/admission/webhook_handlers.h"

namespace basalt::admission {
namespace {

const text::Object& annotations_of(const text::Object& pod) { return part_of(part_of(pod, "metadata"), "annotations"); }

// `values` are lines "key: value"; of two with the same key the first counts.
bool has_annotation_of(const ResourceGroup& group, const text::Object& annotations) {
  std::set<std::string> seen;
  for (const std::string& line : group.values) {
    const auto parsed = text::parse_yaml(line);
    const text::Object* pairs = parsed ? parsed->value.if_object() : nullptr;
    if (pairs == nullptr) continue;
    for (const auto& pair : *pairs) {
      if (!pair.value().is_string() || !seen.insert(std::string(pair.key())).second) continue;
      if (api::StringMapView(&annotations)[pair.key()] == view_of(pair.value())) return true;
    }
  }
  return false;
}

bool belongs(const ResourceGroup& group, const text::Object& pod, std::string_view namespace_name) {
  if (group.key == "namespace") return std::ranges::find(group.values, namespace_name) != group.values.end();
  if (!group.key.empty() && group.key != "annotation") return false;
  const text::Object& annotations = annotations_of(pod);
  if (has_annotation_of(group, annotations)) return true;
  return group.key.empty() && api::StringMapView(&annotations)[api::keys::kResourceGroup] == group.name;
}

void apply_group(const ResourceGroup& group, text::Object& spec) {
  if (!group.labels.empty()) {
    text::Object& selector = make_object(spec, "nodeSelector");
    for (const auto& label : group.labels) selector[label.key()] = label.value();
  }
  if (!group.affinity.is_null() && !has(spec, "affinity")) spec["affinity"] = group.affinity;
  if (!group.tolerations.empty()) {
    text::Array& tolerations = make_array(spec, "tolerations");
    tolerations.insert(tolerations.end(), group.tolerations.begin(), group.tolerations.end());
  }
  if (!group.scheduler_name.empty()) spec["schedulerName"] = group.scheduler_name;
}

void add_queue_gate(const text::Object& annotations, text::Object& spec) {
  if (api::StringMapView(&annotations)[api::keys::kQueueGate] != "true") return;
  bool there = false;
  each_object(spec, "schedulingGates", [&there](const text::Object& gate, size_t) {
    there = there || api::PodSchedulingGateView(gate).name() == api::keys::kQueueGate;
  });
  if (!there) make_array(spec, "schedulingGates").push_back(text::Object{{"name", api::keys::kQueueGate}});
}

// A number of pods above 0, or a share of them from 1% to 99%.
std::string budget_complaint(std::string_view key, std::string_view value) {
  if (const auto number = text::parse_int32(value)) {
    if (*number > 0) return "";
    return fmt::format("invalid value <{}> for {}, it must be a positive integer", api::go_quote(value), key);
  }
  std::string digits(value);
  std::erase(digits, '%');
  const auto percent = text::parse_int(digits);
  if (!percent) {
    const bool number = !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
    return fmt::format("invalid value strconv.Atoi: parsing {}: {} for {}", api::go_quote(digits),
                       number ? "value out of range" : "invalid syntax", key);
  }
  if (*percent > 0 && *percent < 100) return "";
  return fmt::format("invalid value <{}> for {}, it must be a valid percentage which between 1% ~ 99%",
                     api::go_quote(value), key);
}

}  // namespace

WebhookResult mutate_pod(const AdmissionRequest& request, text::Object& pod) {
  const VolcanoAdmissionOptions& options = request.options;
  if (!options.gate_queue_admission && options.resource_groups.empty()) return {};
  text::Object& spec = make_object(pod, "spec");
  if (options.gate_queue_admission) add_queue_gate(annotations_of(pod), spec);
  const std::string own(api::ObjectView(pod).metadata().namespace_name());
  for (const ResourceGroup& group : options.resource_groups) {
    if (!belongs(group, pod, own.empty() ? request.namespace_name : std::string_view(own))) continue;
    apply_group(group, spec);
    break;
  }
  return {};
}

WebhookResult validate_pod(const AdmissionRequest& request) {
  constexpr std::array<std::string_view, 2> kKeys = {api::keys::kMinAvailable, api::keys::kMaxUnavailable};
  if (request.object == nullptr) return {};
  const auto& schedulers = request.options.scheduler_names;
  const std::string_view scheduler = api::PodView(*request.object).spec().scheduler_name();
  if (std::ranges::find(schedulers, scheduler) == schedulers.end()) return {};
  const text::Object& annotations = annotations_of(*request.object);
  size_t given = 0;
  for (const std::string_view key : kKeys) {
    const text::Value* value = member_of(annotations, key);
    if (value == nullptr) continue;
    ++given;
    if (const std::string complaint = budget_complaint(key, view_of(*value)); !complaint.empty()) {
      return deny(complaint, fmt::format("write metadata.annotations[{}] like \"2\" or \"25%\"", key));
    }
  }
  if (given < 2) return {};
  return deny(fmt::format("not allow configure multiple annotations <[{}]> at same time", fmt::join(kKeys, " ")),
              "keep one of them");
}

}  // namespace basalt::admission
