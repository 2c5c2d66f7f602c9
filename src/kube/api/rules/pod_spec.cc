#include <fmt/format.h>

#include <limits>
#include <set>

#include "kube/api/rules/pod_spec_checks.h"
#include "kube/api/rules/resource_checks.h"

namespace basalt::api::rules {
namespace {

constexpr size_t kMaxHostnameOverride = 64;

PodContext context_of(const text::Object& spec, SpecOf owner) {
  PodContext pod;
  pod.owner = owner;
  each_object(spec, "resourceClaims", [&](const text::Object& claim, size_t) {
    if (const std::string_view name = string_at(claim, "name"); !name.empty()) pod.claims.insert(name);
  });
  pod.grace_seconds = int_at(spec, "terminationGracePeriodSeconds").value_or(pod.grace_seconds);
  pod.restart_policy = string_at(spec, "restartPolicy");
  pod.host_users = bool_at(spec, "hostUsers").value_or(true);
  pod.has_os = has(spec, "os");
  return pod;
}

void check_resource_claims(const text::Object& spec, const FieldPath& at, Causes& causes) {
  std::set<std::string_view> names;
  const FieldPath list = at.key("resourceClaims");
  each_object(spec, "resourceClaims", [&](const text::Object& claim, size_t i) {
    const FieldPath here = list.at(i);
    const std::string_view name = string_at(claim, "name");
    check_name(claim, "name", dns1123_label, Need::Required, here, causes);
    if (!name.empty() && !names.insert(name).second) causes.duplicate(here.key("name").text(), text_value(name));
    const bool by_name = has(claim, "resourceClaimName");
    const bool by_template = has(claim, "resourceClaimTemplateName");
    if (by_name && by_template) {
      causes.invalid(here.text(), claim,
                     "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
    } else if (!by_name && !by_template) {
      causes.invalid(here.text(), claim, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
    check_name(claim, "resourceClaimName", dns1123_subdomain, Need::Optional, here, causes);
    check_name(claim, "resourceClaimTemplateName", dns1123_subdomain, Need::Optional, here, causes);
  });
}

void check_host_network(const text::Object& spec, SpecOf owner, const FieldPath& at, Causes& causes) {
  if (!is_true(spec, "hostNetwork")) return;
  const FieldPath list = at.key("containers");
  each_object(spec, "containers", [&](const text::Object& container, size_t i) {
    const FieldPath here = list.at(i);
    const FieldPath ports = here.key("ports");
    each_object(container, "ports", [&](const text::Object& port, size_t j) {
      const int64_t host = int_at(port, "hostPort").value_or(0);
      if ((owner == SpecOf::Pod || host != 0) && host != int_at(port, "containerPort").value_or(0)) {
        causes.invalid(ports.at(j).text() + ".hostPort", host, "must match `containerPort` when `hostNetwork` is true");
      }
    });
  });
}

void check_gates(const text::Object& spec, const FieldPath& at, Causes& causes) {
  const FieldPath readiness = at.key("readinessGates");
  each_object(spec, "readinessGates", [&](const text::Object& gate, size_t i) {
    const FieldPath here = readiness.at(i);
    const std::string_view name = string_at(gate, "conditionType");
    refuse(qualified_name(name), name, here.key("conditionType"), causes);
  });
  std::set<std::string_view> seen;
  const FieldPath gates = at.key("schedulingGates");
  each_object(spec, "schedulingGates", [&](const text::Object& gate, size_t i) {
    const std::string_view name = string_at(gate, "name");
    refuse(qualified_name(name), name, gates.at(i), causes);
    if (!seen.insert(name).second) causes.duplicate(gates.at(i).text(), text_value(name));
  });
}

void check_host_names(const text::Object& spec, const FieldPath& at, Causes& causes) {
  check_name(spec, "hostname", dns1123_label, Need::Optional, at, causes);
  check_name(spec, "subdomain", dns1123_label, Need::Optional, at, causes);
  const FieldPath aliases = at.key("hostAliases");
  each_object(spec, "hostAliases", [&](const text::Object& alias, size_t i) {
    const FieldPath here = aliases.at(i);
    check_ip(string_at(alias, "ip"), here.key("ip"), causes);
    const FieldPath names = here.key("hostnames");
    each_string(alias, "hostnames",
                [&](std::string_view name, size_t j) { refuse(dns1123_subdomain(name), name, names.at(j), causes); });
  });
  if (!has(spec, "hostnameOverride")) return;
  const FieldPath where = at.key("hostnameOverride");
  if (is_true(spec, "setHostnameAsFQDN")) {
    causes.forbidden(where.text(), "may not be specified when setHostnameAsFQDN is true");
  }
  if (is_true(spec, "hostNetwork")) causes.forbidden(where.text(), "may not be specified when hostNetwork is true");
  const std::string_view name = string_at(spec, "hostnameOverride");
  if (name.size() > kMaxHostnameOverride) causes.too_long(where.text(), kMaxHostnameOverride);
  refuse(dns1123_subdomain(name), name, where, causes);
}

void check_pod_resources(const text::Object& spec, const PodContext& pod, const FieldPath& at, Causes& causes) {
  if (const text::Object* overhead = object_at(spec, "overhead")) {
    const FieldPath here = at.key("overhead");
    for (const auto& member : *overhead) {
      check_container_resource_name(member.key(), here.entry(member.key()), causes);
      check_amount(member.key(), member.value(), here.entry(member.key()), causes);
    }
  }
  const text::Object* resources = object_at(spec, "resources");
  if (resources == nullptr) return;
  const FieldPath here = at.key("resources");
  if (has(*resources, "claims")) {
    causes.forbidden(here.key("claims").text(), "claims may not be set for Resources at pod-level");
  }
  check_requirements(*resources, ResourceOwner::Pod, pod.claims, here, causes);
  check_pod_sums(spec, *resources, here, causes);
}

void check_scheduling(const text::Object& spec, const FieldPath& at, Causes& causes) {
  if (const text::Object* labels = object_at(spec, "nodeSelector")) {
    validate_labels(*labels, at.key("nodeSelector").text(), causes);
  }
  if (const text::Object* affinity = object_at(spec, "affinity")) {
    check_affinity(*affinity, at.key("affinity"), causes);
  }
  check_tolerations(spec, at, causes);
  check_spread_constraints(spec, at, causes);
  check_gates(spec, at, causes);
  check_name(spec, "nodeName", dns1123_subdomain, Need::Optional, at, causes);
  check_name(spec, "priorityClassName", dns1123_subdomain, Need::Optional, at, causes);
  check_word(spec, "preemptionPolicy", {"PreemptLowerPriority", "Never"}, Need::Optional, at, causes);
}

}  // namespace

void validate_pod_spec(const text::Object& spec, const text::Object* metadata, SpecOf owner, const FieldPath& at,
                       Causes& causes) {
  PodContext pod = context_of(spec, owner);
  pod.volumes = check_volumes(spec, metadata, at, causes);
  check_resource_claims(spec, at, causes);
  check_containers(spec, pod, at, causes);
  check_pod_resources(spec, pod, at, causes);
  check_host_network(spec, owner, at, causes);
  check_word(spec, "restartPolicy", {"Always", "OnFailure", "Never"}, Need::Required, at, causes);
  check_word(spec, "dnsPolicy", {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"}, Need::Required, at,
             causes);
  check_dns_config(spec, at, causes);
  check_pod_security(spec, at, causes);
  check_scheduling(spec, at, causes);
  check_host_names(spec, at, causes);
  check_name(spec, "serviceAccountName", dns1123_subdomain, Need::Optional, at, causes);
  check_name(spec, "runtimeClassName", dns1123_subdomain, Need::Optional, at, causes);
  check_range(spec, "activeDeadlineSeconds", 1, std::numeric_limits<int32_t>::max(), at, causes);
  if (const text::Object* os = object_at(spec, "os")) {
    if (const std::string_view name = string_at(*os, "name"); name != "linux" && name != "windows") {
      causes.not_supported(at.key("os").text(), text_value(name), {"linux", "windows"});
    }
  }
}

void validate_pod_template(const text::Object& pod_template, std::string_view path, Causes& causes) {
  const FieldPath at(path);
  const text::Object* metadata = object_at(pod_template, "metadata");
  if (metadata != nullptr) {
    // Templates have their labels beside the spec, not below metadata, in messages.
    if (const text::Object* labels = object_at(*metadata, "labels")) {
      validate_labels(*labels, at.key("labels").text(), causes);
    }
    if (const text::Object* annotations = object_at(*metadata, "annotations")) {
      validate_annotations(*annotations, at.key("annotations").text(), causes);
    }
  }
  const FieldPath here = at.key("spec");
  const text::Object& spec = part_of(pod_template, "spec");
  validate_pod_spec(spec, metadata, SpecOf::Template, here, causes);
  if (length_at(spec, "ephemeralContainers") > 0) {
    causes.forbidden(here.key("ephemeralContainers").text(), "ephemeral containers not allowed in pod template");
  }
}

}  // namespace basalt::api::rules
