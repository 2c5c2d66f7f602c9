// Ports of the node itself that containers ask for.
#pragma once

#include <algorithm>
#include <span>

#include "engine/model/pod_shape.h"

namespace basalt::model {

// Two claims collide if protocol and port are equal and the addresses are, or one of them is `any_ip` ("0.0.0.0").
inline bool ports_collide(const HostPort& a, const HostPort& b, NameId any_ip) {
  return a.port == b.port && a.protocol == b.protocol && (a.ip == b.ip || a.ip == any_ip || b.ip == any_ip);
}

// Cost: wanted × used; both are small.
inline bool any_port_collides(std::span<const HostPort> wanted, std::span<const HostPort> used, NameId any_ip) {
  return std::any_of(wanted.begin(), wanted.end(), [&](const HostPort& w) {
    return std::any_of(used.begin(), used.end(), [&](const HostPort& u) { return ports_collide(w, u, any_ip); });
  });
}

}  // namespace basalt::model
