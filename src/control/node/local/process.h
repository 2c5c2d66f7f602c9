// Containers as real processes: start, signal, wait; what was started ends with us, or is taken over by the next.
//
// A small process, the fork server (fork_server.h), is forked once and forks a supervisor (container_supervisor.h) for
// each container. The supervisor lays out the container's view of the file system, starts its first process (the
// leader) in a session of its own, and reports over its control socket how it ended. When the control socket breaks
// because we died, even by SIGKILL, the supervisor kills the container; or, for one that outlives us
// (ProcessSpec::outlives), it spools the output and waits for the next Processes of the same directory to take over.
// When that directory is removed, it kills the container.
//
// Invariants:
// 1. `ended` is called exactly once for each start() that succeeded, on the reaper's thread, after every process of the
//    container is gone and all its output is in the log (or in ProcessExit::output).
// 2. Processes that remain after the leader ended are killed.
// 3. Nothing is created in the host's directories: mounts exist only in the container's own mount namespace.
// 4. No container sees what is hidden (ProcessOptions::hidden) where mounts are permitted: there is an empty directory
//    or file in its place.
//
// Threads: all functions may be called from any thread; `ended` and `output` must not call kill_all() nor destroy the
// object (start() and signal() are allowed), and should be short: they hold up the reading of all logs.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "control/node/local/own_ports.h"
#include "control/node/local/process_security.h"

