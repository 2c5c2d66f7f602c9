#include "control/node/local/exec_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace basalt::node {
namespace {

constexpr size_t kPieceBytes = size_t{32} * 1024;

// Writing to a command that has gone must not end us; it is told by EPIPE.
void block_sigpipe() {
  sigset_t broken;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &broken, nullptr);
}

}  // namespace

ExecCommand::ExecCommand(api::ExecCallbacks callbacks)
    : wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), callbacks_(std::move(callbacks)) {}

void ExecCommand::wake() const {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t woken = ::write(wake_fd_.get(), &one, sizeof one);
}

bool ExecCommand::input(std::string_view bytes) {
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    if (state_.input_ended) return true;
    state_.input += bytes;
    full = state_.input_full = state_.input.size() >= kMaxExecInput;
  }
  wake();
  return !full;
}

void ExecCommand::end_input() {
  {
    const std::lock_guard lock(mutex_);
    state_.input_ended = true;
  }
  wake();
}

void ExecCommand::resume() {
  {
    const std::lock_guard lock(mutex_);
    state_.listener_full = false;
  }
  wake();
}

void ExecCommand::stop() {
  {
    const std::lock_guard lock(mutex_);
    state_.stopped = true;
  }
  wake();
}

Result<ExecCommand::Pipes> ExecCommand::make_pipes(bool with_input) const {
  Pipes pipes;
  const bool made = wake_fd_.is_open() && make_pipe(pipes.out, pipes.their_out) &&
                    make_pipe(pipes.err, pipes.their_err) &&
                    (!with_input || (make_pipe(pipes.their_in, pipes.in) && unblock(pipes.in))) && unblock(pipes.out) &&
                    unblock(pipes.err);
  if (!made) return failure(ErrorCode::Io, std::string("cannot make a pipe: ") + std::strerror(errno));
  return pipes;
}

void ExecCommand::run(const api::ExecRequest& request, const ExecCommands::Start& start,
                      const std::function<void(ProcessId)>& kill) {
  block_sigpipe();
  auto pipes = make_pipes(request.input);
  if (!pipes) return refuse(pipes.error().message);
  ProcessSpec spec;
  spec.argv = request.argv;
  spec.stdio = {pipes->their_in.get(), pipes->their_out.get(), pipes->their_err.get()};
  const auto process = start(request, std::move(spec), [self = shared_from_this()](ProcessExit exit) {
    {
      const std::lock_guard lock(self->mutex_);
      self->state_.exit = std::move(exit);
    }
    self->wake();
  });
  if (!process) return refuse(process.error().message);
  pipes->their_in.reset();
  pipes->their_out.reset();
  pipes->their_err.reset();
  carry(*pipes, *process, kill);
}

ExecCommand::Glance ExecCommand::look() {
  const std::lock_guard lock(mutex_);
  return {.has_input = !state_.input.empty(),
          .input_ended = state_.input_ended,
          .listening = !state_.listener_full || state_.stopped,
          .stopped = state_.stopped,
          .exit = state_.exit};
}

void ExecCommand::carry(Pipes& pipes, ProcessId process, const std::function<void(ProcessId)>& kill) {
  std::optional<std::chrono::steady_clock::time_point> killed;
  for (;;) {
    const Glance now = look();
    if (now.stopped && !killed) {
      killed = std::chrono::steady_clock::now();
      kill(process);
    }
    if (now.has_input) write_input(pipes.in);
    if (now.input_ended && !now.has_input) pipes.in.reset();
    bool read = false;
    if (now.listening) {
      // Asked again between the two: the first may have filled the listener.
      read = read_output(pipes.out, api::ExecStream::Stdout, now.stopped);
      if (look().listening) read = read_output(pipes.err, api::ExecStream::Stderr, now.stopped) || read;
    }
    if (read) continue;
    // It had ended before we looked into the pipes, and they were empty.
    if (now.exit && now.listening) return end({.code = now.exit->code, .problem = ""});
    if (killed && std::chrono::steady_clock::now() - *killed > kMaxKillWait) {
      return end({.code = 0, .problem = "it was killed, but does not end"});
    }
    wait(pipes, now);
  }
}

void ExecCommand::wait(const Pipes& pipes, const Glance& now) const {
  const bool listening = now.listening;
  std::array<pollfd, 4> waited = {
      pollfd{.fd = wake_fd_.get(), .events = POLLIN, .revents = 0},
      pollfd{.fd = listening ? pipes.out.get() : -1, .events = POLLIN, .revents = 0},
      pollfd{.fd = listening ? pipes.err.get() : -1, .events = POLLIN, .revents = 0},
      pollfd{.fd = now.has_input ? pipes.in.get() : -1, .events = POLLOUT, .revents = 0},
  };
  constexpr int kPatience = 1000;  // only for one who was killed and does not end
  ::poll(waited.data(), waited.size(), now.stopped ? kPatience : -1);
  uint64_t woken = 0;
  [[maybe_unused]] const ssize_t heard = ::read(wake_fd_.get(), &woken, sizeof woken);
}

bool ExecCommand::read_output(Descriptor& pipe, api::ExecStream stream, bool discard) {
  if (!pipe.is_open()) return false;
  std::array<char, kPieceBytes> bytes;  // not initialised: read() says how much of it counts
  const ssize_t size = ::read(pipe.get(), bytes.data(), bytes.size());
  if (size < 0 && errno == EINTR) return true;
  if (size < 0 && errno == EAGAIN) return false;
  if (size <= 0) {
    pipe.reset();
    return false;
  }
  if (discard) return true;
  {
    // Beforehand: resume() may come before output() has returned.
    const std::lock_guard lock(mutex_);
    state_.listener_full = true;
  }
  if (callbacks_.output(stream, std::string_view(bytes.data(), static_cast<size_t>(size)))) {
    const std::lock_guard lock(mutex_);
    state_.listener_full = false;
  }
  return true;
}

void ExecCommand::write_input(Descriptor& pipe) {
  bool room = false;
  {
    const std::lock_guard lock(mutex_);
    const ssize_t size = pipe.is_open() ? ::write(pipe.get(), state_.input.data(), state_.input.size()) : -1;
    if (size >= 0) {
      state_.input.erase(0, static_cast<size_t>(size));
    } else if (!pipe.is_open() || (errno != EAGAIN && errno != EINTR)) {
      pipe.reset();  // nobody reads it any more: the rest is thrown away, as a pipe would
      state_.input.clear();
    }
    room = state_.input_full && state_.input.size() < kMaxExecInput / 2;
    if (room) state_.input_full = false;
  }
  if (room) callbacks_.room();
}

void ExecCommand::end(const api::ExecResult& how) {
  const api::ExecCallbacks callbacks = std::exchange(callbacks_, {});
  {
    const std::lock_guard lock(mutex_);
    state_.input.clear();
    state_.input_ended = true;
  }
  callbacks.ended(how);
  over_ = true;
}

}  // namespace basalt::node
