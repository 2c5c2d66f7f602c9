// A page or a connection that a hook or a probe asks for, as a kubelet does it: any certificate will do, an answer from
// 200 to 399 is good, redirects are not followed.
#pragma once

#include <memory>
#include <string>

#include "base/instant.h"
#include "control/node/local/pod_run_spec.h"
#include "kube/net/interrupt.h"

namespace basalt::node {

inline constexpr Duration kLongestHook = Duration::seconds(300);  // a hook that has no time limit gets this one

// "": good; otherwise what is wrong. Blocks up to `longest` (0: kLongestHook). `pod_address` is meant where the handler
// names no host. Requires: Http or Tcp.
[[nodiscard]] std::string probe_network(const LifecycleHandler& handler, const std::string& pod_address,
                                        Duration longest, const std::shared_ptr<const net::Interrupt>& interrupt);

}  // namespace basalt::node
