#include "lab/bench/bench_kubernetes_run.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "control/loop/api_writes.h"
#include "control/node/simulated/simulated_nodes.h"
#include "kube/api/views/node_view.h"
#include "kube/client/https_object_client.h"
#include "lab/bench/bench_process.h"
#include "lab/bench/null_scheduler.h"

namespace basalt::lab {
namespace {

using Clock = PodTimeline::Clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kKubernetesLongestStart{300};
constexpr seconds kCalm{3};
constexpr seconds kLongestRest{120};
constexpr double kRestShare = 0.01;                    // of a core
constexpr std::string_view kServerRole = "apiserver";  // it never rests
constexpr milliseconds kKubernetesLook{20}, kProgressEvery{500};
constexpr int64_t kRunPageSize = 1000;
constexpr std::string_view kUnbound = "spec.nodeName=";
const api::GroupVersionResource kRunPods{.group = "", .version = "v1", .plural = "pods"};
const api::GroupVersionResource kRunNodes{.group = "", .version = "v1", .plural = "nodes"};

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

Result<std::unique_ptr<client::HttpsObjectClient>> client_for(const client::RestConfig& connection, size_t connections,
                                                              const char* agent) {
  client::HttpsObjectClientOptions options;
  if (connections > 0) options.max_connections = connections;
  options.user_agent = agent;
  options.lean = true;  // as the programs have it, and these
  options.qps = options.burst = 2000;
  return client::HttpsObjectClient::make(connection, std::move(options));
}

// The null scheduler as a process of its own, so that it can be measured as any other. It ends with us.
class NullProcess {
 public:
  static Result<std::unique_ptr<NullProcess>> start(const client::RestConfig& connection,
                                                    const KubeBenchOptions& bench) {
    int ends[2];
    if (pipe(ends) != 0) return failure(ErrorCode::Io, "the null scheduler cannot be started: no pipe");
    const pid_t child = fork();
    if (child < 0) return failure(ErrorCode::Io, "the null scheduler cannot be started: no process");
    if (child == 0) {
      close(ends[1]);
      auto client = client_for(connection, 0, "null-scheduler");
      _exit(client ? run_null_scheduler(**client, bench.load.scheduler_name, ends[0]) : 1);
    }
    close(ends[0]);
    return std::make_unique<NullProcess>(child, ends[1]);
  }
  NullProcess(pid_t pid, int end) : pid_(pid), end_(end) {}
  NullProcess(const NullProcess&) = delete;
  NullProcess& operator=(const NullProcess&) = delete;
  ~NullProcess() {
    close(end_);
    waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] WatchedProcess process() const { return {.role = "scheduler", .pid = pid_}; }

 private:
  pid_t pid_;
  int end_;
};

// One run on an open cluster.
class KubeRun {
 public:
  KubeRun(client::ObjectClient& loader, client::ObjectClient& fleet_client, const KubeBenchOptions& bench,
          Progress progress)
      : loader_(loader),
        fleet_(fleet_client),
        tap_(fleet_client, schedule_),
        bench_(bench),
        progress_(std::move(progress)) {}

  Result<KubeBenchResult> run() {
    if (auto done = bench_.raw ? Result<void>() : prepare(); !done) return std::unexpected(done.error());
    auto measured = bench_.raw ? run_raw() : run_load();
    if (measured && bench_.watch_idle > 0) {
      if (auto done = watch_idle(*measured); !done) measured = std::unexpected(done.error());
    }
    if (nodes_ != nullptr) nodes_->stop();
    stream_.reset();
    if (bench_.keep) return measured;
    progress_("cleaning up");
    const auto cleaned = remove_load(loader_, bench_.load.namespace_name, bench_.makes_nodes);
    if (measured && !cleaned) return std::unexpected(cleaned.error());
    return measured;
  }

 private:
  Result<void> prepare() {
    if (auto done = open_queue(loader_); !done) return done;
    if (!bench_.makes_nodes) {
      listen("");
      return {};
    }
    if (bench_.load.kind == KubeLoad::Kind::Jobs) listen(kUnbound);  // when were they made?
    node::SimulatedNodeGroup group{.name = "bench", .count = static_cast<int64_t>(bench_.nodes)};
    group.labels.emplace(std::string(kBenchLabel), "node");
    node::SimulatedNodesOptions options{.groups = {std::move(group)}, .alone = true};
    options.loop.clock = wall_clock;
    options.loop.component = "basalt-bench";
    auto made = node::SimulatedNodes::make(tap_, std::move(options));
    if (!made) return std::unexpected(made.error());
    nodes_ = std::move(*made);
    nodes_->start();
    return wait_for_nodes();
  }

