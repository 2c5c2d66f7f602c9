// What a supervisor is to do, as one block of memory that it can use without allocating.
//
// A supervisor is a fork of a program with threads: it may only make system calls. So everything is prepared here, in
// the parent: text and lists of text lie in one block, referred to by offsets from its start (0: absent), which the
// supervisor turns into addresses in place. The block is handed over in a memfd.
#pragma once

#include <linux/filter.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "control/node/local/pod_socket_rules.h"

namespace basalt::node {

// One step of laying out a container's file system (container_root.h makes them).
//
// Overlay: over `source`, a directory whose path has no symbolic links; `data` says where changes go.
// Bind: `below` beneath `source`, both without symbolic links, becomes `target`.
// ReadOnlyTree: everything that is mounted at `target` or below it.
enum class RootStepKind : uint32_t { MakeDirectory, MakeFile, MakeLink, Mount, Overlay, Bind, ReadOnlyTree, Enter };
// What a step may meet without being an error: Bind, a source that is gone meanwhile; Mount, a refusal of any kind.
enum class ToleratedFailure : uint32_t { None, SourceGone, Refused };

struct RootStep {
  RootStepKind kind = RootStepKind::Mount;
  std::string source;       // MakeLink: what the link says; Mount: "" for none
  std::string below;        // Bind: a path in the source, "" for all of it
  std::string target;       // a path of the host; what lies below the stage is opened beneath it (root_steps.h)
  std::string type, data;   // Mount: "" for none
  unsigned long flags = 0;  // Mount: MS_…
  bool read_only = false;   // Bind
  ToleratedFailure tolerated = ToleratedFailure::None;
};

struct RequestText {
  uint64_t at = 0;
};
struct RequestList {
  uint64_t at = 0;  // of offsets, each of a text, ended by 0: an argv once they are addresses
};

struct RequestStep {
  RootStepKind kind;
  ToleratedFailure tolerated;
  RequestText source, below, target, type, data;
  uint64_t flags;
  uint64_t read_only;
};

// The beginning of the block.
struct RequestHeader {
  uint64_t size;
  RequestList programs;  // paths to try, in order
  RequestList argv;
  RequestList environment;
  RequestText directory, hostname, cgroup_procs, uid_map, gid_map;
  RequestText stage;                           // where the steps build the new root
  uint64_t steps, step_count;                  // offset of RequestStep[]
  uint64_t groups, group_count;                // offset of gid_t[]
  uint64_t filter, filter_size;                // offset of sock_filter[] (system_call_filter.h); 0: none
  uint64_t socket_filter, socket_filter_size;  // likewise, of socket_call_filter()
  PodAddresses addresses;                      // for it
  uint64_t own_ports, own_port_count;          // offset of DeclaredPort[], for it; 0: all are its own
  uint64_t capabilities;                       // that the container may have, by bit
  int64_t uid, gid;                            // -1: as we are
  int32_t namespaces;                          // CLONE_NEW…, made by the fork server, or joined when `joins`
  uint32_t joins;
  uint32_t only_try;             // do the steps, try the socket filter if any, and end: does this machine permit it?
  uint32_t sets_groups;          // the supplementary groups become `groups`
  uint32_t limits_capabilities;  // the container gets no more than `capabilities`
  uint32_t no_new_privileges;
  uint32_t keeps;  // it outlives its node (detached_supervisor.h)
};

struct StartRequest {
  std::vector<std::string> programs, argv, environment;
  std::string directory = "/", hostname, cgroup_procs, uid_map, gid_map, stage;
  std::vector<RootStep> steps;
  std::vector<gid_t> groups;
  std::vector<sock_filter> filter;
  std::vector<sock_filter> socket_filter;  // with `addresses`: the supervisor answers its calls
  PodAddresses addresses;
  std::optional<std::vector<DeclaredPort>> own_ports;  // sorted; nothing: all
  uint64_t capabilities = 0;
  int64_t uid = -1, gid = -1;
  int namespaces = 0;
  bool joins = false, only_try = false;
  bool sets_groups = false, limits_capabilities = false, no_new_privileges = false;
  bool keeps = false;
};

// Cost: O(size of the order).
[[nodiscard]] std::vector<char> flatten(const StartRequest& order);

// Messages on the control socket. From the supervisor, each a SupervisorReport; to it, each an int32_t: the number of a
// signal.
enum class SupervisorReportKind : uint32_t { Started, Failed, Ended, Adopted };
enum class StartStage : uint32_t {
  Clone,
  MappedRequest,
  UserMap,
  Join,
  Hostname,
  Root,
  Cgroup,
  Fork,
  Privileges,
  SocketCalls,
  User,
  Directory,
  Program
};

struct SupervisorReport {
  SupervisorReportKind kind;
  StartStage stage;      // Failed: where
  uint32_t step;         // Failed at Root: which
  int32_t error;         // Failed: errno
  int32_t status;        // Ended: as waitpid gives it
  uint32_t parts = 0;    // Adopted: which descriptors come with it (PassedPart)
  uint64_t lost = 0;     // Adopted: bytes of output that are lost
  int64_t ended_at = 0;  // Ended without a node: when, in nanoseconds since 1970; 0: now
};

// In this order; what is not there is left out.
enum PassedPart : uint32_t { kSupervisorPart = 1, kOutPart = 2, kErrPart = 4 };

// A piece of output that was put aside: its bytes follow.
struct SpoolHeader {
  int64_t time;     // nanoseconds since 1970
  uint32_t size;    // at most kMaxSpoolPiece
  uint32_t stream;  // 0: stdout, 1: stderr
};
inline constexpr uint32_t kMaxSpoolPiece = 16 * 1024;

// The descriptors that come with an order, in this order. After the first five: one when it joins, four when it keeps.
enum RequestDescriptor : uint8_t {
  kRequestFd,
  kControlFd,
  kInFd,
  kOutFd,
  kErrFd,
  kJoinFd,
  kListenFd = kJoinFd,
  kSpoolFd,
  kOutEndFd,
  kErrEndFd,
  kRequestFdCount
};

}  // namespace basalt::node
