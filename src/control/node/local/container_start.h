// How a container of a pod becomes a process: environment, command line, image, volumes, user, limits in one spec.
//
// Reads and makes subPath directories, otherwise pure.
#pragma once

#include <expected>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "control/node/local/container_environment.h"
#include "control/node/local/hosts_file.h"
#include "control/node/local/image_mappings.h"
#include "control/node/local/pod_inputs.h"
#include "control/node/local/process.h"
#include "control/node/local/termination_message.h"
#include "control/node/local/volume_manager.h"

namespace basalt::node {

// What is the same for all containers of the node.
struct ContainerDefaults {
  NodeEnvironment host;
  ImageMappings images;
  std::filesystem::path logs;
  std::string marker_prefix;
  bool mounts = false;  // this machine permits them; otherwise the hosts file is told by a variable
  bool is_root = false;
  OwnPorts own_ports = OwnPorts::None;
  bool outlives = false;                             // containers go on when the node ends
  std::function<void(const std::string& line)> log;  // what is not quite as asked for; from any thread; may be empty
};

struct StartProblem {
  bool configuration = false;  // it may be gone the next time: something that the container refers to is not there
  std::string reason, message;
};

// What a container runs as, and what its hooks and probes need to know of it.
struct ContainerStart {
  ProcessSpec process;
  Variables variables;  // that commands of hooks and probes may name
  TerminationFile termination;
  std::vector<std::string> notes;  // of its environment
};

// `pod_directory`: of volume_manager.h. The log, its directory included, and the termination file are for the caller to
// make.
[[nodiscard]] std::expected<ContainerStart, StartProblem> container_start(const ContainerDefaults& defaults,
                                                                          const PodInputs& inputs,
                                                                          const text::Object& object,
                                                                          const PodVolumes& volumes,
                                                                          const std::filesystem::path& pod_directory);

// LOGS/<namespace>/<pod>: where its containers' logs are, as the API server reads them.
[[nodiscard]] std::filesystem::path log_directory(const std::filesystem::path& logs, const text::Object& pod);

}  // namespace basalt::node
