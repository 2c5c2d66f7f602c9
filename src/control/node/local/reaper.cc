#include "control/node/local/reaper.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "control/node/local/cgroup.h"
#include "control/node/local/leftover_processes.h"

namespace basalt::node {
namespace {

constexpr size_t kReadBytes = size_t{64} * 1024;
constexpr int kMaxDrainReads = 64;  // a pipe that a stranger keeps open cannot hold up an end for ever

// What epoll gives back: a container's id and which of its descriptors. The wake_fd is id 0.
enum Which : uint64_t { kLeash, kOut, kErr, kWhiches = 4 };

std::string system_error(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

ProcessExit exit_of(int status) {
  if (WIFSIGNALED(status)) return {.code = 128 + WTERMSIG(status), .signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status)};
}

}  // namespace

Result<std::unique_ptr<Reaper>> Reaper::make(std::function<Instant()> clock) {
  Descriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
  Descriptor wake_fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll.is_open() || !wake_fd.is_open()) return failure(ErrorCode::Io, system_error("cannot wait for processes"));
  return std::unique_ptr<Reaper>(new Reaper(std::move(epoll), std::move(wake_fd), std::move(clock)));
}

Reaper::Reaper(Descriptor epoll, Descriptor wake_fd, std::function<Instant()> clock)
    : epoll_(std::move(epoll)), wake_fd_(std::move(wake_fd)), clock_(std::move(clock)) {
  watch(wake_fd_.get(), 0);
  thread_ = std::thread([this] { run(); });
}

Reaper::~Reaper() { let_go(); }

void Reaper::let_go() {
  if (!thread_.joinable()) return;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t woken = ::write(wake_fd_.get(), &one, sizeof one);
  thread_.join();
  const std::lock_guard lock(mutex_);
  for (const auto& [id, kept] : kept_) {
    if (kept->log) kept->log->finish(clock_());
  }
  kept_.clear();
}

void Reaper::watch(int descriptor, uint64_t key) const {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = key;
  check(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0, "a new descriptor can be watched");
}

// A supervisor may hold it, too: closing it would not make epoll forget it.
void Reaper::unwatch(Descriptor& descriptor) const {
  if (descriptor.is_open()) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor.get(), nullptr);
  descriptor.reset();
}

void Reaper::keep(uint64_t id, RunningContainer kept) {
  const int control_socket = kept.held.control_socket.get(), out = kept.held.out.get(), err = kept.held.err.get();
  const std::lock_guard lock(mutex_);
  kept_.emplace(id, std::make_unique<RunningContainer>(std::move(kept)));
  // Under the lock: the thread cannot let go of the descriptors before all are watched.
  watch(control_socket, id * kWhiches + kLeash);
  if (out >= 0) watch(out, id * kWhiches + kOut);
  if (err >= 0) watch(err, id * kWhiches + kErr);
}

