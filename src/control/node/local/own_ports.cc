#include "control/node/local/own_ports.h"

#include <netinet/in.h>

#include <algorithm>
#include <string_view>

#include "kube/api/views/pod_view.h"

namespace basalt::node {

std::vector<DeclaredPort> declared_ports(const text::Object& pod) {
  const auto spec = api::PodView(pod).spec();
  std::vector<DeclaredPort> declared;
  for (const auto& containers : {spec.containers(), spec.init_containers()}) {
    for (const api::ContainerView container : containers) {
      for (const api::ContainerPortView port : container.ports()) {
        const int64_t number = port.container_port();
        const std::string_view protocol = port.protocol();
        const bool tcp = protocol.empty() || protocol == "TCP";
        if (number < 1 || number > UINT16_MAX || (!tcp && protocol != "UDP")) continue;
        declared.push_back({.number = static_cast<uint16_t>(number),
                            .protocol = static_cast<uint16_t>(tcp ? IPPROTO_TCP : IPPROTO_UDP)});
      }
    }
  }
  std::ranges::sort(declared);
  const auto again = std::ranges::unique(declared);
  declared.erase(again.begin(), again.end());
  return declared;
}

}  // namespace basalt::node
