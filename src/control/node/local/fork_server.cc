#include "control/node/local/fork_server.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/check.h"
#include "control/node/local/container_supervisor.h"
#include "control/node/local/descriptor_passing.h"

namespace basalt::node {
namespace {

constexpr int kMaxInherited = 65536;  // descriptors, where the kernel cannot close them all at once
static_assert(kRequestFdCount <= kMaxPassed);

void leave_what_is_not_ours(int socket) {
  ::setsid();  // Ctrl-C at the terminal is for the program, which then stops its containers in request
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int standard = 0; standard < 3; ++standard) ::dup2(nothing, standard);
  ::dup2(socket, 3);
  if (::syscall(SYS_close_range, 4U, ~0U, 0U) != 0) {
    for (int other = 4; other < kMaxInherited; ++other) ::close(other);
  }
  ::fcntl(3, F_SETFD, FD_CLOEXEC);
  [[maybe_unused]] const int moved = ::chdir("/");
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  ::signal(SIGCHLD, SIG_IGN);  // nobody waits for supervisors
  ::signal(SIGPIPE, SIG_IGN);
}

[[noreturn]] void serve_forks(int inherited_socket) {
  leave_what_is_not_ours(inherited_socket);
  ::prctl(PR_SET_NAME, "basalt-fork-srv");
  constexpr int kSocket = 3;
  int descriptors[kRequestFdCount];
  int clone_flags = 0;
  while (receive_message(kSocket, &clone_flags, sizeof clone_flags, descriptors)) {  // false: we are to end
    const pid_t child = fork_with(clone_flags);
    if (child == 0) {
      ::close(kSocket);
      supervisor(descriptors);
    }
    if (child < 0) {
      send_report(
          descriptors[kControlFd],
          SupervisorReport{
              .kind = SupervisorReportKind::Failed, .stage = StartStage::Clone, .step = 0, .error = errno, .status = 0},
          -1);
    }
    for (const int descriptor : descriptors) {
      if (descriptor >= 0) ::close(descriptor);
    }
  }
  ::_exit(0);
}

bool send_request(int socket, int clone_flags, std::span<const int> descriptors) {
  return send_message(socket, &clone_flags, sizeof clone_flags, descriptors);
}

}  // namespace

pid_t fork_with(int clone_flags) {
  // Not clone3: filters of system calls, such as those of container engines, often do not let it pass.
  return static_cast<pid_t>(::syscall(SYS_clone, clone_flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}

ForkServer::~ForkServer() { reap(); }

void ForkServer::reap() {
  socket_.reset();
  if (process_ > 0) {
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  process_ = -1;
}

Result<void> ForkServer::spawn() {
  reap();
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    return failure(ErrorCode::Io, std::string("cannot make a socket: ") + std::strerror(errno));
  }
  Descriptor ours(pair[0]);
  const Descriptor theirs(pair[1]);
  process_ = ::fork();
  if (process_ == 0) serve_forks(theirs.get());
  if (process_ < 0) {
    return failure(ErrorCode::Io, std::string("cannot fork: ") + std::strerror(errno) +
                                      "; raise the limit of processes (ulimit -u) or free some memory");
  }
  socket_ = std::move(ours);
  return {};
}

Result<void> ForkServer::request(int clone_flags, std::span<const int> descriptors) {
  check(descriptors.size() <= kRequestFdCount, "a request has no more descriptors than there are names for");
  const std::lock_guard lock(mutex_);
  if (socket_.is_open() && send_request(socket_.get(), clone_flags, descriptors)) return {};
  if (auto forked = spawn(); !forked) return forked;
  if (send_request(socket_.get(), clone_flags, descriptors)) return {};
  return failure(ErrorCode::Io, std::string("the fork server does not answer: ") + std::strerror(errno));
}

}  // namespace basalt::node
