#include "control/node/local/local_node_parts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <set>
#include <system_error>
#include <utility>

#include "base/fingerprint.h"
#include "control/node/local/leftover_processes.h"
#include "control/node/local/machine_info.h"

namespace basalt::node {
namespace {

namespace fs = std::filesystem;

Result<void> make_directory(fs::path& path, std::string_view what) {
  std::error_code error;
  path = fs::absolute(path, error);
  if (!error) fs::create_directories(path, error);
  if (!error) fs::permissions(path, fs::perms::owner_all, error);
  if (!error) path = fs::canonical(path, error);  // mounts are made without following links
  if (!error) return {};
  return failure(ErrorCode::Io,
                 fmt::format("the node's {} \"{}\" cannot be used: {}", what, path.string(), error.message()));
}

GpuAllocator devices_of(const LocalNodeOptions& options) {
  const auto given = options.capacity.find(kGpuResource);
  if (given != options.capacity.end()) return GpuAllocator::counted(given->second.value());
  return GpuAllocator(detect_gpus());
}

void tell_limits(const LocalNodeOptions& options, const HostFeatures& can) {
  if (!options.log) return;
  if (!can.mounts) {
    options.log(true, "pods run as our own user on the files of this machine, and can read the state directory");
  }
  if (!can.own_ports) {
    options.log(true, "pods share the ports of this machine: two that listen on one port of 0.0.0.0 clash (" +
                          can.why_no_own_ports + ")");
  } else if (can.own_ports_cost_privileges) {
    options.log(true,
                "only pods with allowPrivilegeEscalation: false have ports of their own; others share those of this "
                "machine (run as root, or permit user namespaces)");
  }
  for (const std::string& why : {can.why_no_mounts, can.why_no_cgroups, can.why_no_image_roots}) {
    if (!why.empty()) options.log(true, why);
  }
}

// But for those that can be taken over.
void end_leftovers(const LocalNodeOptions& options, const std::string& marker, const Processes& processes) {
  std::set<std::string, std::less<>> spared;
  for (const DetachedProcess& kept : processes.kept()) spared.insert(kept.marker);
  const size_t left = kill_leftover_processes(marker, spared);
  if (!options.log) return;
  if (left > 0) options.log(true, fmt::format("killed {} processes that a former node left", left));
  if (!spared.empty()) options.log(false, fmt::format("{} containers of a former node are taken over", spared.size()));
}

}  // namespace

Result<LocalNodeParts> make_local_node_parts(LocalNodeOptions& options) {
  if (options.name.empty()) options.name = machine_name();
  for (auto& [path, what] : {std::pair(&options.directory, "directory"), std::pair(&options.logs, "log directory")}) {
    if (auto made = make_directory(*path, what); !made) return std::unexpected(std::move(made.error()));
  }
  options.hidden.push_back(options.directory);
  options.hidden.push_back(options.logs);
  ImageMappings images;
  if (!options.images_file.empty()) {
    auto read = ImageMappings::read(options.images_file);
    if (!read) return std::unexpected(std::move(read.error()));
    images = std::move(*read);
  }
  auto addresses = PodAddressPool::make(options.pod_network);
  if (!addresses) return std::unexpected(addresses.error().within("pod network"));

  // Ours alone: no other node has this directory.
  std::string marker = fmt::format("{:016x}/", Fingerprint().add(options.directory.string()).value());
  auto processes = Processes::make({.directory = run_directory(options.directory),
                                    .clock = options.clock,
                                    .own_ports = options.own_ports != OwnPorts::None,
                                    .hidden = options.hidden,
                                    .cgroup = {}});
  if (!processes) return std::unexpected(std::move(processes.error()));
  end_leftovers(options, marker, **processes);
  auto interrupt = net::Interrupt::make();
  if (!interrupt) return std::unexpected(std::move(interrupt.error()));
  auto balancer = net::TcpLoadBalancer::start({});
  if (!balancer) return std::unexpected(std::move(balancer.error()));
  tell_limits(options, (*processes)->capabilities());

  GpuAllocator devices = devices_of(options);
  LocalNodeReconcilerOptions reconciler{.clock = options.clock};
  reconciler.node = {.name = options.name, .runtime = "local", .labels = options.labels};
  reconciler.node.capacity = machine_capacity(options.directory, devices.total(), options.capacity);
  reconciler.node.address = kLocalAddress;
  reconciler.node.info = machine_info();
  reconciler.machine.back_off = options.back_off;
  reconciler.can = (*processes)->capabilities();
  reconciler.services.api_server = options.api_server;
  const bool all_pods = reconciler.can.own_ports && !reconciler.can.own_ports_cost_privileges;
  reconciler.own_ports = all_pods ? options.own_ports : OwnPorts::None;
  reconciler.services.host_ports = all_pods;  // declared ones are their pods' own
  reconciler.log = options.log;
  ContainerDefaults defaults{.host = {.variables = host_variables(), .api_address = {}, .api_port = {}},
                             .images = std::move(images),
                             .logs = options.logs,
                             .marker_prefix = std::move(marker)};
  if (options.api_server) {
    defaults.host.api_address = options.api_server->address;
    defaults.host.api_port = std::to_string(options.api_server->port);
  }
  defaults.mounts = (*processes)->capabilities().mounts;
  defaults.is_root = geteuid() == 0;
  defaults.own_ports = options.own_ports;
  defaults.outlives = options.keep_pods;
  if (options.log) defaults.log = [log = options.log](const std::string& line) { log(true, line); };
  return LocalNodeParts{.processes = std::move(*processes),
                        .interrupt = std::move(*interrupt),
                        .balancer = std::move(*balancer),
                        .defaults = std::move(defaults),
                        .reconciler = std::move(reconciler),
                        .addresses = std::move(*addresses),
                        .devices = std::move(devices)};
}

}  // namespace basalt::node
