// A container's own /dev, and what of /proc and /sys it is not to touch: steps of its root (container_root.h).
#pragma once

#include <string>
#include <vector>

#include "control/node/local/start_request.h"

namespace basalt::node {

inline constexpr size_t kMaxHostDevices = 4'096;  // entries of the host's /dev that are looked at

struct DevDirectoryOptions {
  std::string top;        // the new root, as a path of the host; it has a directory "dev"
  bool host_ipc = false;  // /dev/shm is the host's
  bool is_root = false;   // there is a group for terminals
};

// An empty /dev with null, zero, full, random, urandom and tty of the host, terminals and shared memory of its own, and
// what computing needs of the host: devices called nvidia…, dri, kfd, accel, infiniband. No disks, no memory, no
// terminals of the machine.
void add_devices(const DevDirectoryOptions& dev_options, std::vector<RootStep>& steps);

// Over a new /proc: what changes the machine can be read only, what tells about its memory and keys is empty. Only what
// the host has.
void add_proc_masks(const std::string& top, std::vector<RootStep>& steps);

}  // namespace basalt::node
