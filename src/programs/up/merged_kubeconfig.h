// The user's own kubeconfig with an entry for our cluster, so that plain `kubectl` uses it, as kind and minikube do.
//
// 1. Cluster, user and context have one name, and the context becomes the current one; which one was current before is
//    kept in an extension of ours, and comes back when the entry is removed.
// 2. Nothing else in the file changes (comments are lost, as when kubectl writes it). A context of that name that is
//    not ours is never replaced. The whole file or the former one, mode 0600; a link's target is written, not the link.
// 3. FILE.lock is held meanwhile, as kubectl does: two who write do not undo each other.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace basalt::up {

// Where kubectl looks first: the first file of $KUBECONFIG, else ~/.kube/config. nullopt: there is no home either.
[[nodiscard]] std::optional<std::filesystem::path> users_kubeconfig(
    const std::function<std::string(const std::string& name)>& environment);

// Takes the (only) cluster and user of the kubeconfig text `of_cluster` into `file` under `name`.
[[nodiscard]] Result<void> merge_into(const std::filesystem::path& file, std::string_view name,
                                      std::string_view of_cluster);

// Removes the entry of that name if it is ours. A file that is not there has none.
[[nodiscard]] Result<void> remove_from(const std::filesystem::path& file, std::string_view name);

}  // namespace basalt::up
