// Whether this machine lets a supervisor answer its container's socket calls (socket_call_server.h), found by trying
// it.
#pragma once

#include <filesystem>
#include <optional>

#include "base/result.h"
#include "control/node/local/fork_server.h"
#include "control/node/local/namespace_support.h"
#include "control/node/local/pod_socket_rules.h"

namespace basalt::node {

// Why not; nothing when it does. A container is started as real ones are, as another user where `other_users`, and with
// no_new_privs where `no_new_privileges`. Cost: some milliseconds. `stage` is an empty directory of ours.
[[nodiscard]] std::optional<Error> try_socket_rules(ForkServer& fork_server, const std::filesystem::path& stage,
                                                    const NamespaceSupport& namespace_support, bool other_users,
                                                    bool no_new_privileges);

// The trial container's part: listens on all addresses and connects to 127.0.0.1. 0: both led to addresses.pod, else an
// errno. Safe after a fork.
[[nodiscard]] int make_trial_calls(const PodAddresses& addresses);

}  // namespace basalt::node
