#include "programs/daemon/program_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "kube/client/process_metrics.h"
#include "kube/client/wall_clock.h"
#include "kube/net/descriptor_limit.h"
#include "kube/text/prometheus.h"
#include "programs/daemon/log_level_page.h"

namespace basalt::daemon {

Result<std::unique_ptr<ProgramRuntime>> ProgramRuntime::open(const cli::FlagValues& flags, const ProgramInfo& program,
                                                             const ProgramRuntimeOptions& options) {
  std::unique_ptr<ProgramRuntime> runtime(
      new ProgramRuntime(flags, program, options));  // NOLINT: the constructor is private
  if (auto done = runtime->open_log(); !done) return std::unexpected(done.error());
  if (auto done = runtime->open_clients(); !done) return std::unexpected(done.error());
  return runtime;
}

ProgramRuntime::~ProgramRuntime() = default;

Result<void> ProgramRuntime::open_log() {
  net::raise_descriptor_limit();
  started_at_ = static_cast<double>(client::wall_clock().nanos) / 1e9;
  const auto format = parse_log_format(flags_.text("logging-format"));
  if (!format) return std::unexpected(format.error().within("--logging-format"));
  if (flags_.has("feature-gates")) {
    auto gates = FeatureGates::read(flags_.list("feature-gates"));
    if (!gates) return std::unexpected(gates.error());
    gates_ = std::move(*gates);
  }
  const auto level = static_cast<int>(std::min<int64_t>(flags_.number("v"), kMaxLogLevel));
  log_ = std::make_unique<AsyncLog>(std::string(program_.name), *format, level);
  for (const std::string& line : flags_.idle()) log_->write(Severity::Info, line);
  for (const std::string& line : gates_.idle(options_.effective_gates)) log_->write(Severity::Info, line);
  for (const std::string& word : flags_.arguments()) {
    log_->write(Severity::Warning, fmt::format("the word \"{}\" on the command line is no flag and was skipped", word));
  }
  return {};
}

Result<void> ProgramRuntime::open_clients() {
  if (options_.election && flags_.has("leader-elect") && flags_.on("leader-elect")) {
    auto options = leader_elector_options();
    if (!options) return std::unexpected(options.error());
    auto lease_client = connect_lease_client(flags_, program_);
    if (!lease_client) return std::unexpected(lease_client.error());
    lease_client_ = std::move(*lease_client);
    leader_ = std::make_unique<lease::LeaderElector>(*lease_client_, std::move(*options));
  }
  const auto may_write = [leader = leader_.get()] { return leader == nullptr || leader->is_leading(); };
  auto client = connect_client(flags_, program_, may_write);
  if (!client) return std::unexpected(client.error());
  client_ = std::move(*client);
  counted_ = std::make_unique<CountedClient>(*client_);
  fenced_ = std::make_unique<lease::FencedClient>(*counted_, may_write);
  return {};
}

Result<lease::LeaderElectorOptions> ProgramRuntime::leader_elector_options() const {
  if (flags_.text("leader-elect-resource-lock") != "leases") {
    return invalid("--leader-elect-resource-lock: only leases can be held; leave the flag out");
  }
  const std::string& old_name = flags_.text("lock-object-namespace");
  lease::LeaderElectorOptions options{
      .namespace_name = old_name.empty() ? flags_.text("leader-elect-resource-namespace") : old_name,
      .name = flags_.text("leader-elect-resource-name"),
      .identity = lease::new_identity(),
      .lease = flags_.length("leader-elect-lease-duration"),
      .renew = flags_.length("leader-elect-renew-deadline"),
      .retry = flags_.length("leader-elect-retry-period"),
      .log = [this](const std::string& line) { log_->write(Severity::Info, line); }};
  if (auto checked = lease::check_leader_elector_options(options); !checked) return std::unexpected(checked.error());
  return options;
}

Result<void> ProgramRuntime::open_pages(const ProgramCallbacks& work) {
  if (flags_.has("enable-healthz") && flags_.on("enable-healthz")) {
    const PageHandler health = ready_when([&work] {
      const Duration busy = work.health == nullptr ? Duration{} : work.health->busy_for();
      return busy <= kStuckAfter ? "" : fmt::format("the work has not got on for {} s", busy.nanos / 1'000'000'000);
    });
    DiagnosticsTlsOptions files{.certificate_file = flags_.text("tls-cert-file"),
                                .key_file = flags_.text("tls-private-key-file"),
                                .client_ca_file = flags_.text("ca-cert-file")};
    // As Volcano: in TLS only when all three are given.
    if (files.certificate_file.empty() || files.key_file.empty() || files.client_ca_file.empty()) {
      files = {.self_signed_tls = options_.tls_health};
    }
    files.report_error = [this](const std::string& line) { log_->write(Severity::Error, line); };
    auto started = DiagnosticsServer::start(
        flags_.text("healthz-address"), files,
        {{"/healthz", health}, {"/healthz/ping", healthy()}, {"/livez", health}, {"/readyz", ready_when([this, &work] {
                                                                                    return not_ready(work);
                                                                                  })}});
    if (!started) return std::unexpected(started.error().within("--healthz-address"));
    health_ = std::move(*started);
  }
  if (flags_.has("enable-metrics") && (flags_.on("enable-metrics") || flags_.on("enable-pprof"))) {
    PageTable pages;
    if (flags_.on("enable-metrics")) pages["/metrics"] = metrics_of([this, &work] { return metrics_text(work); });
    if (flags_.on("enable-pprof")) add_log_level_page(pages, *log_);
    auto started = DiagnosticsServer::start(flags_.text("listen-address"), {}, std::move(pages));
    if (!started) return std::unexpected(started.error().within("--listen-address"));
    metrics_ = std::move(*started);
  }
  auto socket = KlogSocket::start(*log_, log_socket_directory(), "klog");
  if (!socket) {
    log_->write(Severity::Warning, "no socket for the log level: " + socket.error().message);
  } else {
    log_socket_ = std::move(*socket);
  }
  return {};
}

std::string ProgramRuntime::not_ready(const ProgramCallbacks& work) const {
  if (leader_ != nullptr && !leader_->is_leading()) {
    return leader_->holder().empty() ? "no replica is known to lead yet" : "";
  }
  if (!working_) return "the work has not begun yet";
  if (const std::string unsynced = work.health == nullptr ? "" : work.health->unsynced(); !unsynced.empty()) {
    return "not everything was listed yet: " + unsynced;
  }
  return work.not_ready ? work.not_ready() : "";
}

std::string ProgramRuntime::metrics_text(const ProgramCallbacks& work) const {
  std::string out = work.metrics ? work.metrics() : "";
  if (leader_ != nullptr) {
    text::append_family(out, "leader_election_master_status", "gauge", "1 while this replica leads.");
    text::append_series(out, "leader_election_master_status",
                        text::one_label("name", flags_.text("leader-elect-resource-name")),
                        leader_->is_leading() ? 1 : 0);
  }
  out += counted_->metrics_text();
  client::append_process_metrics(out, started_at_);
  return out;
}

void ProgramRuntime::begin(const ProgramCallbacks& work) {
  const std::scoped_lock lock(mutex_);
  if (ended_) return;
  log_->write(Severity::Info, leader_ == nullptr ? "begins to work" : "leads, and begins to work");
  if (work.start) work.start();
  working_ = true;
}

void ProgramRuntime::end(const ProgramCallbacks& work) {
  const std::scoped_lock lock(mutex_);
  ended_ = true;
  if (working_ && work.stop) work.stop();
}

// Whoever leads now must not meet writes of ours, so nothing is waited for but the last words.
void ProgramRuntime::lost() const {
  log_->write(Severity::Error, fmt::format("the lease is lost (it names {}): ends", leader_->holder()));
  log_->settle();
  std::_Exit(cli::kFailed);
}

// Without the lease there is no state to be written, and nobody to write it.
Signals::Dumps ProgramRuntime::dumps_of(const ProgramCallbacks& work) const {
  const auto while_working = [this](std::function<void()> dump) -> std::function<void()> {
    if (!dump) return nullptr;
    return [this, dump = std::move(dump)] {
      if (working_) return dump();
      log_->write(Severity::Info, "there is no state to dump: this replica does not lead");
    };
  };
  return {.to_file = while_working(work.dumps.to_file), .to_log = while_working(work.dumps.to_log)};
}

int ProgramRuntime::run(const ProgramCallbacks& work, Signals& signals) {
  if (auto done = open_pages(work); !done) {
    log_->write(Severity::Error, done.error().message);
    return cli::kFailed;
  }
  if (leader_ != nullptr) {
    leader_->start([this, &work] { begin(work); }, [this] { lost(); });
  } else {
    begin(work);
  }
  signals.serve_until_end(dumps_of(work), work.grace + kShutdownTimeout);
  log_->write(Severity::Info, "was asked to end");
  end(work);
  if (leader_ != nullptr) leader_->stop();
  health_.reset();
  metrics_.reset();
  log_->write(Severity::Info, "ends");
  return cli::kOk;
}

}  // namespace basalt::daemon
