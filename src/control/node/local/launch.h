// One order to the nursery, up to the moment when the program runs or the reason why it does not.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "control/node/local/descriptor.h"
#include "control/node/local/nursery.h"
#include "control/node/local/start_order.h"

namespace basalt::node {

// What we hold of a running container.
struct Launched {
  Descriptor leash;     // closing it kills the container, unless that outlives us
  Descriptor shepherd;  // a pidfd
  Descriptor out, err;  // reading ends, not blocking; closed where the caller has them
};

struct LaunchTrouble {
  StartStage stage = StartStage::Clone;
  uint32_t step = 0;
  int error = 0;
  std::string other;  // instead of `error`
};

// What the program's first descriptors are.
struct LaunchInputs {
  std::string_view input;                   // for stdin
  std::array<int, 3> stdio = {-1, -1, -1};  // as ProcessSpec::stdio
  int listener = -1, spool = -1;            // both: it outlives us (kept_files.h), and stdio is not given
};

// Waits for the shepherd's first report, at most kMaxStartWait. `join`: the pidfd whose namespaces the order joins, or
// -1. Any thread. Requires: the order's namespaces are 0 where it joins nothing and none are to be made.
[[nodiscard]] std::expected<Launched, LaunchTrouble> launch(Nursery& nursery, const StartOrder& order,
                                                            const LaunchInputs& given, int join);

// For a person: what failed, with what to do where we know it.
[[nodiscard]] Error explain(const LaunchTrouble& trouble, const StartOrder& order, const std::filesystem::path& stage);

}  // namespace basalt::node
