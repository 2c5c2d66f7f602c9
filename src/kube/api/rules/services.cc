#include <fmt/format.h>

#include <set>

#include "kube/api/rules/builtin_kind_rules.h"
#include "kube/api/rules/checks.h"

namespace basalt::api::rules {
namespace {

constexpr int64_t kAffinitySeconds = 10800;
constexpr int64_t kMaxAffinitySeconds = 86400;

bool is_headless(const text::Object& spec) { return string_at(spec, "clusterIP") == "None"; }

bool is_external(const text::Object& spec) {
  const std::string_view type = string_at(spec, "type");
  return type == "LoadBalancer" || type == "NodePort" || (type == "ClusterIP" && length_at(spec, "externalIPs") > 0);
}

void complete_affinity(text::Object& spec) {
  const std::string_view affinity = string_at(spec, "sessionAffinity");
  if (affinity == "None") {
    spec.erase("sessionAffinityConfig");
    return;
  }
  if (affinity != "ClientIP") return;
  if (has(part_of(part_of(spec, "sessionAffinityConfig"), "clientIP"), "timeoutSeconds")) return;
  spec["sessionAffinityConfig"] = text::Object{{"clientIP", text::Object{{"timeoutSeconds", kAffinitySeconds}}}};
}

void complete_service(text::Object& service) {
  text::Object& spec = make_object(service, "spec");
  complete_affinity(spec);
  each_object(spec, "ports", [](text::Object& port, size_t) {
    const text::Value* target = member_of(port, "targetPort");
    const bool given = target != nullptr && !(target->is_int64() && target->get_int64() == 0) &&
                       !(target->is_string() && target->get_string().empty());
    if (!given) port["targetPort"] = int_at(port, "port").value_or(0);
  });
  const std::string_view type = string_at(spec, "type");
  const bool balanced = type == "LoadBalancer";
  const bool internal = balanced || type == "NodePort" || type == "ClusterIP";
  if (is_external(spec)) set_if_missing(spec, "externalTrafficPolicy", "Cluster");
  if (internal) set_if_missing(spec, "internalTrafficPolicy", "Cluster");
  if (balanced) set_if_missing(spec, "allocateLoadBalancerNodePorts", true);
}

void prepare_create_service(text::Object& service) {
  service["status"] = text::Object{{"loadBalancer", text::Object{}}};
}

// What belonged to the former type, and was not changed, goes with it.
void prepare_update_service(text::Object& next, const text::Object& old) {
  text::Object& spec = make_object(next, "spec");
  const text::Object& before = part_of(old, "spec");
  if (string_at(before, "type") == "LoadBalancer" && string_at(spec, "type") != "LoadBalancer") {
    for (const std::string_view field : {"allocateLoadBalancerNodePorts", "loadBalancerClass"}) {
      if (same_member(spec, before, field)) spec.erase(field);
    }
  }
  if (string_at(spec, "type") == "ExternalName") spec.erase("internalTrafficPolicy");
  if (is_external(before) && !is_external(spec) && same_member(spec, before, "externalTrafficPolicy")) {
    spec.erase("externalTrafficPolicy");
  }
}

void check_service_ports(const text::Object& spec, const FieldPath& at, Causes& causes) {
  const FieldPath list = at.key("ports");
  const bool many = length_at(spec, "ports") > 1;
  std::set<std::string_view> names;
  std::set<std::string> numbers;
  std::set<std::string> node_ports;
  each_object(spec, "ports", [&](const text::Object& port, size_t i) {
    const FieldPath here = list.at(i);
    const std::string_view name = string_at(port, "name");
    check_name(port, "name", dns1123_label, many ? Need::Required : Need::Optional, here, causes);
    if (!name.empty() && !names.insert(name).second) causes.duplicate(here.key("name").text(), text_value(name));
    const int64_t number = int_at(port, "port").value_or(0);
    for (const std::string& why : port_number(number)) causes.invalid(here.key("port").text(), number, why);
    check_word(port, "protocol", {"SCTP", "TCP", "UDP"}, Need::Required, here, causes);
    check_port_or_name(port, "targetPort", here, causes);
    check_name(port, "appProtocol", qualified_name, Need::Optional, here, causes);
    const std::string_view protocol = string_at(port, "protocol");
    if (!numbers.insert(fmt::format("{}/{}", protocol, number)).second) causes.duplicate(here.text(), port);
    const int64_t node_port = int_at(port, "nodePort").value_or(0);
    if (node_port == 0) return;
    if (string_at(spec, "type") == "ClusterIP") {
      causes.forbidden(here.key("nodePort").text(), "may not be used when `type` is 'ClusterIP'");
    }
    if (!node_ports.insert(fmt::format("{}/{}", protocol, node_port)).second) {
      causes.duplicate(here.key("nodePort").text(), node_port);
    }
  });
}

void check_type(const text::Object& spec, const FieldPath& at, Causes& causes) {
  const std::string_view type = string_at(spec, "type");
  check_word(spec, "type", {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"}, Need::Required, at, causes);
  if (length_at(spec, "ports") == 0 && !is_headless(spec) && type != "ExternalName") {
    causes.required(at.key("ports").text());
  }
  if ((type == "LoadBalancer" || type == "NodePort") && is_headless(spec)) {
    causes.invalid("spec.clusterIPs[0]", text_value("None"),
                   fmt::format("may not be set to 'None' for {} services", type));
  }
  if (type == "ExternalName") {
    for (const std::string_view field : {"clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
      if (length_at(spec, field) > 0 || !string_at(spec, field).empty())
        causes.forbidden(at.key(field).text(), "may not be set for ExternalName services");
    }
    std::string_view name = string_at(spec, "externalName");
    if (name.ends_with('.')) name.remove_suffix(1);
    if (name.empty()) {
      causes.required(at.key("externalName").text());
    } else {
      refuse(dns1123_subdomain(name), name, at.key("externalName"), causes);
    }
  }
  if (has(spec, "allocateLoadBalancerNodePorts") && type != "LoadBalancer") {
    causes.forbidden(at.key("allocateLoadBalancerNodePorts").text(), "may only be used when `type` is 'LoadBalancer'");
  }
  if (has(spec, "loadBalancerClass") && type != "LoadBalancer") {
    causes.forbidden(at.key("loadBalancerClass").text(), "may only be used when `type` is 'LoadBalancer'");
  }
  if (length_at(spec, "loadBalancerSourceRanges") > 0 && type != "LoadBalancer") {
    causes.forbidden("spec.LoadBalancerSourceRanges", "may only be used when `type` is 'LoadBalancer'");
  }
}

void check_addresses(const text::Object& spec, const FieldPath& at, Causes& causes) {
  if (string_at(spec, "type") == "ExternalName") return;
  const std::string_view first = string_at(spec, "clusterIP");
  const FieldPath list = at.key("clusterIPs");
  const text::Array* all = array_at(spec, "clusterIPs");
  if (!first.empty() && all != nullptr && !all->empty() && view_of(all->front()) != first) {
    causes.invalid(list.text(), *member_of(spec, "clusterIPs"), "first value must match `clusterIP`");
  } else if (first.empty() && all != nullptr && !all->empty()) {
    causes.invalid(list.text(), *member_of(spec, "clusterIPs"), "must be empty when `clusterIP` is not specified");
  }
  each_string(spec, "clusterIPs", [&](std::string_view ip, size_t i) {
    if (i == 0 && ip == "None") return;
    check_ip(ip, list.at(i), causes);
  });
  const FieldPath families = at.key("ipFamilies");
  each_string(spec, "ipFamilies", [&](std::string_view family, size_t i) {
    if (family != "IPv4" && family != "IPv6") {
      causes.not_supported(families.at(i).text(), text_value(family), {"IPv4", "IPv6"});
    }
  });
  check_word(spec, "ipFamilyPolicy", {"PreferDualStack", "RequireDualStack", "SingleStack"}, Need::Optional, at,
             causes);
  const FieldPath external = at.key("externalIPs");
  each_string(spec, "externalIPs", [&](std::string_view ip, size_t i) { check_ip(ip, external.at(i), causes); });
}

void check_traffic(const text::Object& spec, const FieldPath& at, Causes& causes) {
  check_word(spec, "sessionAffinity", {"ClientIP", "None"}, Need::Required, at, causes);
  if (string_at(spec, "sessionAffinity") == "ClientIP") {
    const auto seconds = int_at(part_of(part_of(spec, "sessionAffinityConfig"), "clientIP"), "timeoutSeconds");
    if (seconds && (*seconds <= 0 || *seconds > kMaxAffinitySeconds)) {
      causes.invalid("spec.sessionAffinityConfig.clientIP.timeoutSeconds", *seconds,
                     fmt::format("must be greater than 0 and less than {}", kMaxAffinitySeconds));
    }
  }
  if (!is_external(spec)) {
    if (has(spec, "externalTrafficPolicy")) {
      causes.invalid(at.key("externalTrafficPolicy").text(), shown_member(spec, "externalTrafficPolicy"),
                     "may only be set for externally-accessible services");
    }
  } else {
    check_word(spec, "externalTrafficPolicy", {"Cluster", "Local"}, Need::Required, at, causes);
  }
  check_word(spec, "internalTrafficPolicy", {"Cluster", "Local"}, Need::Optional, at, causes);
  check_word(spec, "trafficDistribution", {"PreferClose", "PreferSameZone", "PreferSameNode"}, Need::Optional, at,
             causes);
}

void validate_service(const text::Object& service, Causes& causes) {
  const FieldPath at("spec");
  const text::Object& spec = part_of(service, "spec");
  check_type(spec, at, causes);
  check_service_ports(spec, at, causes);
  validate_labels(part_of(spec, "selector"), "spec.selector", causes);
  check_addresses(spec, at, causes);
  check_traffic(spec, at, causes);
}

void validate_update_service(const text::Object& next, const text::Object& old, Causes& causes) {
  const text::Object& spec = part_of(next, "spec");
  const text::Object& before = part_of(old, "spec");
  const std::string_view address = string_at(before, "clusterIP");
  const bool had = string_at(before, "type") != "ExternalName" && !address.empty();
  if (had && string_at(spec, "type") != "ExternalName" && string_at(spec, "clusterIP") != address) {
    causes.invalid("spec.clusterIPs[0]", shown_member(spec, "clusterIPs"), "may not change once set");
  }
}

void validate_status_service(const text::Object& next, const text::Object& /*old*/, Causes& causes) {
  const text::Object& balancer = part_of(part_of(next, "status"), "loadBalancer");
  if (length_at(balancer, "ingress") == 0 || string_at(part_of(next, "spec"), "type") == "LoadBalancer") return;
  causes.forbidden("status.loadBalancer.ingress", "may only be used when `spec.type` is 'LoadBalancer'");
}

void warn_service(const text::Object& service, std::vector<std::string>& warnings) {
  const text::Object& spec = part_of(service, "spec");
  const bool named = string_at(spec, "type") == "ExternalName";
  const bool external_ips = length_at(spec, "externalIPs") > 0;
  if (is_headless(spec)) {
    if (has(spec, "loadBalancerIP")) warnings.emplace_back("spec.loadBalancerIP is ignored for headless services");
    if (external_ips) warnings.emplace_back("spec.externalIPs is ignored for headless services");
    if (string_at(spec, "sessionAffinity") != "None") {
      warnings.emplace_back("spec.SessionAffinity is ignored for headless services");
    }
  } else if (external_ips && !named) {
    warnings.emplace_back("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  }
  if (named && external_ips) warnings.emplace_back("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
  if (!named && !string_at(spec, "externalName").empty()) {
    warnings.emplace_back("spec.externalName is ignored when spec.type is not \"ExternalName\"");
  }
  if (string_at(spec, "trafficDistribution") == "PreferClose") {
    warnings.emplace_back("spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"");
  }
}

}  // namespace

KindRules service_rules() {
  return {.name_rule = NameRule::Label,
          .complete = complete_service,
          .prepare_create = prepare_create_service,
          .prepare_update = prepare_update_service,
          .validate = validate_service,
          .validate_update = validate_update_service,
          .validate_status = validate_status_service,
          .warn = warn_service};
}

}  // namespace basalt::api::rules
