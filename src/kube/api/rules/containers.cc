#include <fmt/format.h>

#include <set>

#include "kube/api/rules/pod_spec_checks.h"
#include "kube/api/rules/resource_checks.h"

namespace basalt::api::rules {
namespace {

constexpr size_t kMaxRestartRules = 20;
constexpr size_t kMaxExitCodes = 255;

void check_container_ports(const text::Object& container, const FieldPath& at, Causes& causes) {
  std::set<std::string_view> names;
  const FieldPath list = at.key("ports");
  each_object(container, "ports", [&](const text::Object& port, size_t i) {
    const FieldPath here = list.at(i);
    if (const std::string_view name = string_at(port, "name"); !name.empty()) {
      const ValidationMessages complaints = port_name(name);
      refuse(complaints, name, here.key("name"), causes);
      if (complaints.empty() && !names.insert(name).second) {
        causes.duplicate(here.key("name").text(), text_value(name));
      }
    }
    const int64_t number = int_at(port, "containerPort").value_or(0);
    if (number == 0) {
      causes.required(here.key("containerPort").text());
    } else {
      for (const std::string& why : port_number(number)) {
        causes.invalid(here.key("containerPort").text(), number, why);
      }
    }
    if (const int64_t host = int_at(port, "hostPort").value_or(0); host != 0) {
      for (const std::string& why : port_number(host)) causes.invalid(here.key("hostPort").text(), host, why);
    }
    check_word(port, "protocol", {"SCTP", "TCP", "UDP"}, Need::Required, here, causes);
  });
}

void check_resize_policies(const text::Object& container, const PodContext& pod, const FieldPath& at, Causes& causes) {
  std::set<std::string_view> seen;
  const FieldPath list = at.key("resizePolicy");
  each_object(container, "resizePolicy", [&](const text::Object& policy, size_t i) {
    const std::string_view resource = string_at(policy, "resourceName");
    const std::string_view restart = string_at(policy, "restartPolicy");
    if (!seen.insert(resource).second) causes.duplicate(list.at(i).text(), text_value(resource));
    if (resource != "cpu" && resource != "memory") {
      causes.not_supported(list.text(), text_value(resource), {"cpu", "memory"});
    }
    if (restart != "NotRequired" && restart != "RestartContainer") {
      causes.not_supported(list.text(), text_value(restart), {"NotRequired", "RestartContainer"});
    } else if (pod.restart_policy == "Never" && restart != "NotRequired") {
      causes.invalid(list.text(), text_value(restart), "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  });
}

void check_common(const text::Object& container, const PodContext& pod, const FieldPath& at, Causes& causes) {
  check_name(container, "name", dns1123_label, Need::Required, at, causes);
  const std::string_view image = string_at(container, "image");
  constexpr std::string_view kBlanks = " \t\n\r\v\f";
  if (image.empty()) {
    causes.required(at.key("image").text());
  } else if (pod.owner == SpecOf::Pod && (kBlanks.find(image.front()) != std::string_view::npos ||
                                          kBlanks.find(image.back()) != std::string_view::npos)) {
    causes.invalid(at.key("image").text(), text_value(image), "must not have leading or trailing whitespace");
  }
  check_word(container, "terminationMessagePolicy", {"File", "FallbackToLogsOnError"}, Need::Required, at, causes);
  check_container_ports(container, at, causes);
  check_env(container, at, causes);
  check_mounts(container, pod, at, causes);
  check_word(container, "imagePullPolicy", {"Always", "IfNotPresent", "Never"}, Need::Required, at, causes);
  if (const text::Object* resources = object_at(container, "resources")) {
    check_requirements(*resources, ResourceOwner::Container, pod.claims, at.key("resources"), causes);
  }
  check_resize_policies(container, pod, at, causes);
  if (const text::Object* security = object_at(container, "securityContext")) {
    check_container_security(*security, pod.host_users, at.key("securityContext"), causes);
  }
}

void check_restart_rules(const text::Object& container, const FieldPath& at, Causes& causes) {
  const size_t rules = length_at(container, "restartPolicyRules");
  if (!has(container, "restartPolicy")) {
    if (rules == 0) return;
    causes.required(at.key("restartPolicy").text(), "must specify restartPolicy when restart rules are used");
  } else {
    check_word(container, "restartPolicy", {"Always", "Never", "OnFailure"}, Need::Optional, at, causes);
  }
  const FieldPath list = at.key("restartPolicyRules");
  if (rules > kMaxRestartRules) causes.too_many(list.text(), rules, kMaxRestartRules);
  each_object(container, "restartPolicyRules", [&](const text::Object& rule, size_t i) {
    const FieldPath here = list.at(i);
    check_word(rule, "action", {"Restart", "RestartAllContainers"}, Need::Optional, here, causes);
    const text::Object* codes = object_at(rule, "exitCodes");
    if (codes == nullptr) return causes.required(here.key("exitCodes").text(), "must be specified");
    const FieldPath at_codes = here.key("exitCodes");
    check_word(*codes, "operator", {"In", "NotIn"}, Need::Required, at_codes, causes);
    if (const size_t values = length_at(*codes, "values"); values > kMaxExitCodes) {
      causes.too_many(at_codes.key("values").text(), values, kMaxExitCodes);
    }
  });
}

// Two ports of one pod cannot take the same port of the node.
void check_host_ports(const text::Object& container, std::set<std::string>& taken, const FieldPath& at,
                      Causes& causes) {
  const FieldPath list = at.key("ports");
  each_object(container, "ports", [&](const text::Object& port, size_t i) {
    const int64_t host = int_at(port, "hostPort").value_or(0);
    if (host == 0) return;
    std::string key = fmt::format("{}/{}/{}", string_at(port, "protocol"), string_at(port, "hostIP"), host);
    if (taken.insert(key).second) return;
    const FieldPath here = list.at(i);
    causes.duplicate(here.key("hostPort").text(), text_value(key));
  });
}

void check_init_container(const text::Object& container, const PodContext& pod, const FieldPath& at, Causes& causes) {
  const bool sidecar = string_at(container, "restartPolicy") == "Always";
  check_restart_rules(container, at, causes);
  if (sidecar) {
    if (const text::Object* lifecycle = object_at(container, "lifecycle")) {
      check_lifecycle(*lifecycle, pod, at.key("lifecycle"), causes);
    }
    check_probes(container, pod, at, causes);
    return;
  }
  for (const std::string_view name : {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
    if (has(container, name)) {
      causes.forbidden(at.key(name).text(), "may not be set for init containers without restartPolicy=Always");
    }
  }
}

void check_ephemeral_containers(const text::Object& spec, const PodContext& pod, std::set<std::string_view> names,
                                const FieldPath& at, Causes& causes) {
  const std::set<std::string_view> others = names;
  const FieldPath list = at.key("ephemeralContainers");
  each_object(spec, "ephemeralContainers", [&](const text::Object& container, size_t i) {
    const FieldPath here = list.at(i);
    check_common(container, pod, here, causes);
    const std::string_view name = string_at(container, "name");
    if (!names.insert(name).second) causes.duplicate(here.key("name").text(), text_value(name));
    const std::string_view target = string_at(container, "targetContainerName");
    if (!target.empty() && !others.contains(target)) {
      causes.not_found(here.key("targetContainerName").text(), text_value(target));
    }
    for (const std::string_view field :
         {"ports", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "resizePolicy", "restartPolicy"}) {
      if (has(container, field)) causes.forbidden(here.key(field).text(), "cannot be set for an Ephemeral Container");
    }
    const text::Object* resources = object_at(container, "resources");
    if (resources != nullptr && !resources->empty()) {
      causes.forbidden(here.key("resources").text(), "cannot be set for an Ephemeral Container");
    }
  });
}

}  // namespace

void check_containers(const text::Object& spec, const PodContext& pod, const FieldPath& at, Causes& causes) {
  std::set<std::string_view> names;
  std::set<std::string> host_ports;
  const FieldPath list = at.key("containers");
  if (length_at(spec, "containers") == 0) causes.required(list.text());
  each_object(spec, "containers", [&](const text::Object& container, size_t i) {
    const FieldPath here = list.at(i);
    check_common(container, pod, here, causes);
    const std::string_view name = string_at(container, "name");
    if (!names.insert(name).second) causes.duplicate(here.key("name").text(), text_value(name));
    if (const text::Object* lifecycle = object_at(container, "lifecycle")) {
      check_lifecycle(*lifecycle, pod, here.key("lifecycle"), causes);
    }
    check_probes(container, pod, here, causes);
    check_restart_rules(container, here, causes);
    check_host_ports(container, host_ports, here, causes);
  });
  const FieldPath inits = at.key("initContainers");
  each_object(spec, "initContainers", [&](const text::Object& container, size_t i) {
    const FieldPath here = inits.at(i);
    check_common(container, pod, here, causes);
    const std::string_view name = string_at(container, "name");
    if (!name.empty() && !names.insert(name).second) causes.duplicate(here.key("name").text(), text_value(name));
    std::set<std::string> own_ports;  // init containers run one after another
    check_host_ports(container, own_ports, here, causes);
    check_init_container(container, pod, here, causes);
  });
  check_ephemeral_containers(spec, pod, names, at, causes);
}

}  // namespace basalt::api::rules
