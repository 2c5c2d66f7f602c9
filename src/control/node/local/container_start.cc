#include "control/node/local/container_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "control/node/local/downward_api.h"
#include "control/node/local/security_context.h"
#include "control/node/local/volume_mounts.h"
#include "kube/api/object_fields.h"
#include "kube/api/rules/resource_checks.h"
#include "kube/api/views/pod_view.h"

namespace basalt::node {
namespace {

std::unexpected<StartProblem> not_yet(const Error& error) {
  return std::unexpected(
      StartProblem{.configuration = true, .reason = "CreateContainerConfigError", .message = error.message});
}

int64_t limit(api::ContainerView container, std::string_view resource, bool milli) {
  const text::Value* value = container.resources().limits()[resource];
  if (value == nullptr) return 0;
  const text::Quantity amount = api::rules::amount_of(*value);
  return milli ? amount.milli_value() : amount.value();
}

std::vector<std::string> environment_list(const Environment& environment, const ImageStart& image,
                                          const std::vector<std::string>& extra) {
  Variables all = environment.all;
  for (const auto& [key, value] : image.environment) {
    if (!environment.declared.contains(key)) all[key] = value;
  }
  std::vector<std::string> list;
  for (const std::string& one : extra) {
    const size_t at = one.find('=');
    if (at != std::string::npos) all[one.substr(0, at)] = one.substr(at + 1);
  }
  list.reserve(all.size());
  for (const auto& [key, value] : all) list.push_back(key + "=" + value);
  return list;
}

// What the container says goes before what the pod says.
std::optional<StartProblem> put_user(const ContainerDefaults& defaults, api::PodView pod, api::ContainerView container,
                                     ProcessSpec& process) {
  const api::SecurityContextView own = container.security_context();
  const api::PodSecurityContextView shared = pod.spec().security_context();
  process.uid = own.run_as_user() ? own.run_as_user() : shared.run_as_user();
  process.gid = own.run_as_group() ? own.run_as_group() : shared.run_as_group();
  if (!own.run_as_non_root().value_or(shared.run_as_non_root().value_or(false))) return std::nullopt;
  if (process.uid ? *process.uid != 0 : !defaults.is_root) return std::nullopt;
  return StartProblem{.configuration = true,
                      .reason = "CreateContainerConfigError",
                      .message = "container has runAsNonRoot and would run as root (set securityContext.runAsUser)"};
}

// Requires: the pod is not on the host's network.
void put_own_ports(const ContainerDefaults& defaults, const PodInputs& inputs, ProcessSpec& process) {
  if (defaults.own_ports == OwnPorts::None) return;
  if (defaults.own_ports == OwnPorts::Declared) {
    process.own_ports = declared_ports(inputs.pod->get_object());
    if (process.own_ports->empty()) return;
  }
  process.address = inputs.place.pod_address;
}

// The file of its last words, unless a volume of the pod is there, or all of the machine's /dev is.
void put_termination(const ContainerDefaults& defaults, ContainerStart& start) {
  TerminationFile& termination = start.termination;
  ProcessSpec& process = start.process;
  const bool taken =
      std::ranges::any_of(process.mounts, [&](const Mount& mount) { return mount.target == termination.path; });
  const bool of_the_machine = process.security.host_devices && termination.path.starts_with("/dev/");
  if (!defaults.mounts || taken || of_the_machine) termination.file.clear();
  if (termination.file.empty()) return;
  process.mounts.push_back({.source = termination.file, .below = {}, .target = termination.path});
}

}  // namespace

std::filesystem::path log_directory(const std::filesystem::path& logs, const text::Object& pod) {
  return logs / std::string(api::namespace_of(pod)) / std::string(api::name_of(pod));
}

std::expected<ContainerStart, StartProblem> container_start(const ContainerDefaults& defaults, const PodInputs& inputs,
                                                            const text::Object& object, const PodVolumes& volumes,
                                                            const std::filesystem::path& pod_directory) {
  const text::Object& pod_object = inputs.pod->get_object();
  const api::PodView pod(pod_object);
  const api::ContainerView container(object);
  const std::string name(container.name());
  const auto environment = make_environment(pod_object, object, defaults.host, inputs.place, inputs.lookup());
  if (!environment) return not_yet(environment.error());
  const auto words = command_line(object, *environment);
  if (!words) return not_yet(words.error());
  auto image = defaults.images.start_of(container.image(), words->command, words->args);
  if (!image) {
    return std::unexpected(
        StartProblem{.configuration = true, .reason = "CreateContainerError", .message = image.error().message});
  }
  auto mounts = volume_mounts_of(object, volumes, environment->declared);
  if (!mounts) return not_yet(mounts.error());
  if (!inputs.devices_note.empty()) {
    return std::unexpected(
        StartProblem{.configuration = true, .reason = "UnexpectedAdmissionError", .message = inputs.devices_note});
  }

  ContainerStart start{
      .process = {.argv = std::move(image->argv)}, .variables = environment->declared, .notes = environment->notes};
  ProcessSpec& process = start.process;
  process.root = image->root;
  process.mounts = std::move(*mounts);
  process.directory = container.working_dir();
  if (process.directory.empty()) process.directory = image->working_directory;
  if (!pod.spec().host_network()) {
    process.hostname = hostname_of(pod_object);
    put_own_ports(defaults, inputs, process);
  }
  const std::filesystem::path hosts = pod_directory / "hosts";
  if (defaults.mounts) process.hosts_file = hosts;
  std::vector<std::string> extra;
  if (!defaults.mounts) extra.push_back(std::string(kHostsFileVariable) + "=" + hosts.string());
  if (const auto devices = inputs.device_variables.find(name); devices != inputs.device_variables.end()) {
    extra.insert(extra.end(), devices->second.begin(), devices->second.end());
  }
  process.environment = environment_list(*environment, *image, extra);
  process.log = log_directory(defaults.logs, pod_object) / (name + ".log");
  process.limits = {.cpu_millis = limit(container, "cpu", true), .memory_bytes = limit(container, "memory", false)};
  process.marker = fmt::format("{}{}/{}", defaults.marker_prefix, pod.metadata().uid(), name);
  process.security = security_of(pod_object, object);
  if (auto problem = put_user(defaults, pod, container, process)) return std::unexpected(std::move(*problem));
  start.termination = termination_of(object, pod_directory, process.log);
  put_termination(defaults, start);
  return start;
}

}  // namespace basalt::node
