#include "control/node/local/container_supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "control/node/local/descriptor_passing.h"
#include "control/node/local/detached_supervisor.h"
#include "control/node/local/fork_server.h"
#include "control/node/local/root_steps.h"
#include "control/node/local/session_leader.h"
#include "control/node/local/socket_call_server.h"

namespace basalt::node {
namespace {

void turn_into_addresses(char* base, RequestList list) {
  auto* slot = reinterpret_cast<uint64_t*>(base + list.at);
  for (; *slot != 0; ++slot) *slot += reinterpret_cast<uint64_t>(base);
}

bool map_request(int descriptor, MappedRequest& request) {
  RequestHeader head{};
  if (::pread(descriptor, &head, sizeof head, 0) != static_cast<ssize_t>(sizeof head)) return false;
  void* const block = ::mmap(nullptr, head.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
  if (block == MAP_FAILED) return false;
  request.base = static_cast<char*>(block);
  request.head = static_cast<const RequestHeader*>(block);
  turn_into_addresses(request.base, head.programs);
  turn_into_addresses(request.base, head.argv);
  turn_into_addresses(request.base, head.environment);
  return true;
}

bool write_text(const char* file, const char* text) {
  const int descriptor = ::open(file, O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool written = ::write(descriptor, text, std::strlen(text)) >= 0;
  const int error = errno;
  ::close(descriptor);
  errno = error;
  return written;
}

[[noreturn]] void fail(int control_socket, StartStage stage, uint32_t step, int error) {
  send_report(
      control_socket,
      SupervisorReport{.kind = SupervisorReportKind::Failed, .stage = stage, .step = step, .error = error, .status = 0},
      -1);
  ::_exit(127);
}

void kill_children(int children) {
  char text[4096];
  const ssize_t size = children < 0 ? 0 : ::pread(children, text, sizeof text, 0);
  pid_t pid = 0;
  for (ssize_t i = 0; i < size; ++i) {
    if (text[i] >= '0' && text[i] <= '9') {
      pid = pid * 10 + (text[i] - '0');
      continue;
    }
    if (pid > 1) ::kill(pid, SIGKILL);
    pid = 0;  // a number cut at the end of the buffer is met in the next pass
  }
}

struct ContainerProcesses {
  pid_t leader;
  int children;  // descriptor of /proc/thread-self/children
  int status = 0;
  bool ended = false;
};

void waited(ContainerProcesses& processes, pid_t pid, int status) {
  if (pid != processes.leader) return;
  processes.status = status;
  processes.ended = true;
}

// Kills whatever is left and waits for it.
void kill_all(ContainerProcesses& processes) {
  while (true) {
    if (::getpid() == 1) {
      ::kill(-1, SIGKILL);  // all of our process namespace but ourselves
    } else {
      // The group's number is ours to use only while its leader has not been waited for.
      if (!processes.ended) ::kill(-processes.leader, SIGKILL);
      kill_children(processes.children);
    }
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, 0);
    if (pid > 0) waited(processes, pid, status);
    if (pid < 0 && errno == ECHILD) return;
  }
}

// The group goes before its leader is waited for: then its number may already be another's.
void reap(ContainerProcesses& processes) {
  siginfo_t dead{};
  if (::waitid(P_PID, static_cast<id_t>(processes.leader), &dead, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      dead.si_pid != 0) {
    ::kill(-processes.leader, SIGKILL);
  }
  int status = 0;
  for (pid_t pid = ::waitpid(-1, &status, WNOHANG); pid > 0; pid = ::waitpid(-1, &status, WNOHANG)) {
    waited(processes, pid, status);
    if (processes.ended) return;  // the rest is waited for after it was killed
  }
}

void pass_on(const ContainerProcesses& processes, int32_t number) {
  if (processes.ended || number <= 0 || number >= NSIG) return;
  if (::kill(-processes.leader, number) != 0) ::kill(processes.leader, number);
}

// What it listens to.
struct SupervisorState {
  int control_socket;  // -1: it has no node
  int child_signals;
  DetachedState detached;
  SocketCallServer socket_calls;
};

// What the node says. False: all is to end.
bool handle_request(const ContainerProcesses& processes, SupervisorState& state) {
  int32_t number = 0;
  const ssize_t size = ::recv(state.control_socket, &number, sizeof number, 0);
  if (size < 0 && errno == EINTR) return true;
  if (size == static_cast<ssize_t>(sizeof number)) {
    if (number == SIGKILL) return false;
    pass_on(processes, number);
    return true;
  }
  ::close(state.control_socket);
  state.control_socket = -1;
  return state.detached.can();
}

// Until the leader has ended, or the control_socket says SIGKILL, or it is broken and nobody will come.
void watch(ContainerProcesses& processes, SupervisorState& state) {
  DetachedState& detached = state.detached;
  while (!processes.ended) {
    const bool alone = state.control_socket < 0;
    if (alone && !is_wanted(detached)) return;
    pollfd polled[6] = {{.fd = state.control_socket, .events = POLLIN, .revents = 0},
                        {.fd = state.child_signals, .events = POLLIN, .revents = 0},
                        {.fd = alone ? detached.listener : -1, .events = POLLIN, .revents = 0},
                        {.fd = alone ? detached.ends[0] : -1, .events = POLLIN, .revents = 0},
                        {.fd = alone ? detached.ends[1] : -1, .events = POLLIN, .revents = 0},
                        {.fd = state.socket_calls.listener, .events = POLLIN, .revents = 0}};
    if (::poll(polled, 6, alone ? kDetachedPollMillis : -1) <= 0) continue;
    for (int stream = 0; stream < 2; ++stream) {
      if (polled[3 + stream].revents != 0) spool_output(detached, stream);
    }
    serve_socket_calls(state.socket_calls, polled[5].revents);
    if (polled[2].revents != 0) state.control_socket = accept_node(detached);
    if (polled[1].revents != 0) {
      signalfd_siginfo info;
      [[maybe_unused]] const ssize_t size = ::read(state.child_signals, &info, sizeof info);
      reap(processes);
    }
    if (processes.ended || polled[0].revents == 0) continue;
    if (!handle_request(processes, state)) return;
  }
}

// To the node, or to the one that comes after it.
void tell_end(const ContainerProcesses& processes, SupervisorState& state) {
  SupervisorReport report{
      .kind = SupervisorReportKind::Ended, .stage = {}, .step = 0, .error = 0, .status = processes.status};
  if (state.control_socket >= 0 && send_message(state.control_socket, &report, sizeof report, {})) return;
  if (!state.detached.can()) return;
  report.ended_at = wall_nanos();
  state.control_socket = wait_for_node(state.detached);
  if (state.control_socket >= 0) send_report(state.control_socket, report, -1);
}

DetachedState detached_state_of(const MappedRequest& request, const int (&fds)[kRequestFdCount]) {
  if (request.head->keeps == 0) return {};
  return {.listener = fds[kListenFd], .spool = fds[kSpoolFd], .ends = {fds[kOutEndFd], fds[kErrEndFd]}};
}

int signals_of_children() {
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::signal(SIGCHLD, SIG_DFL);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  return ::signalfd(-1, &child, SFD_CLOEXEC);
}

// Everything before the leader. Returns the descriptor of cgroup.procs, -1 for none.
int prepare(const MappedRequest& request, const int (&fds)[kRequestFdCount]) {
  const RequestHeader& head = *request.head;
  const int control_socket = fds[kControlFd];
  if (const char* map = request.text(head.uid_map); map != nullptr) {
    if (!write_text("/proc/self/setgroups", "deny") || !write_text("/proc/self/uid_map", map) ||
        !write_text("/proc/self/gid_map", request.text(head.gid_map))) {
      fail(control_socket, StartStage::UserMap, 0, errno);
    }
  }
  // Nothing of the container looks into us or our child on its way to its program: the kernel asks for a capability
  // that containers do not have. In a user namespace it would not let us in either, when a command is to run inside;
  // there it is enough that we have capabilities and the container has none.
  if (head.uid_map.at == 0) ::prctl(PR_SET_DUMPABLE, 0);
  int cgroup = -1;
  if (const char* procs = request.text(head.cgroup_procs); procs != nullptr) {
    cgroup = ::open(procs, O_WRONLY | O_CLOEXEC);
    if (cgroup < 0) fail(control_socket, StartStage::Cgroup, 0, errno);
  }
  if (head.joins != 0 && head.namespaces != 0 && ::setns(fds[kJoinFd], head.namespaces) != 0) {
    fail(control_socket, StartStage::Join, 0, errno);
  }
  const char* const name = request.text(head.hostname);
  if (name != nullptr && ::sethostname(name, std::strlen(name)) != 0)
    fail(control_socket, StartStage::Hostname, 0, errno);
  const auto* const steps = reinterpret_cast<const RequestStep*>(request.base + head.steps);
  for (uint32_t i = 0; i < head.step_count; ++i) {
    if (const int error = run_root_step(steps[i], request.base, request.text(head.stage)); error != 0)
      fail(control_socket, StartStage::Root, i, error);
  }
  return cgroup;
}

// Processes by the numbers that we know them by: those of our own process namespace, not of one that is joined.
int open_proc(const RequestHeader& head) {
  return head.socket_filter == 0 ? -1 : ::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

// Until the leader has closed `leader_socket` by becoming its program. False: it never will, and `trouble` says why.
bool wait_for_program(int leader_socket, SocketCallServer& calls, LeaderFailure& trouble) {
  while (true) {
    pollfd polled[2] = {{.fd = leader_socket, .events = POLLIN, .revents = 0},
                        {.fd = calls.listener, .events = POLLIN, .revents = 0}};
    if (::poll(polled, 2, -1) <= 0) continue;
    if ((polled[1].revents & POLLIN) != 0) serve_socket_calls(calls, polled[1].revents);
    if (polled[0].revents == 0) continue;
    int listener = -1;
    if (!receive_message(leader_socket, &trouble, sizeof trouble, {&listener, 1})) return true;
    if (listener < 0) return false;
    calls.listener = listener;
  }
}

// Returns when it is its program; ends us when it cannot be.
pid_t start_leader(const MappedRequest& request, const int (&fds)[kRequestFdCount], int cgroup,
                   SocketCallServer& calls) {
  const int control_socket = fds[kControlFd];
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    fail(control_socket, StartStage::Fork, 0, errno);
  }
  const pid_t leader = fork_with(0);
  if (leader < 0) fail(control_socket, StartStage::Fork, 0, errno);
  if (leader == 0) {
    run_session_leader(
        request, {.in = fds[kInFd], .out = fds[kOutFd], .err = fds[kErrFd], .cgroup = cgroup, .trouble = pair[1]});
  }
  // The ends of the output's pipes are the container's alone: its end is seen as their end.
  for (const int fd : {fds[kRequestFd], fds[kInFd], fds[kOutFd], fds[kErrFd], pair[1], cgroup}) {
    if (fd >= 0) ::close(fd);
  }
  LeaderFailure trouble{};
  if (!wait_for_program(pair[0], calls, trouble)) fail(control_socket, trouble.stage, 0, trouble.error);
  ::close(pair[0]);
  return leader;
}

// Whether the end of the only caller is seen (Linux 5.9): on it depends how long calls are answered.
bool has_ended(pid_t caller, const SocketCallServer& calls) {
  ::waitpid(caller, nullptr, 0);
  pollfd polled{.fd = calls.listener, .events = POLLIN, .revents = 0};
  return ::poll(&polled, 1, 0) == 1 && (polled.revents & POLLHUP) != 0;
}

}  // namespace

void send_report(int control_socket, const SupervisorReport& report, int descriptor) {
  send_message(control_socket, &report, sizeof report, std::span(&descriptor, descriptor >= 0 ? 1U : 0U));
}

void supervisor(const int (&fds)[kRequestFdCount]) {
  const int control_socket = fds[kControlFd];
  ::prctl(PR_SET_NAME, "basalt-superv");
  ::umask(022);  // as in a container, whatever ours is: mount paths are for all users
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const int child_signals = signals_of_children();
  MappedRequest request;
  if (!map_request(fds[kRequestFd], request)) fail(control_socket, StartStage::MappedRequest, 0, errno);
  const RequestHeader& head = *request.head;
  const int children = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);  // before "/proc" is another
  SocketCallServer calls{.proc = head.joins != 0 ? open_proc(head) : -1,
                         .network = network_of(control_socket),
                         .addresses = head.addresses,
                         .ports = request.own_ports()};
  const int cgroup = prepare(request, fds);
  if (head.joins == 0) calls.proc = open_proc(head);
  SupervisorReport report{.kind = SupervisorReportKind::Started, .stage = {}, .step = 0, .error = 0, .status = 0};
  if (head.only_try != 0 && head.socket_filter == 0) {
    send_report(control_socket, report, -1);
    ::_exit(0);
  }
  const pid_t leader = start_leader(request, fds, cgroup, calls);
  if (head.only_try != 0) {
    if (!has_ended(leader, calls)) fail(control_socket, StartStage::SocketCalls, 0, EOPNOTSUPP);
    send_report(control_socket, report, -1);
    ::_exit(0);
  }
  const int self = static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0));
  send_report(control_socket, report, self);
  if (self >= 0) ::close(self);
  ContainerProcesses processes{.leader = leader, .children = children};
  SupervisorState state{.control_socket = control_socket,
                        .child_signals = child_signals,
                        .detached = detached_state_of(request, fds),
                        .socket_calls = calls};
  watch(processes, state);
  kill_all(processes);
  tell_end(processes, state);
  // A command that ran in another's namespaces may leave processes there, which stay with that one.
  ::close(state.control_socket);
  serve_socket_calls_to_the_end(state.socket_calls);
  ::_exit(0);
}

}  // namespace basalt::node
