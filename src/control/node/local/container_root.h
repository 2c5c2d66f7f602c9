// A container's view of the file system, as a list of steps that a supervisor does in a mount namespace of its own.
//
// On the host's files ("root" is not given): a tmpfs becomes "/", into which every entry of the host's "/" is bound, so
// that a mount path like /data can be made without touching the host. Where a mount path lies below a directory of the
// host and does not exist there, that directory is covered in the same way: a tmpfs with its entries bound in (what the
// entries hold stays the host's; what is newly made beside them is the container's alone). Directories with more than
// kMaxBoundEntries entries get an overlay instead, whose changes are the container's alone.
// On an image's root: an overlay over it, written to in memory, with the host's /dev and /sys.
//
// In both: /proc is new where processes have a namespace of their own, /dev has the few devices that are harmless and
// those for computing (container_devices.h), /sys is read-only, what is hidden is an empty directory or file wherever
// it would be seen, and the container sees no trace of the host's former "/".
//
// The planning only reads the host's directories. What is planned is a path at a time when others may be changing it:
// the steps open it again without following links, and fail when it is another (root_steps.h). Cost: O(mounts +
// entries bound).
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "control/node/local/process.h"
#include "control/node/local/start_request.h"

namespace basalt::node {

inline constexpr size_t kMaxRootMounts = 1000;
inline constexpr size_t kMaxBoundEntries = 512;

struct ContainerRootOptions {
  std::span<const Mount> mounts;
  std::optional<std::filesystem::path> root;
  std::filesystem::path stage;          // an empty directory of ours, where the new root is built
  std::string directory;                // made in an image's root when it is not there; "": none
  bool process_namespace = true;        // mount a new /proc
  std::span<const std::string> hidden;  // canonical paths of the host (hidden_paths.h)
  bool is_root = false;                 // we are: what the kernel would let root do by /proc is masked
  ProcessSecurity security;
};

// An error (Invalid or NotFound) names the mount: a source that does not exist, a path that is not absolute or is "/",
// a file over a directory, a path in what is hidden.
[[nodiscard]] Result<std::vector<RootStep>> plan_root(const ContainerRootOptions& root_options);

// What a step does, for a message: "mount /a at /b".
[[nodiscard]] std::string describe(const RootStep& step, const std::filesystem::path& stage);

}  // namespace basalt::node
