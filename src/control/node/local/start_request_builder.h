// From what is wanted (ProcessSpec) to what a supervisor does (StartRequest), on a machine that permits this much.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "control/node/local/namespace_support.h"
#include "control/node/local/process.h"
#include "control/node/local/start_request.h"

namespace basalt::node {

struct StartEnvironment {
  const NamespaceSupport& namespace_support;
  const HostFeatures& capabilities;
  std::filesystem::path stage;
  std::vector<std::string> hidden = {};  // paths of the host that no container sees (hidden_paths.h)
};

// An error: the spec cannot be (Invalid), its files are missing (NotFound), or the machine does not permit it
// (Unsupported). Reads the host's directories where mounts are asked for.
[[nodiscard]] Result<StartRequest> make_start_request(const ProcessSpec& spec, const StartEnvironment& place);

// The paths to try for `program`, in order: itself when it has a '/', else in each directory of PATH.
[[nodiscard]] std::vector<std::string> program_paths(const std::string& program,
                                                     std::span<const std::string> environment);

}  // namespace basalt::node
