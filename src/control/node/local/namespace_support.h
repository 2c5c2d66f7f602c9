// What the machine under us permits, found by trying it once.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "control/node/local/fork_server.h"
#include "control/node/local/start_request.h"

namespace basalt::node {

struct NamespaceSupport {
  int namespaces = 0;            // CLONE_NEW… for every container; 0: none are permitted
  std::string uid_map, gid_map;  // for a user namespace of our own user; "": none is used
  bool process_namespace = false;
  bool overlay = false;
  // Containers have the rights of the machine's root, not of a user namespace's.
  [[nodiscard]] bool is_root() const { return ::geteuid() == 0 && uid_map.empty(); }
  std::string why_not;  // why there are no namespaces, or no process namespace or overlay
};

// Tries namespaces as we are, then in a user namespace; each with and without one for processes. Cost: a few
// milliseconds. `stage` is an empty directory of ours.
[[nodiscard]] NamespaceSupport find_namespace_support(ForkServer& fork_server, const std::filesystem::path& stage);

// Lays out a container and ends (StartRequest::only_try). An error: it cannot be.
[[nodiscard]] Result<StartRequest> trial_request(const std::filesystem::path& stage,
                                                 const NamespaceSupport& namespace_support,
                                                 const std::optional<std::filesystem::path>& root);

// Are there users besides ours in the user namespace that we are in? In one of our own making there are not.
[[nodiscard]] bool has_other_users();

}  // namespace basalt::node
