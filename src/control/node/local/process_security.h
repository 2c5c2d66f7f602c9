// What a process of a container may do, as a securityContext says it (security_context.h reads one).
#pragma once

#include <linux/capability.h>
#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace basalt::node {

constexpr uint64_t capability_bit(int number) { return uint64_t{1} << static_cast<unsigned>(number); }

// What container runtimes give by default, but for CAP_MKNOD (there is no cgroup here that guards devices) and
// CAP_NET_RAW (pods share the machine's network, whose traffic it would show).
inline constexpr uint64_t kDefaultCapabilities =
    capability_bit(CAP_CHOWN) | capability_bit(CAP_DAC_OVERRIDE) | capability_bit(CAP_FOWNER) |
    capability_bit(CAP_FSETID) | capability_bit(CAP_KILL) | capability_bit(CAP_SETGID) | capability_bit(CAP_SETUID) |
    capability_bit(CAP_SETPCAP) | capability_bit(CAP_NET_BIND_SERVICE) | capability_bit(CAP_SYS_CHROOT) |
    capability_bit(CAP_AUDIT_WRITE) | capability_bit(CAP_SETFCAP);
inline constexpr uint64_t kAllCapabilities = ~uint64_t{0};

// Only a node that runs as root can give more than it takes: without, a container has no capabilities and the groups
// that we have.
struct ProcessSecurity {
  std::vector<gid_t> groups;  // supplementary
  uint64_t capabilities = kDefaultCapabilities;
  bool no_new_privileges = false;
  bool filtered = false;        // system calls, as RuntimeDefault (system_call_filter.h)
  bool read_only_root = false;  // but for volumes, /dev and /proc
  bool host_devices = false;    // all of /dev, /sys to be written to
  bool unmasked_proc = false;
  bool host_ipc = false;  // shared memory and semaphores of the machine
};

}  // namespace basalt::node
