#include "node/local/leader.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace basalt::node {
namespace {

[[noreturn]] void leader_fails(int pipe, StartStage stage) {
  const LeaderTrouble trouble{.stage = stage, .error = errno};
  [[maybe_unused]] const ssize_t written = ::write(pipe, &trouble, sizeof trouble);
  ::_exit(127);
}

void default_signals() {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace

void lead(const Order& order, const LeaderFds& fds) {
  const OrderHead& head = *order.head;
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::dup2(fds.in, 0) < 0 || ::dup2(fds.out, 1) < 0 || ::dup2(fds.err, 2) < 0) {
    leader_fails(fds.trouble, StartStage::Fork);
  }
  if (fds.cgroup >= 0 && ::write(fds.cgroup, "0", 1) < 0) leader_fails(fds.trouble, StartStage::Cgroup);
  const auto group = static_cast<gid_t>(head.gid);
  // The C library's own functions would tell threads that are not there any more.
  if ((head.uid >= 0 || head.gid >= 0) && ::syscall(SYS_setgroups, 0, nullptr) != 0) {
    leader_fails(fds.trouble, StartStage::User);
  }
  if (head.gid >= 0 && ::syscall(SYS_setresgid, group, group, group) != 0) {
    leader_fails(fds.trouble, StartStage::User);
  }
  const auto user = static_cast<uid_t>(head.uid);
  if (head.uid >= 0 && ::syscall(SYS_setresuid, user, user, user) != 0) leader_fails(fds.trouble, StartStage::User);
  if (head.uid >= 0) ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a change of user clears it
  if (::chdir(order.text(head.directory)) != 0) leader_fails(fds.trouble, StartStage::Directory);
  default_signals();
  // As a shell does: a program that may not be run is the answer only if no later directory has one.
  int worst = ENOENT;
  for (char** program = order.list(head.programs); *program != nullptr; ++program) {
    ::execve(*program, order.list(head.argv), order.list(head.environment));
    if (errno != ENOENT && errno != ENOTDIR) worst = errno;
    if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) break;
  }
  errno = worst;
  leader_fails(fds.trouble, StartStage::Program);
}

}  // namespace basalt::node
