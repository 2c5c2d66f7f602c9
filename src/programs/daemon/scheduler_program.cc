#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "control/scheduler/scheduler.h"
#include "control/scheduler/shadow.h"
#include "kube/client/wall_clock.h"
#include "kube/net/private_file.h"
#include "programs/daemon/daemon_verbs.h"
#include "programs/daemon/program_flags.h"
#include "programs/daemon/program_runtime.h"

namespace basalt::daemon {
namespace {

constexpr ProgramInfo kSchedulerProgram{
    .name = "vc-scheduler",
    .usage =
        "The scheduler of a Kubernetes cluster: places the pods of Volcano's jobs and pod groups.\n"
        "Usage: basalt scheduler [flags], or vc-scheduler [flags]"};

// "disk:ssd" → disk=ssd.
Result<std::vector<std::pair<std::string, std::string>>> node_labels(const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::string>> labels;
  for (const std::string& word : words) {
    const size_t colon = word.find(':');
    if (colon == 0 || colon == std::string::npos) {
      return invalid(fmt::format("--node-selector: {:?} is no label; write it as key:value, such as disk:ssd", word));
    }
    labels.emplace_back(word.substr(0, colon), word.substr(colon + 1));
  }
  return labels;
}

// What we cannot do is refused here, not noticed by somebody later.
Result<void> check_offered(const cli::FlagValues& flags) {
  if (!flags.text("plugins-dir").empty()) {
    return failure(ErrorCode::Unsupported,
                   "--plugins-dir: plugins written in Go cannot be loaded; leave the flag out (docs/compat.md)");
  }
  if (flags.text("scheduler-sharding-mode") != "none") {
    return failure(ErrorCode::Unsupported, "--scheduler-sharding-mode: nodes are not shared out here; give none");
  }
  if (flags.length("schedule-period").nanos == 0) {
    return invalid("--schedule-period: must be longer than 0, for example 1s");
  }
  return {};
}

Result<scheduler::SchedulerOptions> scheduler_options_of(const cli::FlagValues& flags) {
  if (auto offered = check_offered(flags); !offered) return std::unexpected(offered.error());
  auto labels = node_labels(flags.list("node-selector"));
  if (!labels) return std::unexpected(labels.error());
  scheduler::SchedulerOptions options;
  options.clock = client::wall_clock;
  options.updater.scheduler_names = flags.list("scheduler-name");
  options.updater.default_queue = flags.text("default-queue");
  options.updater.nodes = std::move(*labels);
  options.period = flags.length("schedule-period");
  options.self_check = flags.length("self-check-period");
  options.patience = scheduler::kUsualPatience;
  options.conf_file = flags.text("scheduler-conf");
  options.conf_map = flags.text("scheduler-conf-map");
  const size_t slash = options.conf_map.find('/');
  const bool is_key = slash != std::string::npos && slash > 0 && slash + 1 < options.conf_map.size();
  if (!options.conf_map.empty() && !is_key) {
    return invalid(
        "--scheduler-conf-map: must be namespace/name, for example volcano-system/volcano-scheduler-configmap");
  }
  options.conf_required = flags.on("disable-default-scheduler-config");
  if (flags.on("refuse-unsupported-policy")) options.unsupported = state::Unsupported::Refuse;
  return options;
}

// Where the dumps go.
Signals::Dumps dumps_of(const cli::FlagValues& flags, scheduler::Scheduler& scheduler, AsyncLog& log) {
  if (!flags.on("cache-dumper")) return {};
  const auto to_file = [directory = flags.text("cache-dump-dir"), &log](const scheduler::Scheduler::Dump& dump) {
    const std::string path = fmt::format("{}/snapshot-{}.json", directory, client::wall_clock().nanos / 1'000'000'000);
    const auto written = net::write_private_file(path, text::to_pretty_json(dump.state) + "\n");
    log.write(written ? Severity::Info : Severity::Error,
              written ? "the state was written to " + path : "no dump: " + written.error().message);
  };
  const auto to_log = [&log](const scheduler::Scheduler::Dump& dump) {
    for (const std::string& line : dump.lines) log.write(Severity::Info, line);
  };
  return {.to_file = [&scheduler, to_file] { scheduler.ask_dump(to_file); },
          .to_log = [&scheduler, to_log] { scheduler.ask_dump(to_log); }};
}

// Beside another scheduler: decides everything, changes nothing.
struct Beside {
  std::unique_ptr<scheduler::Shadow> shadow;  // null: not asked for

  static Beside of(const cli::FlagValues& flags, ProgramRuntime& runtime) {
    if (!flags.on("shadow")) return {};
    scheduler::ShadowOptions options;
    options.clock = client::wall_clock;
    options.rules.scheduler_names = flags.list("scheduler-name");
    options.report = [](const std::string& line) {
      std::printf("%s\n", line.c_str());
      std::fflush(stdout);
    };
    options.tell = [&log = runtime.log()](const std::string& line) { log.write(Severity::Info, line); };
    return {std::make_unique<scheduler::Shadow>(runtime.client(), std::move(options))};
  }
};

int run_with(const cli::FlagValues& flags, scheduler::SchedulerOptions options) {
  Signals signals(kSchedulerProgram.name);
  static constexpr std::string_view kSchedulerGates[] = {kQueueAdmissionGate};
  auto opened = ProgramRuntime::open(flags, kSchedulerProgram,
                                     {.election = !flags.on("shadow"), .effective_gates = kSchedulerGates});
  if (!opened) return report_error(kSchedulerProgram, opened.error());
  ProgramRuntime& runtime = **opened;
  options.log = [&log = runtime.log()](Severity severity, const std::string& line) { log.write(severity, line); };
  options.gate_queue_admission = runtime.gates().on(kQueueAdmissionGate);
  const Beside beside = Beside::of(flags, runtime);
  scheduler::Shadow* shadow = beside.shadow.get();
  client::ObjectClient& client = shadow != nullptr ? *shadow : runtime.client();
  auto made = scheduler::Scheduler::make(client, std::move(options));
  if (!made) return report_error(kSchedulerProgram, made.error());
  scheduler::Scheduler& scheduler = **made;
  const ProgramCallbacks work{
      .start =
          [&] {
            if (shadow != nullptr) shadow->start();
            scheduler.start();
          },
      .stop =
          [&] {
            scheduler.stop();
            if (shadow != nullptr) shadow->stop();
          },
      .health = &scheduler.health(),
      .not_ready = {},
      .metrics = [&] { return scheduler.metrics_text() + (shadow != nullptr ? shadow->metrics_text() : ""); },
      .dumps = dumps_of(flags, scheduler, runtime.log())};
  return runtime.run(work, signals);
}

}  // namespace

int run_scheduler(cli::Words words) {
  const auto flags = parse_program_flags(kSchedulerProgram, scheduler_flags(), words);
  if (!flags) return flags.error();
  auto options = scheduler_options_of(*flags);
  if (!options) return report_error(kSchedulerProgram, options.error(), cli::kUsage);
  if (flags->on("shadow")) {
    if (flags->given("leader-elect") && flags->on("leader-elect")) {
      return report_error(kSchedulerProgram,
                          {.message = "--shadow takes no lease, for that is a write: leave --leader-elect out"},
                          cli::kUsage);
    }
    options->self_check = {};  // our wishes differ from the cluster, and should
  }
  return run_with(*flags, std::move(*options));
}

}  // namespace basalt::daemon
