// What a shepherd is to do, as one block of memory that it can use without allocating.
//
// A shepherd is a fork of a program with threads: it may only make system calls. So everything is prepared here, in
// the parent: text and lists of text lie in one block, referred to by offsets from its start (0: absent), which the
// shepherd turns into addresses in place. The block is handed over in a memfd.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace basalt::node {

// One step of laying out a container's file system (pod_root.h makes them).
enum class RootAct : uint32_t { MakeDirectory, MakeFile, MakeLink, Mount, ReadOnly, Enter };

struct RootStep {
  RootAct act = RootAct::Mount;
  std::string source;       // MakeLink: what the link says; Mount: "" for none
  std::string target;       // a path of the host
  std::string type, data;   // Mount: "" for none
  unsigned long flags = 0;  // Mount: MS_…
  bool may_vanish = false;  // a source that is gone meanwhile is passed over
};

struct OrderText {
  uint64_t at = 0;
};
struct OrderList {
  uint64_t at = 0;  // of offsets, each of a text, ended by 0: an argv once they are addresses
};

struct OrderStep {
  RootAct act;
  uint32_t may_vanish;
  OrderText source, target, type, data;
  uint64_t flags;
};

// The beginning of the block.
struct OrderHead {
  uint64_t size;
  OrderList programs;  // paths to try, in order
  OrderList argv;
  OrderList environment;
  OrderText directory, hostname, cgroup_procs, uid_map, gid_map;
  uint64_t steps, step_count;  // offset of OrderStep[]
  int64_t uid, gid;            // -1: as we are
  int32_t namespaces;          // CLONE_NEW…, made by the nursery, or joined when `joins`
  uint32_t joins;
  uint32_t only_try;  // do the steps and end: to learn what this machine permits
};

struct StartOrder {
  std::vector<std::string> programs, argv, environment;
  std::string directory = "/", hostname, cgroup_procs, uid_map, gid_map;
  std::vector<RootStep> steps;
  int64_t uid = -1, gid = -1;
  int namespaces = 0;
  bool joins = false, only_try = false;
};

// Cost: O(size of the order).
[[nodiscard]] std::vector<char> flatten(const StartOrder& order);

// Messages on the leash. From the shepherd, each a Report; to it, each an int32_t: the number of a signal.
enum class ReportKind : uint32_t { Started, Failed, Ended };
enum class StartStage : uint32_t {
  Clone,
  Order,
  UserMap,
  Join,
  Hostname,
  Root,
  Cgroup,
  Fork,
  User,
  Directory,
  Program
};

struct Report {
  ReportKind kind;
  StartStage stage;  // Failed: where
  uint32_t step;     // Failed at Root: which
  int32_t error;     // Failed: errno
  int32_t status;    // Ended: as waitpid gives it
};

// The descriptors that come with an order, in this order; the last only when it joins.
enum OrderDescriptor : uint8_t { kOrderFd, kLeashFd, kInFd, kOutFd, kErrFd, kJoinFd, kOrderFds };

}  // namespace basalt::node