  void listen(std::string_view fields) {
    stream_ = std::make_unique<KindWatcher>(
        fleet_, std::vector<KindWatcher::Kind>{{kRunPods, std::string(fields)}},
        [this](size_t /*kind*/, const client::WatchEvent& event) { schedule_.take(event); });
  }

  // Those that are there and take pods. A kubelet's node is born with a taint that a controller removes once it is
  // ready; where none does, we do.
  [[nodiscard]] size_t count_nodes() {
    api::Call list{.verb = api::Verb::List,
                   .resource = kRunNodes,
                   .label_selector = std::string(kBenchLabel),
                   .limit = kRunPageSize};
    size_t count = 0;
    do {
      const client::ReplyOrError page = loader_.call(list);
      if (!page) return 0;
      for (const client::ObjectPtr& node : page->items) {
        count += api::NodeView(node->get_object()).spec().taints().json() == nullptr ? 1 : 0;  // not-ready at first
      }
      list.continue_token = page->continue_token;
    } while (!list.continue_token.empty());
    return count;
  }

  Result<void> wait_for_nodes() {
    const Clock::time_point end = Clock::now() + kKubernetesLongestStart;
    for (size_t count = count_nodes(); count < bench_.nodes; count = count_nodes()) {
      if (Clock::now() > end) return failure(ErrorCode::Io, fmt::format("only {} nodes could be made", count));
      progress_(fmt::format("{} of {} nodes", count, bench_.nodes));
      std::this_thread::sleep_for(kProgressEvery);
    }
    std::this_thread::sleep_for(kCalm);  // whoever is under test hears of them
    return {};
  }

  Result<std::vector<ProcessUsage>> usages() const {
    std::vector<ProcessUsage> usages;
    for (const WatchedProcess& process : bench_.processes) {
      auto usage = usage_of(process);
      if (!usage) return std::unexpected(usage.error());
      usages.push_back(*usage);
    }
    return usages;
  }

  Result<KubeBenchResult> run_load() {
    KubeBenchResult measured;
    const auto before = usages();
    if (!before) return std::unexpected(before.error());
    const double cpu_before = cpu_seconds();
    const Clock::time_point start = Clock::now();
    Result<LoadResult> sent;
    std::thread sender([&] {
      sent = send_load(loader_, bench_.load, schedule_);
      if (!sent) refused_ = true;
    });
    const auto all_run = wait_for_pods(start);
    sender.join();
    if (!sent) return std::unexpected(sent.error());
    if (!all_run) return std::unexpected(all_run.error());
    measured.sent = *sent;
    measured.all_bound = seconds_between(start, schedule_.last_bound());
    measured.all_running = seconds_between(start, schedule_.last_running());
    measured.bound_p50 = schedule_.bound_after(0.50);
    measured.bound_p99 = schedule_.bound_after(0.99);
    if (auto done = come_to_rest(); !done) return std::unexpected(done.error());
    measured.bench_cpu = cpu_seconds() - cpu_before;
    const auto after = usages();
    if (!after) return std::unexpected(after.error());
    for (size_t i = 0; i < after->size(); ++i) {
      measured.processes.push_back({.role = bench_.processes[i].role,
                                    .cpu_seconds = (*after)[i].cpu_seconds - (*before)[i].cpu_seconds,
                                    .resident_mib = (*after)[i].resident_mib,
                                    .peak_mib = (*after)[i].peak_mib,
                                    .idle_percent = {}});
    }
    return measured;
  }

  Result<void> wait_for_pods(Clock::time_point start) {
    const size_t pods = bench_.load.pods();
    Clock::time_point told = start;
    while (schedule_.running() < pods && !refused_) {
      const Clock::time_point now = Clock::now();
      if (now > start + seconds(bench_.timeout)) {
        return failure(ErrorCode::Io,
                       fmt::format("after {} s {} of {} pods were sent, {} bound, {} running", bench_.timeout,
                                   schedule_.sent(), pods, schedule_.bound(), schedule_.running()));
      }
      if (now > told + kProgressEvery) {
        told = now;
        progress_(fmt::format("{:.0f} s: {} sent, {} bound, {} running of {}", seconds_between(start, now),
                              schedule_.sent(), schedule_.bound(), schedule_.running(), pods));
      }
      std::this_thread::sleep_for(kKubernetesLook);
    }
    return {};
  }

