#include "control/node/local/detached_supervisor.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>

#include "control/node/local/descriptor_passing.h"
#include "control/node/local/start_request.h"

namespace basalt::node {
namespace {

bool write_piece(int spool, const SpoolHeader& head, char* bytes) {
  iovec parts[2] = {{.iov_base = const_cast<SpoolHeader*>(&head), .iov_len = sizeof head},
                    {.iov_base = bytes, .iov_len = head.size}};
  ssize_t written = 0;
  do {
    written = ::writev(spool, parts, 2);
  } while (written < 0 && errno == EINTR);
  return written == static_cast<ssize_t>(sizeof head + head.size);
}

}  // namespace

int64_t wall_nanos() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

bool is_wanted(const DetachedState& detached) {
  struct stat found{};
  return ::fstat(detached.spool, &found) == 0 && found.st_nlink > 0;
}

void spool_output(DetachedState& detached, int stream) {
  char bytes[kMaxSpoolPiece];
  const ssize_t size = ::read(detached.ends[stream], bytes, sizeof bytes);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) {
    ::close(detached.ends[stream]);
    detached.ends[stream] = -1;
    return;
  }
  const auto more = static_cast<uint64_t>(size);
  const SpoolHeader head{
      .time = wall_nanos(), .size = static_cast<uint32_t>(size), .stream = static_cast<uint32_t>(stream)};
  // Once something is lost, all that follows is: what is told later is then at the end.
  const bool room = detached.lost == 0 && detached.spooled + more <= kMaxSpoolBytes;
  if (room && write_piece(detached.spool, head, bytes)) {
    detached.spooled += more;
  } else {
    detached.lost += more;
  }
}

int accept_node(DetachedState& detached) {
  const int control_socket = ::accept4(detached.listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (control_socket < 0) return -1;
  SupervisorReport report{.kind = SupervisorReportKind::Adopted, .stage = {}, .step = 0, .error = 0, .status = 0};
  report.lost = detached.lost;
  int passed[3];
  size_t count = 0;
  const int self = static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0));
  const int parts[3] = {self, detached.ends[0], detached.ends[1]};
  constexpr PassedPart kParts[3] = {kSupervisorPart, kOutPart, kErrPart};
  for (size_t i = 0; i < 3; ++i) {
    if (parts[i] < 0) continue;
    report.parts |= kParts[i];
    passed[count++] = parts[i];
  }
  const bool told = send_message(control_socket, &report, sizeof report, std::span(passed, count));
  if (self >= 0) ::close(self);
  if (!told) {
    ::close(control_socket);
    return -1;
  }
  detached.spooled = detached.lost = 0;  // the node takes what is there
  return control_socket;
}

int wait_for_node(DetachedState& detached) {
  while (is_wanted(detached)) {
    pollfd polled[3] = {{.fd = detached.listener, .events = POLLIN, .revents = 0},
                        {.fd = detached.ends[0], .events = POLLIN, .revents = 0},
                        {.fd = detached.ends[1], .events = POLLIN, .revents = 0}};
    if (::poll(polled, 3, kDetachedPollMillis) <= 0) continue;
    for (int stream = 0; stream < 2; ++stream) {
      if (polled[1 + stream].revents != 0) spool_output(detached, stream);
    }
    if (polled[0].revents == 0) continue;
    if (const int control_socket = accept_node(detached); control_socket >= 0) return control_socket;
  }
  return -1;
}

}  // namespace basalt::node
