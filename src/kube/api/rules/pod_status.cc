#include <fmt/format.h>

#include <array>
#include <map>

#include "kube/api/rules/checks.h"
#include "kube/api/rules/pod_update_rules.h"

namespace basalt::api::rules {
namespace {

using ByName = std::map<std::string_view, const text::Object*>;

// The objects of a list; of equal names the first.
ByName by_name(const text::Object& object, std::string_view list) {
  ByName found;
  each_object(object, list, [&](const text::Object& one, size_t) { found.try_emplace(string_at(one, "name"), &one); });
  return found;
}

const text::Object* named(const ByName& objects, std::string_view name) {
  const auto found = objects.find(name);
  return found == objects.end() ? nullptr : found->second;
}

bool policy_restarts(std::string_view policy, int64_t exit_code) {
  return policy == "Always" || (policy == "OnFailure" && exit_code != 0);
}

bool rule_matches(const text::Object& rule, int64_t exit_code) {
  const text::Object& codes = part_of(rule, "exitCodes");
  bool listed = false;
  if (const text::Array* values = array_at(codes, "values")) {
    for (const text::Value& value : *values) listed = listed || (value.is_int64() && value.get_int64() == exit_code);
  }
  return string_at(codes, "operator") == "NotIn" ? !listed : listed;
}

// May a container that ended with `exit_code` run again?
bool restarts(const text::Object& spec, const text::Object* container, int64_t exit_code) {
  if (container == nullptr) return false;
  bool by_rule = false;
  each_object(*container, "restartPolicyRules",
              [&](const text::Object& rule, size_t) { by_rule = by_rule || rule_matches(rule, exit_code); });
  if (by_rule) return true;
  const std::string_view own = string_at(*container, "restartPolicy");
  return policy_restarts(own.empty() ? string_at(spec, "restartPolicy") : own, exit_code);
}

void check_no_revival(const text::Object& next, const text::Object& old, const text::Object& spec,
                      std::string_view statuses, std::string_view containers, Causes& causes) {
  const ByName statuses_now = by_name(next, statuses);
  const ByName specified = containers.empty() ? ByName() : by_name(spec, containers);
  each_object(old, statuses, [&](const text::Object& before, size_t i) {
    const text::Object* ended = object_at(part_of(before, "state"), "terminated");
    if (ended == nullptr) return;
    const std::string_view name = string_at(before, "name");
    const text::Object* now = named(statuses_now, name);
    if (now == nullptr || object_at(part_of(*now, "state"), "terminated") != nullptr) return;
    const bool allowed =
        !containers.empty() && restarts(spec, named(specified, name), int_at(*ended, "exitCode").value_or(0));
    if (!allowed) {
      causes.forbidden(fmt::format("status.{}[{}].state", statuses, i),
                       "may not be transitioned to non-terminated state");
    }
  });
}

void check_conditions(const text::Object& status, const FieldPath& at, Causes& causes) {
  const FieldPath list = at.key("conditions");
  each_object(status, "conditions", [&](const text::Object& condition, size_t i) {
    const FieldPath here = list.at(i);
    const auto generation = int_at(condition, "observedGeneration");
    if (generation && *generation < 0) {
      causes.invalid(here.key("observedGeneration").text(), *generation, "must be a non-negative integer");
    }
    const std::string_view type = string_at(condition, "type");
    if (type == "PodScheduled" || type == "Ready" || type == "Initialized") return;
    refuse(qualified_name(type), type, here.key("Type"), causes);
  });
}

void check_nominated_node(const text::Object& next, const text::Object& old_pod, const FieldPath& at, Causes& causes) {
  const std::string_view node = string_at(next, "nominatedNodeName");
  if (node.empty() || node == string_at(part_of(old_pod, "status"), "nominatedNodeName")) return;
  refuse(dns1123_subdomain(node), node, at.key("nominatedNodeName"), causes);
  if (!string_at(part_of(old_pod, "spec"), "nodeName").empty()) {
    causes.forbidden(at.key("nominatedNodeName").text(), "may not be set on pods that are already bound to a node");
  }
}

void check_ips(const text::Object& status, std::string_view list, const FieldPath& at, Causes& causes) {
  const FieldPath here = at.key(list);
  each_object(status, list,
              [&](const text::Object& one, size_t i) { check_ip(string_at(one, "ip"), here.at(i), causes); });
}

}  // namespace

void prepare_pod_status(text::Object& next, const text::Object& old) {
  const text::Object& before = part_of(old, "status");
  text::Object& status = make_object(next, "status");
  // What the server found out at the start, older writers may drop; it stays.
  for (const std::string_view name : {"qosClass", "observedGeneration"}) {
    if (!has(status, name) && has(before, name)) status[name] = before.at(name);
  }
  std::map<std::string_view, const text::Value*> observed;  // by type
  each_object(before, "conditions", [&](const text::Object& known, size_t) {
    if (has(known, "observedGeneration")) {
      observed.try_emplace(string_at(known, "type"), &known.at("observedGeneration"));
    }
  });
  each_object(status, "conditions", [&](text::Object& condition, size_t) {
    if (has(condition, "observedGeneration")) return;
    const auto known = observed.find(string_at(condition, "type"));
    if (known != observed.end()) condition["observedGeneration"] = *known->second;
  });
}

void validate_pod_status(const text::Object& next_pod, const text::Object& old_pod, Causes& causes) {
  const FieldPath at("status");
  const text::Object& next = part_of(next_pod, "status");
  const text::Object& old = part_of(old_pod, "status");
  const text::Object& spec = part_of(old_pod, "spec");
  check_fixed_annotations(next_pod, old_pod, causes);
  check_conditions(next, at, causes);
  if (string_at(part_of(next_pod, "spec"), "nodeName") != string_at(spec, "nodeName")) {
    causes.forbidden(at.key("nodeName").text(), "may not be changed directly");
  }
  check_nominated_node(next, old_pod, at, causes);
  const auto generation = int_at(next, "observedGeneration");
  if (generation && *generation < 0) {
    causes.invalid(at.key("observedGeneration").text(), *generation, "must be a non-negative integer");
  }
  check_immutable(next, old, "qosClass", at, causes);
  check_no_revival(next, old, spec, "containerStatuses", "containers", causes);
  check_no_revival(next, old, spec, "initContainerStatuses", "initContainers", causes);
  check_no_revival(next, old, spec, "ephemeralContainerStatuses", "", causes);
  check_ips(next, "podIPs", at, causes);
  check_ips(next, "hostIPs", at, causes);
}

}  // namespace basalt::api::rules
