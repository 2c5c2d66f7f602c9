// NetworkPolicy and Ingress.
#include "kube/api/rules/builtin_kind_rules.h"
#include "kube/api/rules/checks.h"

namespace basalt::api::rules {
namespace {

void complete_policy(text::Object& policy) {
  text::Object& spec = make_object(policy, "spec");
  if (length_at(spec, "policyTypes") > 0) return;
  text::Array types{"Ingress"};
  if (length_at(spec, "egress") > 0) types.emplace_back("Egress");
  spec["policyTypes"] = std::move(types);
}

void check_policy_port(const text::Object& port, const FieldPath& at, Causes& causes) {
  check_word(port, "protocol", {"TCP", "UDP", "SCTP"}, Need::Optional, at, causes);
  const text::Value* number = member_of(port, "port");
  const auto end = int_at(port, "endPort");
  if (number == nullptr) {
    if (end) causes.invalid(at.key("endPort").text(), *end, "may not be specified when `port` is not specified");
    return;
  }
  check_port_or_name(port, "port", at, causes);
  if (!end) return;
  if (!number->is_int64()) {
    causes.invalid(at.key("endPort").text(), *end, "may not be specified when `port` is non-numeric");
  } else if (*end < number->get_int64()) {
    causes.invalid(at.key("endPort").text(), *end, "must be greater than or equal to `port`");
  }
}

void check_block(const text::Object& block, const FieldPath& at, Causes& causes) {
  const std::string_view cidr = string_at(block, "cidr");
  if (cidr.empty()) return causes.required(at.key("cidr").text());
  check_network(cidr, at.key("cidr"), causes);
  const FieldPath list = at.key("except");
  each_string(block, "except", [&](std::string_view one, size_t i) { check_network(one, list.at(i), causes); });
}

void check_peer(const text::Object& peer, const FieldPath& at, Causes& causes) {
  int peers = 0;
  for (const std::string_view name : {"podSelector", "namespaceSelector"}) {
    const text::Object* selector = object_at(peer, name);
    if (selector == nullptr) continue;
    ++peers;
    check_label_selector(*selector, at.key(name), causes);
  }
  const text::Object* block = object_at(peer, "ipBlock");
  if (block != nullptr) check_block(*block, at.key("ipBlock"), causes);
  if (peers == 0 && block == nullptr) causes.required(at.text(), "must specify a peer");
  if (peers > 0 && block != nullptr) causes.forbidden(at.text(), "may not specify both ipBlock and another peer");
}

void validate_policy(const text::Object& policy, Causes& causes) {
  const FieldPath at("spec");
  const text::Object& spec = part_of(policy, "spec");
  check_label_selector(part_of(spec, "podSelector"), at.key("podSelector"), causes);
  for (const std::string_view direction : {"ingress", "egress"}) {
    const std::string_view peers = direction == "ingress" ? "from" : "to";
    const FieldPath list = at.key(direction);
    each_object(spec, direction, [&](const text::Object& rule, size_t i) {
      const FieldPath here = list.at(i);
      const FieldPath ports = here.key("ports");
      each_object(rule, "ports",
                  [&](const text::Object& port, size_t j) { check_policy_port(port, ports.at(j), causes); });
      const FieldPath ends = here.key(peers);
      each_object(rule, peers, [&](const text::Object& peer, size_t j) { check_peer(peer, ends.at(j), causes); });
    });
  }
  const FieldPath types = at.key("policyTypes");
  if (length_at(spec, "policyTypes") > 2) {
    return causes.invalid(types.text(), shown_member(spec, "policyTypes"), "may not specify more than two policyTypes");
  }
  each_string(spec, "policyTypes", [&](std::string_view type, size_t i) {
    if (type != "Ingress" && type != "Egress") {
      causes.not_supported(types.at(i).text(), text_value(type), {"Ingress", "Egress"});
    }
  });
}

void start_ingress(text::Object& ingress) { ingress["status"] = text::Object{{"loadBalancer", text::Object{}}}; }

void check_backend(const text::Object& backend, const FieldPath& at, Causes& causes) {
  const text::Object* service = object_at(backend, "service");
  const bool resource = has(backend, "resource");
  if (resource && service != nullptr) {
    return causes.invalid(at.text(), text_value(""), "cannot set both resource and service backends");
  }
  if (service == nullptr) {
    if (!resource) causes.invalid(at.text(), text_value(""), "resource or service backend is required");
    return;
  }
  const FieldPath here = at.key("service");
  check_name(*service, "name", dns1123_label, Need::Required, here, causes);
  const text::Object& port = part_of(*service, "port");
  const std::string_view name = string_at(port, "name");
  const int64_t number = int_at(port, "number").value_or(0);
  const FieldPath where = here.key("port");
  if (!name.empty() && number != 0) {
    causes.invalid(at.text(), text_value(""), "cannot set both port name & port number");
  } else if (!name.empty()) {
    refuse(port_name(name), name, where.key("name"), causes);
  } else if (number != 0) {
    for (const std::string& why : port_number(number)) causes.invalid(where.key("number").text(), number, why);
  } else {
    causes.required(at.text(), "port name or number is required");
  }
}

void check_path(const text::Object& path, const FieldPath& at, Causes& causes) {
  const std::string_view type = string_at(path, "pathType");
  const std::string_view text = string_at(path, "path");
  if (type.empty()) return causes.required(at.key("pathType").text(), "pathType must be specified");
  check_word(path, "pathType", {"Exact", "ImplementationSpecific", "Prefix"}, Need::Required, at, causes);
  const bool strict = type == "Exact" || type == "Prefix";
  if ((strict || !text.empty()) && !text.starts_with('/')) {
    causes.invalid(at.key("path").text(), text_value(text), "must be an absolute path");
  }
  if (strict) {
    for (const std::string_view bad : {"//", "/./", "/../", "%2f", "%2F"}) {
      if (text.find(bad) != std::string_view::npos) {
        causes.invalid(at.key("path").text(), text_value(text), "must not contain '" + std::string(bad) + "'");
      }
    }
    for (const std::string_view bad : {"/..", "/."}) {
      if (text.ends_with(bad)) {
        causes.invalid(at.key("path").text(), text_value(text), "cannot end with '" + std::string(bad) + "'");
      }
    }
  }
  check_backend(part_of(path, "backend"), at.key("backend"), causes);
}

void check_host(std::string_view host, const FieldPath& where, Causes& causes) {
  const std::string_view name = host.starts_with("*.") ? host.substr(2) : host;
  refuse(dns1123_subdomain(name), host, where, causes);
}

void validate_ingress(const text::Object& ingress, Causes& causes) {
  const FieldPath at("spec");
  const text::Object& spec = part_of(ingress, "spec");
  if (length_at(spec, "rules") == 0 && !has(spec, "defaultBackend")) {
    causes.invalid(at.text(), length_at(spec, "rules") == 0 ? text::Value(text::Array{}) : text::Value(nullptr),
                   "either `defaultBackend` or `rules` must be specified");
  }
  if (const text::Object* backend = object_at(spec, "defaultBackend")) {
    check_backend(*backend, at.key("defaultBackend"), causes);
  }
  check_name(spec, "ingressClassName", dns1123_subdomain, Need::Optional, at, causes);
  const FieldPath rules = at.key("rules");
  each_object(spec, "rules", [&](const text::Object& rule, size_t i) {
    const FieldPath here = rules.at(i);
    const std::string_view host = string_at(rule, "host");
    if (is_ipv4(host) || is_ipv6(host)) {
      causes.invalid(here.key("host").text(), text_value(host), "must be a DNS name, not an IP address");
    } else if (!host.empty()) {
      check_host(host, here.key("host"), causes);
    }
    const FieldPath http = here.key("http");
    const FieldPath paths = http.key("paths");
    const text::Object* given = object_at(rule, "http");
    if (given == nullptr) return;
    if (length_at(*given, "paths") == 0) causes.required(paths.text());
    each_object(*given, "paths", [&](const text::Object& path, size_t j) { check_path(path, paths.at(j), causes); });
  });
  const FieldPath tls = at.key("tls");
  each_object(spec, "tls", [&](const text::Object& one, size_t i) {
    const FieldPath here = tls.at(i);
    const FieldPath hosts = here.key("hosts");
    each_string(one, "hosts", [&](std::string_view host, size_t j) { check_host(host, hosts.at(j), causes); });
    check_name(one, "secretName", dns1123_subdomain, Need::Optional, here, causes);
  });
}

}  // namespace

KindRules network_policy_rules() {
  return {.counts_generation = true, .complete = complete_policy, .validate = validate_policy};
}

KindRules ingress_rules() {
  return {.counts_generation = true, .prepare_create = start_ingress, .validate = validate_ingress};
}

}  // namespace basalt::api::rules
