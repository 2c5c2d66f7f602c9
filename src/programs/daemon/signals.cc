#include "programs/daemon/signals.h"

#include <pthread.h>

#include <cstdlib>
#include <initializer_list>

namespace basalt::daemon {

Signals::Signals(std::string_view program) : shutdown_deadline_(std::string(program)) {
  sigemptyset(&ends_);
  for (const int signal : {SIGINT, SIGTERM}) sigaddset(&ends_, signal);
  struct sigaction hang_up{};
  if (sigaction(SIGHUP, nullptr, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) sigaddset(&ends_, SIGHUP);
  all_ = ends_;
  for (const int signal : {SIGUSR1, SIGUSR2}) sigaddset(&all_, signal);
  pthread_sigmask(SIG_BLOCK, &all_, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

int Signals::next() const {
  int signal = SIGTERM;
  sigwait(&all_, &signal);
  return signal;
}

void Signals::end_at_once() const {
  struct sigaction action{};
  action.sa_handler = [](int) { std::_Exit(EXIT_FAILURE); };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (sigismember(&ends_, signal) == 1) sigaction(signal, &action, nullptr);
  }
  pthread_sigmask(SIG_UNBLOCK, &ends_, nullptr);
}

void Signals::serve_until_end(const Dumps& dumps, std::chrono::milliseconds grace) {
  for (;;) {
    const int signal = next();
    if (sigismember(&ends_, signal) == 1) {
      shutdown_deadline_.begin(grace);
      return end_at_once();
    }
    if (const auto& dump = signal == SIGUSR1 ? dumps.to_file : dumps.to_log; dump) dump();
  }
}

}  // namespace basalt::daemon
