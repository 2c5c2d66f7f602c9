// From what is wished (ProcessSpec) to what a shepherd does (StartOrder), on a machine that permits this much.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "control/node/local/ground.h"
#include "control/node/local/process.h"
#include "control/node/local/start_order.h"

namespace basalt::node {

struct StartPlace {
  const Ground& ground;
  const Capabilities& capabilities;
  std::filesystem::path stage;
  std::vector<std::string> hidden = {};  // paths of the host that no container sees (hidden_places.h)
};

// An error: the spec cannot be (Invalid), its files are missing (NotFound), or the machine does not permit it
// (Unsupported). Reads the host's directories where mounts are asked for.
[[nodiscard]] Result<StartOrder> make_order(const ProcessSpec& spec, const StartPlace& place);

// The paths to try for `program`, in order: itself when it has a '/', else in each directory of PATH.
[[nodiscard]] std::vector<std::string> program_paths(const std::string& program,
                                                     std::span<const std::string> environment);

}  // namespace basalt::node