void Reaper::signal(uint64_t id, int number) {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(id);
  if (found == kept_.end()) return;
  const auto message = static_cast<int32_t>(number);
  ::send(found->second->held.control_socket.get(), &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void Reaper::signal_all(int number) {
  const std::lock_guard lock(mutex_);
  const auto message = static_cast<int32_t>(number);
  for (const auto& [id, kept] : kept_) {
    ::send(kept->held.control_socket.get(), &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

bool Reaper::wait_until_empty(std::chrono::milliseconds longest) {
  std::unique_lock lock(mutex_);
  return emptied_.wait_for(lock, longest, [this] { return kept_.empty(); });
}

size_t Reaper::size() const {
  const std::lock_guard lock(mutex_);
  return kept_.size();
}

std::optional<Reaper::Way> Reaper::way_into(uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(id);
  if (found == kept_.end()) return std::nullopt;
  return Way{.supervisor = Descriptor(::fcntl(found->second->held.supervisor.get(), F_DUPFD_CLOEXEC, 0)),
             .cgroup = found->second->cgroup};
}

RunningContainer* Reaper::find(uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(id);
  return found == kept_.end() ? nullptr : found->second.get();
}

void Reaper::run() {
  std::array<epoll_event, 64> events{};
  while (true) {
    const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < count; ++i) {
      const uint64_t key = events[static_cast<size_t>(i)].data.u64;
      if (key == 0) return;
      handle(key);
    }
  }
}

void Reaper::handle(uint64_t key) {
  const uint64_t id = key / kWhiches;
  RunningContainer* const kept = find(id);
  if (kept == nullptr) return;  // ended by an event before, of the same wait
  if (key % kWhiches == kLeash) {
    SupervisorReport report{};
    const ssize_t size = ::recv(kept->held.control_socket.get(), &report, sizeof report, MSG_DONTWAIT);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (size == static_cast<ssize_t>(sizeof report) && report.kind == SupervisorReportKind::Ended) {
      return end(id, *kept, report);
    }
    // The supervisor was killed by force, and its processes with it, or they are found by their marker.
    if (!kept->marker.empty()) kill_leftover_processes(kept->marker + '\0');
    report = {};
    report.status = SIGKILL;
    return end(id, *kept, report);
  }
  const OutputStream stream = key % kWhiches == kOut ? OutputStream::Stdout : OutputStream::Stderr;
  if (read_output(*kept, stream) == Flow::Ended) {
    Descriptor& ended = stream == OutputStream::Stdout ? kept->held.out : kept->held.err;
    unwatch(ended);
  }
}

Reaper::Flow Reaper::read_output(RunningContainer& kept, OutputStream stream) const {
  const int descriptor = (stream == OutputStream::Stdout ? kept.held.out : kept.held.err).get();
  if (descriptor < 0) return Flow::Ended;
  std::array<char, kReadBytes> bytes;  // not initialised: 64 KiB per piece would cost
  const ssize_t size = ::read(descriptor, bytes.data(), bytes.size());
  if (size < 0) return errno == EAGAIN || errno == EINTR ? Flow::Empty : Flow::Ended;
  if (size == 0) return Flow::Ended;
  take(kept, stream, std::string_view(bytes.data(), static_cast<size_t>(size)));
  return Flow::More;
}

void Reaper::take(RunningContainer& kept, OutputStream stream, std::string_view bytes) const {
  if (kept.log) return kept.log->append(stream, bytes, clock_());
  if (kept.output) return kept.output(stream, bytes);
  kept.captured += bytes.substr(0, kMaxCapturedOutput - kept.captured.size());
}

void Reaper::end(uint64_t id, RunningContainer& kept, const SupervisorReport& report) {
  // All its processes are gone: what they wrote is in the pipes.
  for (const OutputStream stream : {OutputStream::Stdout, OutputStream::Stderr}) {
    for (int reads = 0; reads < kMaxDrainReads; ++reads) {
      if (read_output(kept, stream) != Flow::More) break;
    }
  }
  for (Descriptor* pipe : {&kept.held.out, &kept.held.err}) unwatch(*pipe);
  if (kept.log) kept.log->finish(clock_());
  ProcessExit exit = exit_of(report.status);
  if (report.ended_at != 0) exit.at = Instant{report.ended_at};
  exit.output = std::move(kept.captured);
  if (!kept.cgroup.empty()) {
    exit.out_of_memory = exit.signal == SIGKILL && Cgroups::out_of_memory(kept.cgroup);
    if (kept.owns_cgroup) Cgroups::remove(kept.cgroup);
  }
  kept.log.reset();
  if (kept.ended) kept.ended(std::move(exit));
  std::unique_ptr<RunningContainer> gone;
  const std::lock_guard lock(mutex_);
  gone = std::move(kept_[id]);
  kept_.erase(id);
  if (kept_.empty()) emptied_.notify_all();
}

}  // namespace basalt::node
