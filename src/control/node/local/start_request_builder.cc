#include "control/node/local/start_request_builder.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <ranges>

#include "control/node/local/container_root.h"
#include "control/node/local/system_call_filter.h"
#include "kube/net/ipv4.h"

namespace basalt::node {
namespace {

constexpr size_t kMaxPathDirectories = 256;
constexpr size_t kMaxHostname = 64;

Result<void> check_texts(const ProcessSpec& spec) {
  if (spec.argv.empty() || spec.argv.front().empty()) return invalid("no command is given");
  size_t bytes = spec.input.size() + spec.directory.size() + spec.marker.size();
  for (const auto* list : {&spec.argv, &spec.environment}) {
    for (const std::string& text : *list) {
      if (text.find('\0') != std::string::npos) {
        return invalid("the command and the environment cannot hold a NUL character");
      }
      bytes += text.size() + sizeof(uint64_t) + 1;
    }
  }
  if (spec.directory.find('\0') != std::string::npos || spec.marker.find('\0') != std::string::npos) {
    return invalid("the working directory cannot hold a NUL character");
  }
  if ((spec.stdio[1] < 0) != (spec.stdio[2] < 0)) return invalid("stdout and stderr are given together");
  if (bytes > kMaxStartRequest) {
    return invalid("command, environment and input have " + std::to_string(bytes) + " bytes; " +
                   std::to_string(kMaxStartRequest) + " are allowed");
  }
  return {};
}

// -1: nothing to change.
Result<int64_t> identity(std::optional<int64_t> wanted, int64_t ours, const char* field, const HostFeatures& can) {
  if (!wanted || *wanted == ours) return -1;
  if (*wanted < 0 || *wanted > 0xFFFF'FFFELL) return invalid(std::string(field) + " is out of range");
  if (can.other_users) return *wanted;
  return failure(ErrorCode::Unsupported, std::string(field) + " " + std::to_string(*wanted) +
                                             " needs a node that runs as root; this one runs as " +
                                             std::to_string(ours));
}

Result<void> add_root(const ProcessSpec& spec, const StartEnvironment& place, StartRequest& request) {
  const HostFeatures& can = place.capabilities;
  if (!can.mounts) {
    if (!spec.mounts.empty()) return failure(ErrorCode::Unsupported, can.why_no_mounts);
    if (spec.root) return failure(ErrorCode::Unsupported, can.why_no_image_roots);
    return {};
  }
  if (spec.root && !can.image_roots) return failure(ErrorCode::Unsupported, can.why_no_image_roots);
  std::vector<Mount> mounts = spec.mounts;
  // First among equal paths: a volume of the pod at /etc/hosts hides ours.
  if (!spec.hosts_file.empty()) {
    mounts.insert(mounts.begin(), Mount{.source = spec.hosts_file, .target = "/etc/hosts"});
  }
  std::error_code error;
  const std::filesystem::path names = std::filesystem::canonical("/etc/resolv.conf", error);
  if (spec.root && !error) {
    mounts.insert(mounts.begin(), Mount{.source = names, .target = "/etc/resolv.conf", .read_only = true});
  }
  ProcessSecurity security = spec.security;
  security.read_only_root = security.read_only_root && can.read_only_roots;
  security.host_devices = security.host_devices && can.other_users;
  auto steps = plan_root({.mounts = mounts,
                          .root = spec.root,
                          .stage = place.stage,
                          .directory = spec.directory,
                          .process_namespace = place.namespace_support.process_namespace,
                          .hidden = place.hidden,
                          .is_root = place.namespace_support.is_root(),
                          .security = std::move(security)});
  if (!steps) return std::unexpected(steps.error());
  request.stage = place.stage.string();
  request.steps = std::move(*steps);
  request.uid_map = place.namespace_support.uid_map;
  request.gid_map = place.namespace_support.gid_map;
  request.hostname = spec.hostname.substr(0, kMaxHostname);
  return {};
}

// What the machine does not permit is left out: who asked for it is told beforehand (security_context.h).
void add_privileges(const ProcessSecurity& security, const StartEnvironment& place, StartRequest& request) {
  const HostFeatures& can = place.capabilities;
  request.sets_groups = can.other_users;
  if (can.other_users) request.groups = security.groups;
  // In a user namespace, too, which has capabilities of its own: to take away what is mounted over another.
  const bool may_limit = (can.bounding & capability_bit(CAP_SETPCAP)) != 0;
  request.limits_capabilities = (can.other_users && may_limit) || !place.namespace_support.uid_map.empty();
  request.capabilities = security.capabilities;
  request.no_new_privileges = security.no_new_privileges;
  if (!security.filtered || !can.filters) return;
  request.filter = default_filter(security.capabilities);
  // Who has no capability for it must give up privileges to be allowed a filter.
  if (!can.other_users && place.namespace_support.uid_map.empty()) request.no_new_privileges = true;
}

// Requires: add_privileges() was called.
void add_socket_rules(const ProcessSpec& spec, const HostFeatures& can, StartRequest& request) {
  if (!can.own_ports || (can.own_ports_cost_privileges && !request.no_new_privileges)) return;
  if (spec.own_ports && spec.own_ports->empty()) return;
  const auto address = net::parse_ipv4(spec.address);
  const auto addresses = address ? pod_addresses(*address) : std::nullopt;
  if (!addresses) return;
  request.addresses = *addresses;
  request.own_ports = spec.own_ports;
  request.socket_filter = socket_call_filter();
}

}  // namespace

std::vector<std::string> program_paths(const std::string& program, std::span<const std::string> environment) {
  if (program.find('/') != std::string::npos) return {program};
  std::string_view path = kDefaultPath;
  for (const std::string& variable : environment) {
    if (variable.starts_with("PATH=")) path = std::string_view(variable).substr(5);
  }
  std::vector<std::string> paths;
  while (!path.empty() && paths.size() < kMaxPathDirectories) {
    const size_t end = std::min(path.find(':'), path.size());
    const std::string directory(end == 0 ? "." : path.substr(0, end));
    paths.push_back(directory + "/" + program);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return paths;
}

Result<StartRequest> make_start_request(const ProcessSpec& spec, const StartEnvironment& place) {
  if (auto texts = check_texts(spec); !texts) return std::unexpected(texts.error());
  StartRequest request;
  request.argv = spec.argv;
  request.environment = spec.environment;
  if (!spec.marker.empty()) request.environment.push_back(std::string(kMarkerVariable) + "=" + spec.marker);
  request.programs = program_paths(spec.argv.front(), spec.environment);
  if (!spec.directory.empty()) request.directory = spec.directory;
  const auto uid = identity(spec.uid, ::geteuid(), "runAsUser", place.capabilities);
  if (!uid) return std::unexpected(uid.error());
  const auto gid = identity(spec.gid, ::getegid(), "runAsGroup", place.capabilities);
  if (!gid) return std::unexpected(gid.error());
  request.uid = *uid;
  request.gid = *gid;
  request.namespaces = place.namespace_support.namespaces & ~(spec.security.host_ipc ? CLONE_NEWIPC : 0);
  add_privileges(spec.security, place, request);
  add_socket_rules(spec, place.capabilities, request);
  if (spec.inside) {
    request.joins = true;
    return request;
  }
  if (auto root = add_root(spec, place, request); !root) return std::unexpected(root.error());
  return request;
}

}  // namespace basalt::node
