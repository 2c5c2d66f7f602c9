#include "control/node/local/service_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"
#include "kube/net/ipv4.h"

namespace basalt::node {
namespace {

using net::Endpoint;

std::optional<uint16_t> as_port(int64_t number) {
  if (number < 1 || number > UINT16_MAX) return std::nullopt;
  return static_cast<uint16_t>(number);
}

// Where the pod listens for this port of a service.
std::optional<uint16_t> target_port(const text::Object& port, const PodEndpoint& pod) {
  const text::Value* target = api::rules::member_of(port, "targetPort");
  if (target != nullptr && target->is_string()) {
    const std::string_view name = api::rules::view_of(*target);
    const auto named = std::ranges::find_if(
        pod.ports, [&](const PodEndpoint::Port& one) { return one.name == name && one.protocol == "TCP"; });
    return named == pod.ports.end() ? std::nullopt : std::optional(named->number);
  }
  const int64_t number = target != nullptr && target->is_int64() ? target->get_int64() : 0;
  return as_port(number != 0 ? number : api::int_at(port, {"port"}));
}

class Builder {
 public:
  Builder(std::span<const PodEndpoint> pods, const ServiceOptions& options) : pods_(pods), options_(options) {}

  void add(const text::Object& service) {
    const text::Object& spec = api::rules::part_of(service, "spec");
    const std::string cluster_ip(api::string_at(spec, "clusterIP"));
    if (api::string_at(spec, "type") == "ExternalName" || cluster_ip == "None" || cluster_ip.empty()) return;
    const bool api = api::key_of(service) == "default/kubernetes";
    const text::Object* selector = api::rules::object_at(spec, "selector");
    if ((selector == nullptr || selector->empty()) && !(api && options_.api_server)) return;

    if (!net::is_loopback(cluster_ip)) {
      note(fmt::format("cluster IPs outside 127.0.0.0/8 (service {} has {}) cannot be listened on without changing "
                       "this machine: such services are reached by their node ports or pods only",
                       api::key_of(service), cluster_ip),
           outside_);
    }
    api::rules::each_object(spec, "ports",
                            [&](const text::Object& port, size_t) { add_port(service, port, cluster_ip, api); });
  }

  void add_host_ports() {
    for (const PodEndpoint& pod : pods_) {
      if (pod.gone || pod.address.empty() || pod.address == options_.node_port_address) continue;
      for (const PodEndpoint::Port& port : pod.ports) {
        if (port.host_port == 0 || port.protocol != "TCP") continue;
        table_.rows.try_emplace({.address = options_.node_port_address, .port = port.host_port},
                                std::vector<Endpoint>{{.address = pod.address, .port = port.number}});
      }
    }
  }

  ServiceTable take() { return std::move(table_); }

 private:
  void add_port(const text::Object& service, const text::Object& port, const std::string& cluster_ip, bool api) {
    const std::string_view protocol = api::string_at(port, "protocol");
    if (!protocol.empty() && protocol != "TCP") {
      note(fmt::format("service {}: port {} is {}; only TCP is balanced", api::key_of(service),
                       api::int_at(port, {"port"}), protocol),
           other_protocol_);
      return;
    }
    std::vector<Endpoint> backends;
    std::vector<std::string> same_port;
    const auto own = as_port(api::int_at(port, {"port"}));
    if (api && options_.api_server) {
      backends.push_back(*options_.api_server);
    } else {
      for (const PodEndpoint& pod : pods_) {
        if (!selects(service, pod) || pod.gone || pod.address.empty()) continue;
        const auto number = target_port(port, pod);
        if (number && number == own) same_port.push_back(pod.address);
        if (number && serves(service, pod)) backends.push_back({.address = pod.address, .port = *number});
      }
    }
    if (own && net::is_loopback(cluster_ip)) {
      const Endpoint row{.address = cluster_ip, .port = *own};
      table_.rows.try_emplace(row, backends);
      if (!same_port.empty()) table_.same_port.try_emplace(row, std::move(same_port));
    }
    if (const auto number = as_port(api::int_at(port, {"nodePort"}))) {
      table_.rows.try_emplace({.address = options_.node_port_address, .port = *number}, backends);
    }
  }

  // One example of a kind is enough to tell.
  void note(std::string text, bool& told) {
    if (!told) table_.notes.push_back(std::move(text));
    told = true;
  }

  std::span<const PodEndpoint> pods_;
  const ServiceOptions& options_;
  ServiceTable table_;
  bool outside_ = false, other_protocol_ = false;
};

}  // namespace

ServiceTable service_table(std::span<const text::Object* const> services, std::span<const PodEndpoint> pods,
                           const ServiceOptions& options) {
  Builder builder(pods, options);
  for (const text::Object* service : services) builder.add(*service);
  if (options.host_ports) builder.add_host_ports();
  return builder.take();
}

}  // namespace basalt::node
