#include "control/node/local/namespace_support.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <optional>
#include <sstream>
#include <utility>

#include "control/node/local/container_launch.h"
#include "control/node/local/container_root.h"
#include "kube/text/read_file.h"

namespace basalt::node {
namespace {

// Why it does not work; nothing when it does.
std::optional<Error> trouble_with(ForkServer& fork_server, const std::filesystem::path& stage,
                                  const NamespaceSupport& namespace_support,
                                  const std::optional<std::filesystem::path>& root) {
  const auto request = trial_request(stage, namespace_support, root);
  if (!request) return request.error();
  const auto tried = launch(fork_server, *request, {}, -1);
  if (tried) return std::nullopt;
  return explain(tried.error(), *request, stage);
}

std::string identity(unsigned number) { return std::to_string(number) + " " + std::to_string(number) + " 1"; }

}  // namespace

Result<StartRequest> trial_request(const std::filesystem::path& stage, const NamespaceSupport& namespace_support,
                                   const std::optional<std::filesystem::path>& root) {
  StartRequest request;
  request.only_try = true;
  if (namespace_support.namespaces == 0) return request;
  const ContainerRootOptions wish{.mounts = {},
                                  .root = root,
                                  .stage = stage,
                                  .directory = "",
                                  .process_namespace = namespace_support.process_namespace,
                                  .hidden = {},
                                  .is_root = namespace_support.is_root(),
                                  .security = {}};
  auto steps = plan_root(wish);
  if (!steps) return std::unexpected(steps.error());
  request.steps = std::move(*steps);
  request.stage = stage.string();
  request.uid_map = namespace_support.uid_map;
  request.gid_map = namespace_support.gid_map;
  request.namespaces = namespace_support.namespaces;
  return request;
}

NamespaceSupport find_namespace_support(ForkServer& fork_server, const std::filesystem::path& stage) {
  constexpr int kPlain = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC;
  NamespaceSupport as_we_are{.namespaces = kPlain};
  NamespaceSupport as_user{
      .namespaces = kPlain | CLONE_NEWUSER, .uid_map = identity(::geteuid()), .gid_map = identity(::getegid())};
  std::string why;
  for (NamespaceSupport namespace_support : {as_we_are, as_user}) {
    for (const bool processes : {true, false}) {
      namespace_support.process_namespace = processes;
      namespace_support.namespaces = (namespace_support.namespaces & ~CLONE_NEWPID) | (processes ? CLONE_NEWPID : 0);
      const auto trouble = trouble_with(fork_server, stage, namespace_support, std::nullopt);
      if (trouble) {
        if (why.find(trouble->message) == std::string::npos) why += (why.empty() ? "" : "; ") + trouble->message;
        continue;
      }
      // An image's root is tried with a directory that every machine has.
      const auto no_overlay = trouble_with(fork_server, stage, namespace_support, "/usr");
      namespace_support.overlay = !no_overlay;
      namespace_support.why_not = no_overlay ? no_overlay->message : "";
      return namespace_support;
    }
  }
  NamespaceSupport none;
  none.why_not = why;
  return none;
}

bool has_other_users() {
  constexpr size_t kMaxMapBytes = size_t{64} * 1024;
  constexpr int64_t kFewUsers = 1000;
  const auto map = text::read_file("/proc/self/uid_map", kMaxMapBytes);
  if (!map) return true;
  std::istringstream lines(*map);
  int64_t users = 0;
  for (int64_t inside = 0, outside = 0, count = 0; lines >> inside >> outside >> count;) users += count;
  return users >= kFewUsers;
}

}  // namespace basalt::node
