#include "control/node/local/orphan.h"

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

#include "control/node/local/passed_message.h"
#include "control/node/local/start_order.h"

namespace basalt::node {
namespace {

bool write_piece(int spool, const SpoolHead& head, char* bytes) {
  iovec parts[2] = {{.iov_base = const_cast<SpoolHead*>(&head), .iov_len = sizeof head},
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

bool is_wanted(const Keeping& keeping) {
  struct stat found{};
  return ::fstat(keeping.spool, &found) == 0 && found.st_nlink > 0;
}

void put_aside(Keeping& keeping, int stream) {
  char bytes[kMaxSpoolPiece];
  const ssize_t size = ::read(keeping.ends[stream], bytes, sizeof bytes);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) {
    ::close(keeping.ends[stream]);
    keeping.ends[stream] = -1;
    return;
  }
  const auto more = static_cast<uint64_t>(size);
  const SpoolHead head{
      .time = wall_nanos(), .size = static_cast<uint32_t>(size), .stream = static_cast<uint32_t>(stream)};
  // Once something is lost, all that follows is: what is told later is then at the end.
  const bool room = keeping.lost == 0 && keeping.spooled + more <= kMaxSpoolBytes;
  if (room && write_piece(keeping.spool, head, bytes)) {
    keeping.spooled += more;
  } else {
    keeping.lost += more;
  }
}

int adopted(Keeping& keeping) {
  const int leash = ::accept4(keeping.listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (leash < 0) return -1;
  Report report{.kind = ReportKind::Adopted, .stage = {}, .step = 0, .error = 0, .status = 0};
  report.lost = keeping.lost;
  int passed[3];
  size_t count = 0;
  const int self = static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0));
  const int parts[3] = {self, keeping.ends[0], keeping.ends[1]};
  constexpr PassedPart kParts[3] = {kShepherdPart, kOutPart, kErrPart};
  for (size_t i = 0; i < 3; ++i) {
    if (parts[i] < 0) continue;
    report.parts |= kParts[i];
    passed[count++] = parts[i];
  }
  const bool told = send_message(leash, &report, sizeof report, std::span(passed, count));
  if (self >= 0) ::close(self);
  if (!told) {
    ::close(leash);
    return -1;
  }
  keeping.spooled = keeping.lost = 0;  // the node takes what is there
  return leash;
}

int wait_for_node(Keeping& keeping) {
  while (is_wanted(keeping)) {
    pollfd polled[3] = {{.fd = keeping.listener, .events = POLLIN, .revents = 0},
                        {.fd = keeping.ends[0], .events = POLLIN, .revents = 0},
                        {.fd = keeping.ends[1], .events = POLLIN, .revents = 0}};
    if (::poll(polled, 3, kOrphanLookMillis) <= 0) continue;
    for (int stream = 0; stream < 2; ++stream) {
      if (polled[1 + stream].revents != 0) put_aside(keeping, stream);
    }
    if (polled[0].revents == 0) continue;
    if (const int leash = adopted(keeping); leash >= 0) return leash;
  }
  return -1;
}

}  // namespace basalt::node
