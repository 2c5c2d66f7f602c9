#include <fmt/format.h>

#include <set>

#include "server/table/builtin_columns.h"
#include "server/table/cell_values.h"

namespace basalt::server {
namespace {

constexpr size_t kMaxShown = 3;  // hosts and endpoints in one cell; the rest is counted

std::string text_of(const text::Value& value) {
  return value.is_string() ? std::string(value.get_string()) : std::string();
}

// Where a load balancer answers: addresses or names, sorted.
std::vector<std::string> balancer_addresses(const text::Value& object) {
  std::set<std::string> addresses;
  for (const text::Value& ingress : list_at(object, {"status", "loadBalancer", "ingress"})) {
    addresses.insert(text_or(ingress, {"ip"}, text_at(ingress, {"hostname"})));
  }
  addresses.erase("");
  return {addresses.begin(), addresses.end()};
}

std::string external_ip(const text::Value& service) {
  const std::string_view type = text_at(service, {"spec", "type"});
  if (type == "ExternalName") return std::string(text_at(service, {"spec", "externalName"}));
  if (type != "ClusterIP" && type != "NodePort" && type != "LoadBalancer") return "<unknown>";
  std::vector<std::string> addresses;
  if (type == "LoadBalancer") addresses = balancer_addresses(service);
  for (const text::Value& ip : list_at(service, {"spec", "externalIPs"})) addresses.push_back(text_of(ip));
  if (addresses.empty()) return type == "LoadBalancer" ? "<pending>" : "<none>";
  return join(addresses, ",");
}

std::string ports_text(const text::Value& service) {
  std::vector<std::string> words;
  for (const text::Value& port : list_at(service, {"spec", "ports"})) {
    std::string word = std::to_string(int_at(port, {"port"}));
    if (const int64_t node_port = int_at(port, {"nodePort"}); node_port > 0) word += fmt::format(":{}", node_port);
    words.push_back(fmt::format("{}/{}", word, text_at(port, {"protocol"})));
  }
  return or_none(join(words, ","));
}

std::string with_more(const std::vector<std::string>& shown, size_t all) {
  const std::string text = join(shown, ",");
  return all > kMaxShown ? fmt::format("{} + {} more...", text, all - kMaxShown) : text;
}

std::string host_and_port(std::string_view host, int64_t port) {
  const bool brackets = host.find(':') != std::string_view::npos;  // an IPv6 address
  return fmt::format("{}{}{}:{}", brackets ? "[" : "", host, brackets ? "]" : "", port);
}

std::string endpoints_text(const text::Value& endpoints) {
  const text::Array& subsets = list_at(endpoints, {"subsets"});
  if (subsets.empty()) return "<none>";
  std::vector<std::string> shown;
  size_t all = 0;
  const auto add = [&shown, &all](const text::Array& addresses, const text::Value* port) {
    all += addresses.size();
    for (size_t i = 0; i < addresses.size() && shown.size() < kMaxShown; ++i) {
      const std::string_view ip = text_at(addresses[i], {"ip"});
      shown.push_back(port == nullptr ? std::string(ip) : host_and_port(ip, int_at(*port, {"port"})));
    }
  };
  for (const text::Value& subset : subsets) {
    const text::Array& addresses = list_at(subset, {"addresses"});
    const text::Array& ports = list_at(subset, {"ports"});
    if (ports.empty()) add(addresses, nullptr);
    for (const text::Value& port : ports) add(addresses, &port);
  }
  return with_more(shown, all);
}

std::string slice_ports(const text::Value& slice) {
  const text::Array& ports = list_at(slice, {"ports"});
  std::vector<std::string> shown;
  for (size_t i = 0; i < ports.size() && i < kMaxShown; ++i) {
    const bool numbered = at(ports[i], {"port"}) != nullptr;
    shown.push_back(numbered ? std::to_string(int_at(ports[i], {"port"})) : text_or(ports[i], {"name"}, "*"));
  }
  return shown.empty() ? "<unset>" : with_more(shown, ports.size());
}

std::string slice_addresses(const text::Value& slice) {
  std::vector<std::string> shown;
  size_t all = 0;
  for (const text::Value& endpoint : list_at(slice, {"endpoints"})) {
    for (const text::Value& address : list_at(endpoint, {"addresses"})) {
      if (shown.size() < kMaxShown) shown.push_back(text_of(address));
      ++all;
    }
  }
  return shown.empty() ? "<unset>" : with_more(shown, all);
}

std::string class_parameters(const text::Value& ingress_class) {
  const text::Value* reference = at(ingress_class, {"spec", "parameters"});
  if (reference == nullptr) return "<none>";
  std::string text(text_at(*reference, {"kind"}));
  if (at(*reference, {"apiGroup"}) != nullptr) text += fmt::format(".{}", text_at(*reference, {"apiGroup"}));
  return fmt::format("{}/{}", text, text_at(*reference, {"name"}));
}

std::string hosts_text(const text::Value& ingress) {
  const text::Array& rules = list_at(ingress, {"spec", "rules"});
  std::vector<std::string> shown;
  bool more = false;
  for (const text::Value& rule : rules) {
    const std::string_view host = text_at(rule, {"host"});
    more = more || shown.size() == kMaxShown;
    if (!more && !host.empty()) shown.emplace_back(host);
  }
  if (shown.empty()) return "*";
  return with_more(shown, more ? rules.size() : shown.size());
}

}  // namespace

void fill_service(const text::Value& object, Instant now, text::Array& cells) {
  const text::Array& ips = list_at(object, {"spec", "clusterIPs"});
  cells.emplace_back(name_of(object));
  cells.emplace_back(text_at(object, {"spec", "type"}));
  cells.emplace_back(ips.empty() ? "<none>" : text_of(ips[0]));
  cells.emplace_back(external_ip(object));
  cells.emplace_back(ports_text(object));
  cells.emplace_back(age_of(object, now));
  cells.emplace_back(or_none(labels_text(object_at(object, {"spec", "selector"}))));
}

void fill_endpoints(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object));
  cells.emplace_back(endpoints_text(object));
  cells.emplace_back(age_of(object, now));
}

void fill_ingress(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object));
  cells.emplace_back(text_or(object, {"spec", "ingressClassName"}, "<none>"));
  cells.emplace_back(hosts_text(object));
  cells.emplace_back(join(balancer_addresses(object), ","));
  cells.emplace_back(list_at(object, {"spec", "tls"}).empty() ? "80" : "80, 443");
  cells.emplace_back(age_of(object, now));
}

void fill_network_policy(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object));
  cells.emplace_back(or_none(selector_text(at(object, {"spec", "podSelector"}))));
  cells.emplace_back(age_of(object, now));
}

void fill_ingress_class(const text::Value& object, Instant now, text::Array& cells) {
  constexpr std::string_view kDefault = "ingressclass.kubernetes.io/is-default-class";
  const bool is_default = text_at(object, {"metadata", "annotations", kDefault}) == "true";
  cells.emplace_back(name_of(object) + (is_default ? " (default)" : ""));
  cells.emplace_back(text_at(object, {"spec", "controller"}));
  cells.emplace_back(class_parameters(object));
  cells.emplace_back(age_of(object, now));
}

void fill_endpoint_slice(const text::Value& object, Instant now, text::Array& cells) {
  cells.emplace_back(name_of(object));
  cells.emplace_back(text_at(object, {"addressType"}));
  cells.emplace_back(slice_ports(object));
  cells.emplace_back(slice_addresses(object));
  cells.emplace_back(age_of(object, now));
}

}  // namespace basalt::server
