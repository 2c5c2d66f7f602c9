// The proxy that the environment asks for, by the rules of Go programs: HTTPS_PROXY and HTTP_PROXY by the server's
// scheme, unless NO_PROXY names the server; this machine itself is never reached through a proxy. Names in lower case
// count when those in upper case are not set.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "kube/client/host_environment.h"
#include "kube/client/rest_config.h"

namespace basalt::client {

[[nodiscard]] Result<std::optional<ProxyAddress>> proxy_from_environment(const ServerAddress& server,
                                                                         const HostEnvironment& host_environment);

// NO_PROXY: a list of "*", names ("example.org" and what is below it; ".example.org" only below), addresses, and
// networks ("10.0.0.0/8"), each name or address perhaps with a port.
[[nodiscard]] bool is_exempt(std::string_view no_proxy, std::string_view host, uint16_t port);

}  // namespace basalt::client
