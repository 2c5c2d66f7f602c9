#include "control/node/local/service_variables.h"

#include <vector>

#include "base/ascii.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/member_access.h"

namespace basalt::node {
namespace {

struct Port {
  std::string name, protocol, number;
};
struct ServiceTarget {
  std::string name, address;
  std::vector<Port> ports;
};

std::string upper(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c == '-') c = '_';
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

std::string host_port(const std::string& address, const std::string& port) {
  return (address.contains(':') ? "[" + address + "]" : address) + ":" + port;
}

void add(const ServiceTarget& target, Variables& out) {
  if (target.ports.empty()) return;
  const std::string prefix = upper(target.name);
  out[prefix + "_SERVICE_HOST"] = target.address;
  out[prefix + "_SERVICE_PORT"] = target.ports.front().number;
  for (size_t i = 0; i < target.ports.size(); ++i) {
    const Port& port = target.ports[i];
    if (!port.name.empty()) out[prefix + "_SERVICE_PORT_" + upper(port.name)] = port.number;
    const std::string url = lower(port.protocol) + "://" + host_port(target.address, port.number);
    if (i == 0) out[prefix + "_PORT"] = url;
    const std::string link = prefix + "_PORT_" + port.number + "_" + upper(port.protocol);
    out[link] = url;
    out[link + "_PROTO"] = lower(port.protocol);
    out[link + "_PORT"] = port.number;
    out[link + "_ADDR"] = target.address;
  }
}

ServiceTarget target_of(const text::Object& service) {
  const text::Object& spec = api::rules::part_of(service, "spec");
  ServiceTarget target{.name = std::string(api::name_of(service)),
                       .address = std::string(api::string_at(spec, "clusterIP"))};
  api::rules::each_object(spec, "ports", [&](const text::Object& port, size_t) {
    const std::string_view protocol = api::string_at(port, "protocol");
    target.ports.push_back({.name = std::string(api::string_at(port, "name")),
                            .protocol = std::string(protocol.empty() ? "TCP" : protocol),
                            .number = std::to_string(api::int_at(port, {"port"}))});
  });
  return target;
}

}  // namespace

Variables service_variables(std::span<const text::Object* const> services, std::string_view ns, bool links,
                            std::string_view api_address, std::string_view api_port) {
  Variables out;
  // The API's own service first: a service of the pod's namespace that is called the same wins.
  if (!api_address.empty()) {
    add({.name = "kubernetes",
         .address = std::string(api_address),
         .ports = {{.name = "https", .protocol = "TCP", .number = std::string(api_port)}}},
        out);
  }
  const auto offer = [&](bool own) {
    for (const text::Object* service : services) {
      const bool here = api::namespace_of(*service) == ns;
      const bool api = api::namespace_of(*service) == "default" && api::name_of(*service) == "kubernetes";
      const ServiceTarget target = target_of(*service);
      if (target.address.empty() || target.address == "None") continue;
      if (own ? here && links && !api : api && api_address.empty()) add(target, out);
    }
  };
  offer(false);
  offer(true);
  return out;
}

}  // namespace basalt::node
