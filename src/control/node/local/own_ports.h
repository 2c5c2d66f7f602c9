// Which ports of a pod of the local node are its own; all others are the machine's.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "kube/text/json.h"

namespace basalt::node {

// Declared: those that a container of the pod names in `ports`. Programs that take ports as they come and tell others
// the machine's interface addresses (Open MPI) are reached there.
enum class OwnPorts : uint8_t { None, Declared, All };

struct DeclaredPort {
  uint16_t number = 0;
  uint16_t protocol = 0;  // IPPROTO_TCP or IPPROTO_UDP
  friend constexpr auto operator<=>(DeclaredPort, DeclaredPort) = default;
};

// Those of all containers of the pod, init containers included, for each of them: they share its addresses. (Ephemeral
// containers cannot have any.) Sorted, each once; SCTP is left out. Cost: O(n log n).
[[nodiscard]] std::vector<DeclaredPort> declared_ports(const text::Object& pod);

}  // namespace basalt::node
