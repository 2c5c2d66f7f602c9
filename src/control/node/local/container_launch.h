// One request to the fork server, up to the moment when the program runs or the reason why it does not.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "control/node/local/descriptor.h"
#include "control/node/local/fork_server.h"
#include "control/node/local/start_request.h"

namespace basalt::node {

// What we hold of a running container.
struct LaunchedContainer {
  Descriptor control_socket;  // closing it kills the container, unless that outlives us
  Descriptor supervisor;      // a pidfd
  Descriptor out, err;        // reading ends, not blocking; closed where the caller has them
};

struct LaunchFailure {
  StartStage stage = StartStage::Clone;
  uint32_t step = 0;
  int error = 0;
  std::string other;  // instead of `error`
};

// What the program's first descriptors are.
struct LaunchInputs {
  std::string_view input;                   // for stdin
  std::array<int, 3> stdio = {-1, -1, -1};  // as ProcessSpec::stdio
  int listener = -1, spool = -1;            // both: it outlives us (detached_files.h), and stdio is not given
};

// Waits for the supervisor's first report, at most kMaxStartWait. `join`: the pidfd whose namespaces the request joins,
// or -1. Any thread. Requires: the request's namespaces are 0 where it joins nothing and none are to be made.
[[nodiscard]] std::expected<LaunchedContainer, LaunchFailure> launch(ForkServer& fork_server,
                                                                     const StartRequest& request,
                                                                     const LaunchInputs& given, int join);

// For a person: what failed, with what to do where we know it.
[[nodiscard]] Error explain(const LaunchFailure& trouble, const StartRequest& request,
                            const std::filesystem::path& stage);

}  // namespace basalt::node