namespace basalt::node {

// Where programs are looked for when the environment says nothing.
inline constexpr std::string_view kDefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
inline constexpr size_t kMaxProcesses = 4096;                            // that run at one time
inline constexpr size_t kMaxCapturedOutput = size_t{64} * 1024;          // the rest is thrown away
inline constexpr size_t kMaxStartRequest = size_t{8} * 1024 * 1024;      // argv, environment and mounts together
inline constexpr std::chrono::milliseconds kMaxStartWait{15'000};        // a mount that hangs is not waited for longer
inline constexpr std::chrono::milliseconds kMaxKillWait{10'000};         // for processes in an uninterruptible wait
inline constexpr std::string_view kMarkerVariable = "BASALT_CONTAINER";  // environment variable with the marker

struct Mount {
  std::filesystem::path source;  // a file or a directory of the host, absolute and without symbolic links
  std::filesystem::path below;   // what of it, a path without symbolic links or ".."; "": all of it
  std::string target;            // absolute, as the container sees it; need not exist
  bool read_only = false;
};

struct ProcessLimits {
  int64_t cpu_millis = 0;    // 0: none
  int64_t memory_bytes = 0;  // 0: none
  int64_t processes = 0;     // 0: none
};

struct ProcessId {
  uint64_t value = 0;
  friend constexpr auto operator<=>(ProcessId, ProcessId) = default;
};

enum class OutputStream : uint8_t { Stdout, Stderr };

struct ProcessSpec {
  std::vector<std::string> argv;         // argv[0] without '/' is searched in the environment's PATH
  std::vector<std::string> environment;  // "K=V", complete
  std::string directory;                 // "": "/"
  std::vector<Mount> mounts;
  std::optional<std::filesystem::path> root;  // a directory that is the container's "/"; it is not written to
  std::filesystem::path hosts_file;           // bound over /etc/hosts when mounts are possible; "": none
  std::string hostname;                       // "": the host's
  // Output as CRI lines (container_log_file.h). A log that exists becomes <stem>.previous.log. "": captured up to
  // kMaxCapturedOutput and given with the exit, for exec probes and hooks.
  std::filesystem::path log;
  // Instead of a log: pieces as they come, on the reaper's thread.
  std::function<void(OutputStream, std::string_view)> output;
  std::string input;  // given to stdin; "": stdin is empty. Bounded by kMaxStartRequest.
  // Descriptors of the caller, who may close them after start(), for stdin, stdout and stderr instead of the above; -1
  // for stdin: `input`. Either both of the others are given or none.
  std::array<int, 3> stdio = {-1, -1, -1};
  std::optional<int64_t> uid, gid;
  // The pod's own address (pod_socket_rules.h): what its programs mean by 0.0.0.0 and 127.0.0.1, where the machine
  // permits that; "": the machine's.
  std::string address;
  // The ports that are the pod's own there, sorted; on others these names are the machine's. Nothing: all are its own.
  std::optional<std::vector<DeclaredPort>> own_ports;
  ProcessSecurity security;
  ProcessLimits limits;
  std::string marker;  // put into the environment as BASALT_CONTAINER=…, to find leftovers of a former run
  // It goes on when we end (let_go(), or a crash): the next Processes finds it by its marker, with this note. Requires:
  // a marker that no other running one has, and a log.
  bool outlives = false;
  std::string note;
  // Run in the namespaces of this running process (exec probes, hooks, kubectl exec); mounts, root, hosts_file and
  // hostname are then those of that process, and the fields above are not looked at. Its limits count for both.
  std::optional<ProcessId> inside;
};

struct ProcessExit {
  int code = 0;    // of exit(); 128 + signal where a signal ended it
  int signal = 0;  // 0: none
  bool out_of_memory = false;
  std::string output;   // stdout and stderr, where neither log nor output was asked for
  Instant at = kNever;  // when, if it was while nobody was there to see it
};

// What a former Processes left running.
struct DetachedProcess {
  std::string marker, note;
};

// What this machine permits; each "why" is one line, empty when permitted, and says what to do.
struct HostFeatures {
  bool mounts = false;                     // volumes at their paths, hosts file, host name
  bool process_namespace = false;          // the kernel kills a container's processes with its supervisor
  bool image_roots = false;                // ProcessSpec::root
  bool cgroups = false;                    // limits
  bool other_users = false;                // uid, gid and groups other than ours, capabilities: we are root
  bool read_only_roots = false;            // ProcessSecurity::read_only_root
  bool filters = false;                    // ProcessSecurity::filtered
  bool own_ports = false;                  // ProcessSpec::address …
  bool own_ports_cost_privileges = false;  // … but only for containers with no_new_privs
  uint64_t bounding = 0;                   // the capabilities that a process of ours can have at all
  std::string why_no_mounts, why_no_cgroups, why_no_image_roots, why_no_own_ports;
};

struct ProcessOptions {
  std::filesystem::path directory;           // ours, absolute; made where it is not there: mounts are laid out below it
  std::function<Instant()> clock;            // for log lines; empty: the system's
  int64_t max_log_bytes = 10 * 1024 * 1024;  // a log file is rotated at this size …
  int max_log_files = 5;                     // … and so many are kept, the current one included
  bool use_namespaces = true;                // false: as on a machine that permits none
  bool own_ports = true;                     // false: likewise
  // Directories and files that no container may see, wherever they are mounted; `directory` is always among them.
  std::vector<std::filesystem::path> hidden;
  std::filesystem::path cgroup;  // a cgroup v2 directory that is ours; "": below our own cgroup
};

class Processes {
 public:
  // An error: the directory cannot be made, or the fork server cannot be forked.
  static Result<std::unique_ptr<Processes>> make(ProcessOptions options);
  // Kills what still runs.
  virtual ~Processes() = default;

  // Returns when the program runs (exec succeeded), in a few milliseconds. An error names the step that failed; its
  // code is NotFound for a missing program, Invalid for a spec that cannot be, Unsupported for what this machine does
  // not permit, Io for all else.
  virtual Result<ProcessId> start(const ProcessSpec& spec, std::function<void(ProcessExit)> ended) = 0;

  // To the leader's process group; SIGKILL to everything of the container. Nothing happens for one that ended.
  virtual void signal(ProcessId process, int number) = 0;

  // SIGTERM to all, after `grace` SIGKILL; returns when all have ended and `ended` was called for each.
  virtual void kill_all(std::chrono::milliseconds grace) = 0;

  // What a former one left and nobody has taken over yet. Some may have ended meanwhile: how is told when they are
  // taken over.
  [[nodiscard]] virtual std::vector<DetachedProcess> kept() const = 0;
  // From now on it is as if we had started it. An error: there is no such one.
  virtual Result<ProcessId> adopt(const std::string& marker, std::function<void(ProcessExit)> ended) = 0;
  // Signals those that nobody has taken over; from now on they are as if we had started them.
  virtual void end_detached(int number) = 0;
  // Lets those that outlive us go on, and kills the others. `ended` is not called any more; what is started from now on
  // goes on likewise when we are destroyed.
  virtual void let_go() = 0;

  [[nodiscard]] virtual size_t running() const = 0;
  [[nodiscard]] virtual const HostFeatures& capabilities() const = 0;
};

}  // namespace basalt::node
