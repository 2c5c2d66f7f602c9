#include "programs/up/up.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include "kube/client/wall_clock.h"
#include "kube/net/descriptor_limit.h"
#include "kube/text/go_duration.h"
#include "kube/text/quantity.h"
#include "programs/cli/flag_parser.h"
#include "programs/cli/shutdown_deadline.h"
#include "programs/up/detach.h"
#include "programs/up/run_file.h"
#include "programs/up/standalone.h"
#include "programs/up/state_directory.h"
#include "programs/up/temporary_directory.h"
#include "programs/up/up_log.h"

namespace basalt::up {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kGrace{5};        // for clients; then the same for pods
constexpr std::chrono::seconds kLastResort{15};  // whatever still runs then

struct Settings {
  StandaloneOptions cluster;
  std::string state = default_state().string(), kubeconfig, access_log, images;
  std::string schedule_period = "1s", self_check_period = "1m", memory_limit;
  std::vector<std::string> simulated_nodes;
  bool state_given = false;
  bool no_scheduler = false, no_local_node = false, stop_pods = false;
  std::string own_ports = "declared";
  bool detach = false;
  int ready_descriptor = -1;  // of the process that --detach starts
};

void add_server_words(cli::FlagParser& app, Settings& settings) {
  StandaloneOptions& cluster = settings.cluster;
  app.add_flag("--ephemeral", cluster.ephemeral, "keep objects in memory only; without --state nothing stays on disk");
  app.add_option("--state", settings.state, "directory of the store, certificates and logs")->capture_default_str();
  app.add_option("--kubeconfig", settings.kubeconfig,
                 "where to write the kubeconfig (default: in the state directory)");
  app.add_flag(
      "--detach", settings.detach,
      "return when the cluster serves and its nodes are ready; it goes on as a process of its own, until basalt "
      "down. With --ephemeral certificates and logs are in the state directory all the same");
  app.add_option("--ready-descriptor", settings.ready_descriptor)->hidden();  // detach.h
  app.add_option("--address", cluster.address, "address to listen on")->capture_default_str();
  app.add_option("--port", cluster.port, "port to listen on; 0: any free one")->capture_default_str();
  app.add_option("--name", cluster.extra_names, "further DNS name or IP address of the server's certificate");
  app.add_option("--threads", cluster.threads, "network threads")->range(1U, 256U)->capture_default_str();
  app.add_flag("--api-only", cluster.components.api_only, "only what kube-apiserver does on its own");
  app.add_option("--memory-limit", settings.memory_limit,
                 "memory for this process, such as 2Gi; near it writes are refused (default: what the machine or its "
                 "cgroup has)");
  app.add_option("--access-log", settings.access_log, "file for one line per request; - for standard error");
}

void add_component_words(cli::FlagParser& app, Settings& settings) {
  ClusterComponentOptions& components = settings.cluster.components;
  app.add_flag("--no-scheduler", settings.no_scheduler, "place no pods");
  app.add_option("--scheduler-conf", components.scheduler_conf,
                 "the policy, a volcano-scheduler.conf; read again when it changes (without it: the ConfigMap "
                 "volcano-system/volcano-scheduler-configmap)");
  app.add_flag("--refuse-unsupported-policy", components.refuse_unsupported_policy,
               "refuse a policy that names a plugin or action of Volcano's that is not here, instead of skipping it");
  app.add_option("--schedule-period", settings.schedule_period, "the longest time between two scheduling cycles")
      ->capture_default_str();
  app.add_option("--self-check-period", settings.self_check_period,
                 "between two comparisons of the scheduler's state with the API; 0: never")
      ->capture_default_str();
  app.add_option("--terminated-pod-gc-threshold", components.terminated_pods,
                 "finished pods that no owner counts any more are kept up to this number; 0: all are")
      ->capture_default_str();
  app.add_flag("--no-local-node", settings.no_local_node, "do not run pods as processes of this machine");
  app.add_flag("--stop-pods", settings.stop_pods,
               "end pods of this machine with us; without it they go on, and the next start takes them over");
  app.add_option("--own-ports", settings.own_ports,
                 "ports that are each pod's own, on this machine: those that its containers declare (declared, the "
                 "default), all (also without a word), or none: then pods share the machine's")
      ->one_of({"declared", "all", "none"})
      ->value_optional();
  app.add_option("--node-name", components.node_name, "of this machine as a node (default: the host name)");
  app.add_option("--gpus", components.gpus, "GPUs of this machine (default: those that are found)")
      ->range(int64_t{0}, int64_t{1024});
  app.add_option("--images", settings.images, "file that maps images to root directories or command prefixes");
  app.add_option(
      "--simulated-nodes", settings.simulated_nodes,
      "nodes that only exist as objects, e.g. 1000:cpu=64,memory=256Gi,nvidia.com/gpu=8,name=gpu,label=zone=a "
      "(again: another group)");
  app.add_option("--simulated-run-seconds", components.run_seconds,
                 "how long pods run on simulated nodes, e.g. 30 or 10..60 (default: until they are deleted)");
}

int fail(const Error& error) {
  std::fprintf(stderr, "basalt up: %s\n", error.message.c_str());
  return cli::kFailed;
}

// A word of --own-ports; "": the flag was given without one.
node::OwnPorts own_ports_from(std::string_view word) {
  if (word == "declared") return node::OwnPorts::Declared;
  return word == "none" ? node::OwnPorts::None : node::OwnPorts::All;
}

// What CLI11 leaves as text.
Result<void> read_texts(Settings& settings) {
  ClusterComponentOptions& components = settings.cluster.components;
  components.scheduler = !settings.no_scheduler;
  components.local_node = !settings.no_local_node;
  components.keep_pods = !settings.stop_pods;
  components.own_ports = own_ports_from(settings.own_ports);
  components.images_file = settings.images;
  struct Length {
    const char* flag;
    const std::string& text;
    Duration& out;
    bool may_be_zero;
  };
  for (const Length& length :
       {Length{"--schedule-period", settings.schedule_period, components.schedule_period, false},
        Length{"--self-check-period", settings.self_check_period, components.self_check, true}}) {
    const auto read = text::parse_duration(length.text);
    if (!read) return std::unexpected(read.error().within(length.flag));
    if (read->nanos < 0 || (read->nanos == 0 && !length.may_be_zero)) {
      return failure(ErrorCode::Invalid, std::string(length.flag) + ": must be longer than 0, for example 1s");
    }
    length.out = *read;
  }
  if (!settings.memory_limit.empty()) {
    const auto bytes = text::Quantity::parse(settings.memory_limit);
    if (!bytes) return std::unexpected(bytes.error().within("--memory-limit"));
    if (bytes->value() <= 0) return invalid("--memory-limit: must be more than 0, for example 2Gi");
    settings.cluster.memory_limit = static_cast<uint64_t>(bytes->value());
  }
  for (const std::string& text : settings.simulated_nodes) {
    auto group = node::parse_simulated_group(text);
    if (!group) return std::unexpected(group.error().within("--simulated-nodes"));
    components.simulated.push_back(std::move(*group));
  }
  return {};
}

std::optional<int> read_words(cli::Words words, Settings& settings) {
  settings.cluster.port = 6443;
  settings.cluster.threads = std::max(1U, std::thread::hardware_concurrency());
  settings.cluster.workers = std::max(2U, std::thread::hardware_concurrency());
  cli::FlagParser app(
      "Run a whole cluster in this process: API server, durable store, admission, controllers, scheduler, and nodes:\n"
      "this machine, whose pods are real processes, and any number of simulated ones. Ctrl-C stops it.",
      "basalt up");
  add_server_words(app, settings);
  add_component_words(app, settings);
  if (const auto over = cli::parse_words(app, words); over) return over;
  settings.state_given = app.count("--state") > 0;
  if (const auto read = read_texts(settings); !read) return fail(read.error()), cli::kUsage;
  return {};
}

DetachOptions plan_of(const Settings& settings) {
  const ClusterComponentOptions& components = settings.cluster.components;
  DetachOptions plan{.state = settings.state, .state_given = settings.state_given, .kubeconfig = settings.kubeconfig};
  if (components.api_only) return plan;
  plan.nodes = components.local_node ? 1 : 0;
  for (const node::SimulatedNodeGroup& group : components.simulated) plan.nodes += group.count;
  return plan;
}

// Notes which process serves the state directory; whoever asks for it is answered.
Result<void> announce(const fs::path& state, const Standalone& cluster, bool ephemeral, int ready_descriptor) {
  const auto process = identity_of_process(getpid());
  if (process) {
    auto noted = write_run_file(state, {.process = *process,
                                        .url = cluster.url(),
                                        .kubeconfig = fs::absolute(cluster.kubeconfig()),
                                        .since = client::wall_clock(),
                                        .ephemeral = ephemeral});
    if (!noted) return noted;
  }
  notify_ready(ready_descriptor);
  return {};
}

// Blocks the signals that end us before any thread starts, so that only sigwait() below sees them.
sigset_t block_end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  struct sigaction hang_up{};
  if (sigaction(SIGHUP, nullptr, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
  return signals;
}

// From now on a further signal ends the process at once.
void let_end_at_once(const sigset_t& signals) {
  struct sigaction action{};
  action.sa_handler = [](int) { std::_Exit(cli::kFailed); };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (sigismember(&signals, signal) == 1) sigaction(signal, &action, nullptr);
  }
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace

int run_up(cli::Words words) {
  Settings settings;
  if (const auto over = read_words(words, settings); over) return *over;
  if (settings.detach) return start_detached(words, plan_of(settings));
  if (settings.ready_descriptor >= 0) ::fcntl(settings.ready_descriptor, F_SETFD, FD_CLOEXEC);  // no pod gets it
  const sigset_t signals = block_end_signals();
  cli::ShutdownDeadline last_resort("basalt up");  // before all that might not end
  net::raise_descriptor_limit();
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
  settings.cluster.components.log = open_log();
  std::atomic<bool> store_lost = false;
  settings.cluster.store_lost = [&store_lost] {
    store_lost = true;
    kill(getpid(), SIGTERM);
  };
  const fs::path state = settings.cluster.state;
  const bool ephemeral = settings.cluster.ephemeral;
  auto cluster = Standalone::start(std::move(settings.cluster));
  if (!cluster) return fail(cluster.error());
  if (auto told = announce(state, **cluster, ephemeral, settings.ready_descriptor); !told) return fail(told.error());
  std::printf("basalt is up: %s\n  export KUBECONFIG=%s\n", (*cluster)->url().c_str(),
              (*cluster)->kubeconfig().c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  last_resort.begin(kLastResort);
  let_end_at_once(signals);
  std::fprintf(stderr, "basalt up: stopping\n");
  (*cluster)->stop(kGrace);
  remove_run_file(state);
  return store_lost ? cli::kFailed : cli::kOk;
}

}  // namespace basalt::up
