#include "control/node/local/shepherd.h"

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

#include "control/node/local/leader.h"
#include "control/node/local/nursery.h"
#include "control/node/local/orphan.h"
#include "control/node/local/passed_message.h"
#include "control/node/local/root_steps.h"

namespace basalt::node {
namespace {

void turn_into_addresses(char* base, OrderList list) {
  auto* slot = reinterpret_cast<uint64_t*>(base + list.at);
  for (; *slot != 0; ++slot) *slot += reinterpret_cast<uint64_t>(base);
}

bool map_order(int descriptor, Order& order) {
  OrderHead head{};
  if (::pread(descriptor, &head, sizeof head, 0) != static_cast<ssize_t>(sizeof head)) return false;
  void* const block = ::mmap(nullptr, head.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
  if (block == MAP_FAILED) return false;
  order.base = static_cast<char*>(block);
  order.head = static_cast<const OrderHead*>(block);
  turn_into_addresses(order.base, head.programs);
  turn_into_addresses(order.base, head.argv);
  turn_into_addresses(order.base, head.environment);
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

[[noreturn]] void fail(int leash, StartStage stage, uint32_t step, int error) {
  send_report(leash, Report{.kind = ReportKind::Failed, .stage = stage, .step = step, .error = error, .status = 0}, -1);
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

struct Flock {
  pid_t leader;
  int children;  // descriptor of /proc/thread-self/children
  int status = 0;
  bool ended = false;
};

void waited(Flock& flock, pid_t pid, int status) {
  if (pid != flock.leader) return;
  flock.status = status;
  flock.ended = true;
}

// Kills whatever is left and waits for it.
void slaughter(Flock& flock) {
  while (true) {
    if (::getpid() == 1) {
      ::kill(-1, SIGKILL);  // all of our process namespace but ourselves
    } else {
      // The group's number is ours to use only while its leader has not been waited for.
      if (!flock.ended) ::kill(-flock.leader, SIGKILL);
      kill_children(flock.children);
    }
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, 0);
    if (pid > 0) waited(flock, pid, status);
    if (pid < 0 && errno == ECHILD) return;
  }
}

// The group goes before its leader is waited for: then its number may already be another's.
void reap(Flock& flock) {
  siginfo_t dead{};
  if (::waitid(P_PID, static_cast<id_t>(flock.leader), &dead, WEXITED | WNOHANG | WNOWAIT) == 0 && dead.si_pid != 0) {
    ::kill(-flock.leader, SIGKILL);
  }
  int status = 0;
  for (pid_t pid = ::waitpid(-1, &status, WNOHANG); pid > 0; pid = ::waitpid(-1, &status, WNOHANG)) {
    waited(flock, pid, status);
    if (flock.ended) return;  // the rest is waited for after it was killed
  }
}

void pass_on(const Flock& flock, int32_t number) {
  if (flock.ended || number <= 0 || number >= NSIG) return;
  if (::kill(-flock.leader, number) != 0) ::kill(flock.leader, number);
}

// What it listens to.
struct Post {
  int leash;  // -1: it has no node
  int child_signals;
  Keeping keeping;
};

// What the node says. False: all is to end.
bool obey(const Flock& flock, Post& post) {
  int32_t number = 0;
  const ssize_t size = ::recv(post.leash, &number, sizeof number, 0);
  if (size < 0 && errno == EINTR) return true;
  if (size == static_cast<ssize_t>(sizeof number)) {
    if (number == SIGKILL) return false;
    pass_on(flock, number);
    return true;
  }
  ::close(post.leash);
  post.leash = -1;
  return post.keeping.can();
}

// Until the leader has ended, or the leash says SIGKILL, or it is broken and nobody will come.
void watch(Flock& flock, Post& post) {
  Keeping& keeping = post.keeping;
  while (!flock.ended) {
    const bool alone = post.leash < 0;
    if (alone && !is_wanted(keeping)) return;
    pollfd polled[5] = {{.fd = post.leash, .events = POLLIN, .revents = 0},
                        {.fd = post.child_signals, .events = POLLIN, .revents = 0},
                        {.fd = alone ? keeping.listener : -1, .events = POLLIN, .revents = 0},
                        {.fd = alone ? keeping.ends[0] : -1, .events = POLLIN, .revents = 0},
                        {.fd = alone ? keeping.ends[1] : -1, .events = POLLIN, .revents = 0}};
    if (::poll(polled, 5, alone ? kOrphanLookMillis : -1) <= 0) continue;
    for (int stream = 0; stream < 2; ++stream) {
      if (polled[3 + stream].revents != 0) put_aside(keeping, stream);
    }
    if (polled[2].revents != 0) post.leash = adopted(keeping);
    if (polled[1].revents != 0) {
      signalfd_siginfo info;
      [[maybe_unused]] const ssize_t size = ::read(post.child_signals, &info, sizeof info);
      reap(flock);
    }
    if (flock.ended || polled[0].revents == 0) continue;
    if (!obey(flock, post)) return;
  }
}

// To the node, or to the one that comes after it.
void tell_end(const Flock& flock, Post& post) {
  Report report{.kind = ReportKind::Ended, .stage = {}, .step = 0, .error = 0, .status = flock.status};
  if (post.leash >= 0 && send_message(post.leash, &report, sizeof report, {})) return;
  if (!post.keeping.can()) return;
  report.ended_at = wall_nanos();
  post.leash = wait_for_node(post.keeping);
  if (post.leash >= 0) send_report(post.leash, report, -1);
}

Keeping keeping_of(const Order& order, const int (&fds)[kOrderFds]) {
  if (order.head->keeps == 0) return {};
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
int prepare(const Order& order, const int (&fds)[kOrderFds]) {
  const OrderHead& head = *order.head;
  const int leash = fds[kLeashFd];
  if (const char* map = order.text(head.uid_map); map != nullptr) {
    if (!write_text("/proc/self/setgroups", "deny") || !write_text("/proc/self/uid_map", map) ||
        !write_text("/proc/self/gid_map", order.text(head.gid_map))) {
      fail(leash, StartStage::UserMap, 0, errno);
    }
  }
  // Nothing of the container looks into us or our child on its way to its program: the kernel asks for a capability
  // that containers do not have. In a user namespace it would not let us in either, when a command is to run inside;
  // there it is enough that we have capabilities and the container has none.
  if (head.uid_map.at == 0) ::prctl(PR_SET_DUMPABLE, 0);
  int cgroup = -1;
  if (const char* procs = order.text(head.cgroup_procs); procs != nullptr) {
    cgroup = ::open(procs, O_WRONLY | O_CLOEXEC);
    if (cgroup < 0) fail(leash, StartStage::Cgroup, 0, errno);
  }
  if (head.joins != 0 && head.namespaces != 0 && ::setns(fds[kJoinFd], head.namespaces) != 0) {
    fail(leash, StartStage::Join, 0, errno);
  }
  const char* const name = order.text(head.hostname);
  if (name != nullptr && ::sethostname(name, std::strlen(name)) != 0) fail(leash, StartStage::Hostname, 0, errno);
  const auto* const steps = reinterpret_cast<const OrderStep*>(order.base + head.steps);
  for (uint32_t i = 0; i < head.step_count; ++i) {
    if (const int error = do_step(steps[i], order.base, order.text(head.stage)); error != 0)
      fail(leash, StartStage::Root, i, error);
  }
  return cgroup;
}

}  // namespace

void send_report(int leash, const Report& report, int descriptor) {
  send_message(leash, &report, sizeof report, std::span(&descriptor, descriptor >= 0 ? 1U : 0U));
}

void shepherd(const int (&fds)[kOrderFds]) {
  const int leash = fds[kLeashFd];
  ::prctl(PR_SET_NAME, "basalt-shepherd");
  ::umask(022);  // as in a container, whatever ours is: mount paths are for all users
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const int child_signals = signals_of_children();
  Order order;
  if (!map_order(fds[kOrderFd], order)) fail(leash, StartStage::Order, 0, errno);
  const int children = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);  // before "/proc" is another
  const int cgroup = prepare(order, fds);
  Report report{.kind = ReportKind::Started, .stage = {}, .step = 0, .error = 0, .status = 0};
  if (order.head->only_try != 0) {
    send_report(leash, report, -1);
    ::_exit(0);
  }
  int trouble_pipe[2];
  if (::pipe2(trouble_pipe, O_CLOEXEC) != 0) fail(leash, StartStage::Fork, 0, errno);
  const pid_t leader = fork_with(0);
  if (leader < 0) fail(leash, StartStage::Fork, 0, errno);
  if (leader == 0) {
    lead(order,
         {.in = fds[kInFd], .out = fds[kOutFd], .err = fds[kErrFd], .cgroup = cgroup, .trouble = trouble_pipe[1]});
  }
  // The ends of the output's pipes are the container's alone: its end is seen as their end.
  for (const int fd : {fds[kOrderFd], fds[kInFd], fds[kOutFd], fds[kErrFd], trouble_pipe[1], cgroup}) {
    if (fd >= 0) ::close(fd);
  }
  LeaderTrouble trouble{};
  if (::read(trouble_pipe[0], &trouble, sizeof trouble) == static_cast<ssize_t>(sizeof trouble)) {
    fail(leash, trouble.stage, 0, trouble.error);
  }
  ::close(trouble_pipe[0]);
  const int self = static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0));
  send_report(leash, report, self);
  if (self >= 0) ::close(self);
  Flock flock{.leader = leader, .children = children};
  Post post{.leash = leash, .child_signals = child_signals, .keeping = keeping_of(order, fds)};
  watch(flock, post);
  slaughter(flock);
  tell_end(flock, post);
  ::_exit(0);
}

}  // namespace basalt::node
