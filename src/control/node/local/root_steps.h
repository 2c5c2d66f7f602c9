// Carries out the steps of a container's root: each is a system call or two.
//
// What lies below the stage may be somebody's: a volume of the pod, whose processes exchange directories and links at
// this very moment, or a directory of the host that others may write to. So every path below the stage is opened
// beneath it without following links (open_beneath.h), and what is made or mounted is made or mounted on the
// descriptor. So are the sources of binds. A bind is prepared in a place that only we see (kHoldDirectory, kHoldFile in
// the stage), made read-only there, and then moved to where it belongs: there is no moment in which a container could
// see it otherwise.
//
// Runs in a supervisor (container_supervisor.h): only system calls on memory that is there.
#pragma once

#include "control/node/local/start_request.h"

namespace basalt::node {

// In the stage until Enter.
inline constexpr char kHoldDirectory[] = "/.basalt-directory";
inline constexpr char kHoldFile[] = "/.basalt-file";

// 0, or the errno. Texts lie at `base` plus their offset. `stage`: an absolute path without links that is ours alone.
// Requires: the caller is in a mount namespace of its own, and /proc is there.
[[nodiscard]] int run_root_step(const RequestStep& step, const char* base, const char* stage);

// Does this kernel make a whole tree of mounts read-only (Linux 5.12)?
[[nodiscard]] bool has_read_only_trees();

}  // namespace basalt::node