  Result<KubeBenchResult> run_raw() {
    KubeBenchResult measured;
    progress_("creating");
    const auto sent = send_load(loader_, bench_.load, schedule_);
    if (!sent) return std::unexpected(sent.error());
    measured.sent = *sent;
    progress_("binding");
    const auto binds = bind_load(loader_, bench_.load, bench_.nodes);
    if (!binds) return std::unexpected(binds.error());
    measured.binds = *binds;
    return measured;
  }

  Result<void> watch_idle(KubeBenchResult& measured) {
    if (auto done = add_misfits(); !done) return done;
    if (auto done = bench_.misfits > 0 ? come_to_rest() : Result<void>(); !done) return done;
    const auto before = usages();
    if (!before) return std::unexpected(before.error());
    progress_(fmt::format("idle for {} s", bench_.watch_idle));
    const Clock::time_point start = Clock::now();
    std::this_thread::sleep_for(seconds(bench_.watch_idle));
    const auto after = usages();
    if (!after) return std::unexpected(after.error());
    const double length = seconds_between(start, Clock::now());
    for (size_t i = 0; i < after->size(); ++i) {
      measured.processes[i].idle_percent = 100 * ((*after)[i].cpu_seconds - (*before)[i].cpu_seconds) / length;
      measured.processes[i].idle_mib = (*after)[i].resident_mib;
    }
    return {};
  }

  // What a scheduler tells after the load counts for the load, not for being idle: until that is done, as far as it is
  // within kLongestRest.
  Result<void> come_to_rest() {
    progress_("coming to rest");
    std::this_thread::sleep_for(2 * kCalm);  // some wait for silence before they tell events
    const Clock::time_point end = Clock::now() + kLongestRest;
    auto before = usages();
    while (before && Clock::now() < end) {
      std::this_thread::sleep_for(kCalm);
      auto after = usages();
      if (!after) return std::unexpected(after.error());
      bool rests = true;
      for (size_t i = 0; i < after->size(); ++i) {
        const double used = (*after)[i].cpu_seconds - (*before)[i].cpu_seconds;
        if (bench_.processes[i].role != kServerRole) rests = rests && used < kRestShare * seconds(kCalm).count();
      }
      if (rests) return {};
      before = std::move(after);
    }
    if (!before) return std::unexpected(before.error());
    return {};
  }

  // Until the scheduler under test has said of each that it does not fit, as far as it says so within a minute.
  Result<void> add_misfits() {
    if (bench_.misfits == 0) return {};
    KubeLoad misfits = bench_.load;
    misfits.kind = KubeLoad::Kind::Gangs;
    misfits.prefix = kMisfitPrefix;
    misfits.cpu = "100000";
    misfits.size = std::min(misfits.size, bench_.misfits);
    misfits.gangs = (bench_.misfits + misfits.size - 1) / misfits.size;
    if (stream_ == nullptr) listen(kUnbound);
    const auto sent = send_load(loader_, misfits, schedule_);
    if (!sent) return std::unexpected(sent.error());
    const Clock::time_point end = Clock::now() + std::chrono::minutes(1);
    while (schedule_.misfits() < misfits.pods() && Clock::now() < end) {
      progress_(fmt::format("{} of {} pods are told not to fit", schedule_.misfits(), misfits.pods()));
      std::this_thread::sleep_for(kProgressEvery);
    }
    return {};
  }

  client::ObjectClient& loader_;
  client::ObjectClient& fleet_;
  PodTimeline schedule_;
  PodObservingClient tap_;
  const KubeBenchOptions& bench_;
  Progress progress_;
  std::atomic<bool> refused_ = false;  // the load could not be created: nothing to wait for
  std::unique_ptr<node::SimulatedNodes> nodes_;
  std::unique_ptr<KindWatcher> stream_;  // of pods that the nodes do not hear of
};

}  // namespace

Result<KubeBenchResult> run_kube_bench(const client::RestConfig& connection, KubeBenchOptions bench,
                                       const Progress& progress) {
  std::unique_ptr<NullProcess> null;
  if (bench.null_scheduler) {
    auto started = NullProcess::start(connection, bench);
    if (!started) return std::unexpected(started.error());
    null = std::move(*started);
    bench.processes.insert(bench.processes.begin(), null->process());
  }
  auto loader = client_for(connection, bench.load.clients, "basalt-bench");
  if (!loader) return std::unexpected(loader.error());
  auto fleet = client_for(connection, 0, "basalt-bench-nodes");
  if (!fleet) return std::unexpected(fleet.error());
  return KubeRun(**loader, **fleet, bench, progress).run();
}

}  // namespace basalt::lab
