#include "control/node/local/session_leader.h"

#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "control/node/local/descriptor_passing.h"
#include "control/node/local/socket_rules_trial.h"

namespace basalt::node {
namespace {

[[noreturn]] void leader_fails(int pipe, StartStage stage) {
  const LeaderFailure trouble{.stage = stage, .error = errno};
  [[maybe_unused]] const ssize_t written = ::write(pipe, &trouble, sizeof trouble);
  ::_exit(127);
}

void default_signals() {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// From here on bind, connect and sendto wait for the supervisor, which gets the listener.
void hand_over_socket_calls(const RequestHeader& head, const MappedRequest& request, int trouble) {
  sock_fprog program{.len = static_cast<unsigned short>(head.socket_filter_size),
                     .filter = reinterpret_cast<sock_filter*>(request.base + head.socket_filter)};
  const auto install = [&](unsigned long flags) {
    return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program));
  };
  // A signal does not interrupt a call that is being made for it (Linux 5.19).
  int listener = install(SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
  if (listener < 0 && errno == EINVAL) listener = install(SECCOMP_FILTER_FLAG_NEW_LISTENER);
  const LeaderFailure none{.stage = StartStage::SocketCalls, .error = 0};
  if (listener < 0 || !send_message(trouble, &none, sizeof none, {&listener, 1})) {
    leader_fails(trouble, StartStage::SocketCalls);
  }
  ::close(listener);
}

// No more than the container is to have: the bounding set is what its programs can get, as root by their start, as
// another user by a file that is set-user-ID.
void limit_privileges(const RequestHeader& head, const MappedRequest& request, int trouble) {
  constexpr int kMaxCapabilities = 64;
  for (int number = 0; head.limits_capabilities != 0 && number < kMaxCapabilities; ++number) {
    if ((head.capabilities >> static_cast<unsigned>(number) & 1U) != 0) continue;
    if (::prctl(PR_CAPBSET_DROP, number, 0, 0, 0) == 0) continue;
    if (errno == EINVAL) break;  // this kernel has no more
    leader_fails(trouble, StartStage::Privileges);
  }
  if (head.limits_capabilities != 0) ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (head.no_new_privileges != 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    leader_fails(trouble, StartStage::Privileges);
  }
  if (head.socket_filter != 0) hand_over_socket_calls(head, request, trouble);
  if (head.filter == 0) return;
  // While we still may: without no_new_privs it takes a capability that a change of user gives up.
  sock_fprog program{.len = static_cast<unsigned short>(head.filter_size),
                     .filter = reinterpret_cast<sock_filter*>(request.base + head.filter)};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) {
    leader_fails(trouble, StartStage::Privileges);
  }
}

// The C library's own functions would tell threads that are not there any more.
void change_user(const RequestHeader& head, const MappedRequest& request, int trouble) {
  const auto* const groups = reinterpret_cast<const gid_t*>(request.base + head.groups);
  if (head.sets_groups != 0 && ::syscall(SYS_setgroups, head.group_count, groups) != 0) {
    leader_fails(trouble, StartStage::User);
  }
  const auto group = static_cast<gid_t>(head.gid);
  if (head.gid >= 0 && ::syscall(SYS_setresgid, group, group, group) != 0) leader_fails(trouble, StartStage::User);
  const auto user = static_cast<uid_t>(head.uid);
  if (head.uid >= 0 && ::syscall(SYS_setresuid, user, user, user) != 0) leader_fails(trouble, StartStage::User);
  if (head.uid >= 0) ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a change of user clears it
}

}  // namespace

void run_session_leader(const MappedRequest& request, const LeaderFds& fds) {
  const RequestHeader& head = *request.head;
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::dup2(fds.in, 0) < 0 || ::dup2(fds.out, 1) < 0 || ::dup2(fds.err, 2) < 0) {
    leader_fails(fds.trouble, StartStage::Fork);
  }
  if (fds.cgroup >= 0 && ::write(fds.cgroup, "0", 1) < 0) leader_fails(fds.trouble, StartStage::Cgroup);
  limit_privileges(head, request, fds.trouble);
  change_user(head, request, fds.trouble);
  if (::chdir(request.text(head.directory)) != 0) leader_fails(fds.trouble, StartStage::Directory);
  if (head.only_try != 0) {
    errno = make_trial_calls(head.addresses);
    if (errno != 0) leader_fails(fds.trouble, StartStage::SocketCalls);
    ::_exit(0);
  }
  default_signals();
  // As a shell does: a program that may not be run is the answer only if no later directory has one.
  int worst = ENOENT;
  for (char** program = request.list(head.programs); *program != nullptr; ++program) {
    ::execve(*program, request.list(head.argv), request.list(head.environment));
    if (errno != ENOENT && errno != ENOTDIR) worst = errno;
    if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) break;
  }
  errno = worst;
  leader_fails(fds.trouble, StartStage::Program);
}

}  // namespace basalt::node
