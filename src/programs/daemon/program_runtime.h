// What every program needs around its work: log, client, pages, lease, shutdown.
//
//   ProgramRuntime::open(flags, program) ─► make the work on runtime.client() ─► runtime.run(work, signals)
//
// 1. With leader election the work begins when the lease is ours, and nothing is written without it (FencedClient).
//    Losing it ends the process at once, with exit code 1.
// 2. At SIGTERM the work stops first, so that no write is under way, then the lease is given up: the next replica
//    begins at once. What hangs is not waited for longer than kShutdownTimeout.
// 3. /readyz is good when the work knows all that it follows, or when another replica leads. /healthz is bad when the
//    work has made no progress for kStuckAfter.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "control/loop/loop_health.h"
#include "programs/daemon/async_log.h"
#include "programs/daemon/counted_client.h"
#include "programs/daemon/diagnostics_server.h"
#include "programs/daemon/feature_gates.h"
#include "programs/daemon/klog_socket.h"
#include "programs/daemon/program_start.h"
#include "programs/daemon/signals.h"
#include "programs/lease/fenced_client.h"
#include "programs/lease/leader_elector.h"

namespace basalt::daemon {

// Longer than a call to a server that does not answer takes: that alone is no reason to be restarted.
inline constexpr Duration kStuckAfter = Duration::seconds(90);
// Behind SIGTERM. Kubernetes sends SIGKILL after 30 s, which leaves no line in the log.
inline constexpr std::chrono::seconds kShutdownTimeout{20};

// What a program does. Functions may be empty.
struct ProgramCallbacks {
  std::function<void()> start;               // quick: on the election's thread
  std::function<void()> stop;                // no write is under way afterwards
  const loop::LoopHealth* health = nullptr;  // of its loop
  std::function<std::string()> not_ready;    // besides the health; "": it is
  std::function<std::string()> metrics;      // Prometheus text
  Signals::Dumps dumps;
  std::chrono::milliseconds grace{0};  // that stop() is allowed; what is behind it has kShutdownTimeout besides
};

struct ProgramRuntimeOptions {
  bool election = true;                                    // false: without a lease, whatever the flags say
  bool tls_health = false;                                 // /healthz in TLS also without files
  std::span<const std::string_view> effective_gates = {};  // see FeatureGates::idle
};

class ProgramRuntime {
 public:
  // Reads files and flags; connects to nobody yet. cli::FlagValues that the program has not got (pages, election) mean:
  // none.
  static Result<std::unique_ptr<ProgramRuntime>> open(const cli::FlagValues& flags, const ProgramInfo& program,
                                                      const ProgramRuntimeOptions& options);
  ~ProgramRuntime();
  ProgramRuntime(const ProgramRuntime&) = delete;
  ProgramRuntime& operator=(const ProgramRuntime&) = delete;

  [[nodiscard]] client::ObjectClient& client() { return *fenced_; }
  [[nodiscard]] AsyncLog& log() { return *log_; }
  [[nodiscard]] const FeatureGates& gates() const { return gates_; }

  // Serves until it ends; answers the exit code. Once. Requires: `work` lives as long as this.
  int run(const ProgramCallbacks& work, Signals& signals);

 private:
  ProgramRuntime(const cli::FlagValues& flags, const ProgramInfo& program, const ProgramRuntimeOptions& options)
      : flags_(flags), program_(program), options_(options) {}
  Result<void> open_log();
  Result<void> open_clients();
  Result<lease::LeaderElectorOptions> leader_elector_options() const;
  Result<void> open_pages(const ProgramCallbacks& work);
  void begin(const ProgramCallbacks& work);
  void end(const ProgramCallbacks& work);
  [[nodiscard]] Signals::Dumps dumps_of(const ProgramCallbacks& work) const;
  [[nodiscard]] std::string not_ready(const ProgramCallbacks& work) const;
  [[nodiscard]] std::string metrics_text(const ProgramCallbacks& work) const;
  [[noreturn]] void lost() const;

  const cli::FlagValues flags_;
  const ProgramInfo program_;
  const ProgramRuntimeOptions options_;
  FeatureGates gates_;
  double started_at_ = 0;  // seconds since the epoch
  std::unique_ptr<AsyncLog> log_;
  std::unique_ptr<KlogSocket> log_socket_;
  std::unique_ptr<client::ObjectClient> lease_client_;
  std::unique_ptr<lease::LeaderElector> leader_;  // null: no election
  std::unique_ptr<client::ObjectClient> client_;  // behind the leader, whom it asks before it writes
  std::unique_ptr<CountedClient> counted_;
  std::unique_ptr<lease::FencedClient> fenced_;
  std::mutex mutex_;  // of begin and end
  bool ended_ = false;
  std::atomic<bool> working_ = false;
  std::unique_ptr<DiagnosticsServer> health_, metrics_;
};

}  // namespace basalt::daemon
