#include "control/node/local/ground.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <optional>
#include <sstream>
#include <utility>

#include "control/node/local/launch.h"
#include "control/node/local/pod_root.h"
#include "kube/text/file.h"

namespace basalt::node {
namespace {

// Why it does not work; nothing when it does.
std::optional<Error> trouble_with(Nursery& nursery, const std::filesystem::path& stage, const Ground& ground,
                                  const std::optional<std::filesystem::path>& root) {
  const RootWish wish{.mounts = {},
                      .root = root,
                      .stage = stage,
                      .directory = "",
                      .process_namespace = ground.process_namespace,
                      .hidden = {},
                      .is_root = ground.is_root(),
                      .security = {}};
  auto steps = plan_root(wish);
  if (!steps) return steps.error();
  StartOrder order;
  order.steps = std::move(*steps);
  order.stage = stage.string();
  order.uid_map = ground.uid_map;
  order.gid_map = ground.gid_map;
  order.namespaces = ground.namespaces;
  order.only_try = true;
  const auto tried = launch(nursery, order, {}, -1);
  if (tried) return std::nullopt;
  return explain(tried.error(), order, stage);
}

std::string identity(unsigned number) { return std::to_string(number) + " " + std::to_string(number) + " 1"; }

}  // namespace

Ground find_ground(Nursery& nursery, const std::filesystem::path& stage) {
  constexpr int kPlain = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC;
  Ground as_we_are{.namespaces = kPlain};
  Ground as_user{
      .namespaces = kPlain | CLONE_NEWUSER, .uid_map = identity(::geteuid()), .gid_map = identity(::getegid())};
  std::string why;
  for (Ground ground : {as_we_are, as_user}) {
    for (const bool processes : {true, false}) {
      ground.process_namespace = processes;
      ground.namespaces = (ground.namespaces & ~CLONE_NEWPID) | (processes ? CLONE_NEWPID : 0);
      const auto trouble = trouble_with(nursery, stage, ground, std::nullopt);
      if (trouble) {
        if (why.find(trouble->message) == std::string::npos) why += (why.empty() ? "" : "; ") + trouble->message;
        continue;
      }
      // An image's root is tried with a directory that every machine has.
      const auto no_overlay = trouble_with(nursery, stage, ground, "/usr");
      ground.overlay = !no_overlay;
      ground.why_not = no_overlay ? no_overlay->message : "";
      return ground;
    }
  }
  Ground none;
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
