#include "up/up.h"

#include <pthread.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include "up/standalone.h"
#include "up/temporary_directory.h"

namespace basalt::up {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kGrace{5};

fs::path default_state() {
  if (const char* home = std::getenv("XDG_STATE_HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / "basalt";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return fs::path(home) / ".local" / "state" / "basalt";
  }
  return "basalt-state";
}

struct Settings {
  StandaloneOptions cluster;
  std::string state = default_state().string(), kubeconfig, access_log;
  bool state_given = false;
};

std::optional<int> read_words(cli::Words words, Settings& settings) {
  StandaloneOptions& cluster = settings.cluster;
  cluster.port = 6443;
  cluster.threads = std::max(1U, std::thread::hardware_concurrency());
  CLI::App app("Run a whole cluster in this process: API server, durable store, controllers. Ctrl-C stops it.",
               "basalt up");
  app.add_flag("--ephemeral", cluster.ephemeral, "keep objects in memory only; without --state nothing stays on disk");
  app.add_option("--state", settings.state, "directory of the store, certificates and logs")->capture_default_str();
  app.add_option("--kubeconfig", settings.kubeconfig,
                 "where to write the kubeconfig (default: in the state directory)");
  app.add_option("--address", cluster.address, "address to listen on")->capture_default_str();
  app.add_option("--port", cluster.port, "port to listen on; 0: any free one")->capture_default_str();
  app.add_option("--name", cluster.extra_names, "further DNS name or IP address of the server's certificate");
  app.add_option("--threads", cluster.threads, "network threads")->check(CLI::Range(1U, 256U))->capture_default_str();
  app.add_flag("--api-only", cluster.api_only, "no controllers: what kube-apiserver does on its own");
  app.add_option("--access-log", settings.access_log, "file for one line per request; - for standard error");
  const auto over = cli::parse_words(app, words);
  if (!over) settings.state_given = app.count("--state") > 0;
  return over;
}

Result<std::function<void(const server::AccessEntry&)>> open_access_log(const std::string& file) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file == "-" ? "/dev/stderr" : file);
    auto log = std::make_shared<spdlog::logger>("access", std::move(sink));
    log->set_pattern("%Y-%m-%dT%H:%M:%S.%fZ %v", spdlog::pattern_time_type::utc);
    log->flush_on(spdlog::level::info);
    return [log](const server::AccessEntry& entry) {
      log->info("method={} target={} status={} seconds={:.6f} user={} peer={} agent=\"{}\"", entry.method, entry.target,
                entry.status, entry.seconds, entry.user, entry.peer, entry.agent);
    };
  } catch (const spdlog::spdlog_ex& error) {
    return failure(ErrorCode::Io, "--access-log: " + std::string(error.what()));
  }
}

// Blocks the signals that end us before any thread starts, so that only sigwait() below sees them.
sigset_t block_end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

int fail(const Error& error) {
  std::fprintf(stderr, "basalt up: %s\n", error.message.c_str());
  return cli::kFailed;
}

}  // namespace

int run_up(cli::Words words) {
  Settings settings;
  if (const auto over = read_words(words, settings); over) return *over;
  const sigset_t signals = block_end_signals();
  std::optional<TemporaryDirectory> temporary;
  settings.cluster.state = settings.state;
  if (settings.cluster.ephemeral && !settings.state_given) {
    auto made = TemporaryDirectory::make();
    if (!made) return fail(made.error());
    temporary.emplace(std::move(*made));
    settings.cluster.state = temporary->path();
  }
  settings.cluster.kubeconfig = settings.kubeconfig;
  if (!settings.access_log.empty()) {
    auto log = open_access_log(settings.access_log);
    if (!log) return fail(log.error());
    settings.cluster.access_log = std::move(*log);
  }
  auto cluster = Standalone::start(std::move(settings.cluster));
  if (!cluster) return fail(cluster.error());
  std::printf("basalt is up: %s\n  export KUBECONFIG=%s\n", (*cluster)->url().c_str(),
              (*cluster)->kubeconfig().c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  std::fprintf(stderr, "basalt up: stopping\n");
  (*cluster)->stop(kGrace);
  return cli::kOk;
}

}  // namespace basalt::up
