// Addresses and node ports of services: the lowest free ones, found by looking at all services.
//
// Kubernetes keeps bitmaps; here the services themselves are the record of what is taken, so nothing can leak or get
// out of step. Cost: O(services) for a service that needs an address.
#include <fmt/format.h>

#include <set>

#include "kube/api/rules/checks.h"
#include "kube/api/views/metadata_view.h"
#include "kube/api/views/service_view.h"
#include "server/chain/admission_step.h"

namespace basalt::server::chain {
namespace {

constexpr int64_t kFirstNodePort = 30000;
constexpr int64_t kLastNodePort = 32767;
constexpr uint32_t kFirstHost = 2;  // .0 names the network, .1 is the API's own service

uint32_t parse_address(std::string_view text) {
  uint32_t out = 0;
  uint32_t part = 0;
  for (const char c : text) {
    if (c == '.') {
      out = (out << 8U) | part;
      part = 0;
    } else if (c >= '0' && c <= '9') {
      part = part * 10 + static_cast<uint32_t>(c - '0');
    }
  }
  return (out << 8U) | (part & 0xFFU);
}

std::string address_text(uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24U, (address >> 16U) & 0xFFU, (address >> 8U) & 0xFFU, address & 0xFFU);
}

struct Taken {
  std::set<std::string> addresses;
  std::set<int64_t> node_ports;
};

Taken taken_by_others(const AdmissionAttributes& request) {
  Taken taken;
  for (const ObjectPtr& one : request.admission_context.list("services", "")) {
    if (one == nullptr || !one->is_object()) continue;
    const api::ServiceView service(*one);
    const api::ObjectMetaView metadata = service.metadata();
    if (metadata.name() == request.name() && metadata.namespace_name() == request.ns()) continue;
    taken.addresses.emplace(service.spec().cluster_ip());
    for (const std::string_view ip : service.spec().cluster_ips()) taken.addresses.emplace(ip);
    for (const api::ServicePortView port : service.spec().ports()) {
      if (port.node_port() != 0) taken.node_ports.insert(port.node_port());
    }
  }
  return taken;
}

std::unexpected<api::ApiError> refuse(const AdmissionAttributes& request, std::string field, const text::Value& value,
                                      std::string_view why) {
  api::Causes causes;
  causes.invalid(std::move(field), value, why);
  return std::unexpected(api::invalid_object("", "Service", request.name(), causes.take()));
}

bool needs_address(const text::Object& spec) { return api::ServiceSpecView(spec).type() != "ExternalName"; }

bool needs_node_port(const text::Object& spec) {
  const std::string_view type = api::ServiceSpecView(spec).type();
  return type == "NodePort" ||
         (type == "LoadBalancer" && api::ServiceSpecView(spec).allocate_load_balancer_node_ports().value_or(true));
}

// clusterIP is the first of clusterIPs: who changes the one and leaves the other means both.
void align_addresses(text::Object& spec, const text::Object& before) {
  const std::string address(api::ServiceSpecView(spec).cluster_ip());
  if (address == api::ServiceSpecView(before).cluster_ip()) {
    const bool cleared = api::rules::length_at(spec, "clusterIPs") == 0;
    if (cleared && has(before, "clusterIPs")) spec["clusterIPs"] = before.at("clusterIPs");
  } else if (api::rules::same_member(spec, before, "clusterIPs")) {
    if (address.empty()) {
      spec.erase("clusterIPs");
    } else {
      spec["clusterIPs"] = text::Array{address};
    }
  }
}

// What a client left out of an update stays as it was; what the new type has no use for goes.
void carry_over(text::Object& spec, const text::Object& before) {
  if (!needs_address(spec)) {
    align_addresses(spec, before);
    if (!needs_address(before)) return;
    if (api::rules::same_member(spec, before, "clusterIPs")) {
      spec.erase("clusterIP");
      spec.erase("clusterIPs");
    }
    for (const std::string_view field : {"ipFamilies", "ipFamilyPolicy"}) {
      if (api::rules::same_member(spec, before, field)) spec.erase(field);
    }
    return;
  }
  if (!needs_address(before)) return;
  for (const std::string_view field : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
    if (!has(spec, field) && has(before, field)) spec[field] = before.at(field);
  }
}

void carry_over_node_ports(text::Object& spec, const text::Object& before) {
  const bool needed = needs_node_port(spec) || api::ServiceSpecView(spec).type() == "LoadBalancer";
  each_object(spec, "ports", [&](text::Object& port, size_t) {
    each_object(before, "ports", [&](const text::Object& known, size_t) {
      const bool same = int_at(known, "port") == int_at(port, "port") &&
                        api::ServicePortView(known).protocol() == api::ServicePortView(port).protocol();
      const auto number = int_at(known, "nodePort");
      if (!same || !number) return;
      if (needed && !has(port, "nodePort")) port["nodePort"] = *number;
      if (!needed && int_at(port, "nodePort") == number) port.erase("nodePort");
    });
  });
}

StepResult set_families(const AdmissionAttributes& request, text::Object& spec) {
  const bool headless = api::ServiceSpecView(spec).cluster_ip() == "None";
  const bool selectorless = part_of(spec, "selector").empty();
  if (!has(spec, "ipFamilyPolicy")) {
    spec["ipFamilyPolicy"] = headless && selectorless ? "RequireDualStack" : "SingleStack";
  }
  const std::string policy(api::ServiceSpecView(spec).ip_family_policy());
  const bool single = policy == "SingleStack";
  if (headless && selectorless) {
    text::Array& families = make_array(spec, "ipFamilies");
    if (families.empty()) families.emplace_back("IPv4");
    if (families.size() < 2 && !single) families.emplace_back(view_of(families[0]) == "IPv4" ? "IPv6" : "IPv4");
    return {};
  }
  if (policy == "RequireDualStack") {
    return refuse(request, "spec.ipFamilyPolicy", text::Value(policy),
                  "this cluster is not configured for dual-stack services");
  }
  text::Array& families = make_array(spec, "ipFamilies");
  if (families.empty()) families.emplace_back("IPv4");
  for (size_t i = 0; i < families.size(); ++i) {
    if (view_of(families[i]) != "IPv4") {
      return refuse(request, fmt::format("spec.ipFamilies[{}]", i), families[i], "not configured on this cluster");
    }
  }
  return {};
}

StepResult set_address(const AdmissionAttributes& request, text::Object& spec, const Taken& taken) {
  const AdmissionChainOptions& options = *request.admission_context.options;
  const uint32_t bits = 32U - static_cast<uint32_t>(options.service_address_bits);
  const uint32_t mask = bits >= 32U ? 0U : ~((1U << bits) - 1U);
  const uint32_t network = parse_address(options.service_network) & mask;
  const std::string wanted(api::ServiceSpecView(spec).cluster_ip());
  if (wanted == "None") {
    spec["clusterIPs"] = text::Array{"None"};
    return {};
  }
  if (!wanted.empty()) {
    spec["clusterIPs"] = text::Array{wanted};
    if (!api::rules::is_ipv4(wanted)) return {};  // validation says so
    if ((parse_address(wanted) & mask) != network) {
      return refuse(
          request, "spec.clusterIPs", text::Array{wanted},
          fmt::format("failed to allocate IP {}: the provided network does not match the current range", wanted));
    }
    if (taken.addresses.contains(wanted)) {
      return refuse(request, "spec.clusterIPs", text::Array{wanted},
                    fmt::format("failed to allocate IP {}: provided IP is already allocated", wanted));
    }
    return {};
  }
  for (uint32_t host = kFirstHost; host < ~mask; ++host) {
    const std::string address = address_text(network + host);
    if (taken.addresses.contains(address)) continue;
    spec["clusterIP"] = address;
    spec["clusterIPs"] = text::Array{address};
    return {};
  }
  return std::unexpected(api::internal_error("failed to allocate a serviceIP: range is full"));
}

StepResult set_node_ports(const AdmissionAttributes& request, text::Object& spec, Taken& taken) {
  StepResult verdict;
  int64_t candidate = kFirstNodePort;
  const bool assign = needs_node_port(spec);
  // Ports that were asked for come first, so that none of them is given away.
  each_object(spec, "ports", [&](text::Object& port, size_t i) {
    const auto number = int_at(port, "nodePort");
    if (!number || *number == 0 || !verdict) return;
    if (*number < kFirstNodePort || *number > kLastNodePort) {
      verdict = refuse(request, fmt::format("spec.ports[{}].nodePort", i), *number,
                       fmt::format("provided port is not in the valid range. The range of valid ports is {}-{}",
                                   kFirstNodePort, kLastNodePort));
    } else if (!taken.node_ports.insert(*number).second) {
      verdict =
          refuse(request, fmt::format("spec.ports[{}].nodePort", i), *number, "provided port is already allocated");
    }
  });
  if (!verdict || !assign) return verdict;
  each_object(spec, "ports", [&](text::Object& port, size_t) {
    if (api::ServicePortView(port).node_port() != 0 || !verdict) return;
    while (taken.node_ports.contains(candidate)) ++candidate;
    if (candidate > kLastNodePort) {
      verdict = std::unexpected(api::internal_error("failed to allocate a nodePort: range is full"));
      return;
    }
    port["nodePort"] = candidate;
    taken.node_ports.insert(candidate);
  });
  return verdict;
}

}  // namespace

StepResult assign_service_address(const AdmissionAttributes& request) {
  text::Object& spec = make_object(*request.next, "spec");
  if (request.old != nullptr) {
    const text::Object& before = part_of(*request.old, "spec");
    carry_over(spec, before);
    carry_over_node_ports(spec, before);
  } else if (!needs_address(spec)) {
    align_addresses(spec, {});
  }
  if (!needs_address(spec)) return {};
  const bool settled = request.old != nullptr && needs_address(part_of(*request.old, "spec")) &&
                       has(spec, "clusterIP") &&
                       api::rules::same_member(spec, part_of(*request.old, "spec"), "clusterIP") &&
                       api::rules::same_member(spec, part_of(*request.old, "spec"), "ports") &&
                       api::ServiceSpecView(spec).type() == api::ServiceView(*request.old).spec().type();
  if (StepResult verdict = set_families(request, spec); !verdict || settled) return verdict;
  Taken taken = taken_by_others(request);
  if (StepResult verdict = set_address(request, spec, taken); !verdict) return verdict;
  return set_node_ports(request, spec, taken);
}

}  // namespace basalt::server::chain
