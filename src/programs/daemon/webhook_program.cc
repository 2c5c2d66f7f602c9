#include <fmt/format.h>

#include <array>
#include <chrono>

#include "programs/daemon/daemon_verbs.h"
#include "programs/daemon/program_flags.h"
#include "programs/daemon/program_runtime.h"
#include "programs/webhook/webhook_server.h"

namespace basalt::daemon {
namespace {

constexpr ProgramInfo kWebhookProgram{
    .name = "vc-webhook-manager",
    .usage =
        "The admission webhooks of Volcano's kinds, which the API server asks over HTTPS.\n"
        "Usage: basalt webhook [flags], or vc-webhook-manager [flags]"};

constexpr std::array<std::string_view, 1> kWebhookGates = {kQueueAdmissionGate};

Result<webhook::WebhookOptions> webhook_options_of(const cli::FlagValues& flags) {
  const int64_t port = flags.number("port"), depth = flags.number("max-queue-depth");
  if (port < 1 || port > 65535) return invalid("--port: must be from 1 to 65535, for example 8443");
  if (depth < 1 || depth > 1000) return invalid("--max-queue-depth: must be from 1 to 1000, for example 5");
  webhook::WebhookOptions options;
  options.address = flags.text("listen-address");
  options.port = static_cast<uint16_t>(port);
  options.paths = flags.list("enabled-admission");
  options.admission.scheduler_names = flags.list("scheduler-name");
  options.admission.max_queue_depth = static_cast<int>(depth);
  options.admission.check_allocated_pods = flags.on("enable-queue-allocated-pods-check");
  options.admission.protect_root_queue = flags.on("enable-root-queue-protection");
  options.admission_conf = flags.text("admission-conf");
  options.files = {.certificate = flags.text("tls-cert-file"),
                   .key = flags.text("tls-private-key-file"),
                   .authority = flags.text("ca-cert-file")};
  options.client_config = {.namespace_name = flags.text("webhook-namespace"),
                           .service = flags.text("webhook-service-name"),
                           .url = flags.text("webhook-url")};
  options.secret = flags.text("webhook-secret");
  options.create_configurations = flags.on("create-configurations");
  const auto gates = FeatureGates::read(flags.list("feature-gates"));
  if (!gates) return std::unexpected(gates.error());
  options.admission.gate_queue_admission = gates->on(kQueueAdmissionGate);
  return options;
}

int print_configurations(const webhook::WebhookOptions& options) {
  const auto yaml = webhook::configurations_yaml(options);
  if (!yaml) return report_error(kWebhookProgram, yaml.error());
  fmt::print("{}", *yaml);
  return cli::kOk;
}

}  // namespace

int run_webhook(cli::Words words) {
  const auto flags = parse_program_flags(kWebhookProgram, webhook_flags(), words);
  if (!flags) return flags.error();
  auto options = webhook_options_of(*flags);
  if (!options) return report_error(kWebhookProgram, options.error(), cli::kUsage);
  if (flags->on("print-configurations")) return print_configurations(*options);
  Signals signals(kWebhookProgram.name);
  auto opened = ProgramRuntime::open(*flags, kWebhookProgram, {.tls_health = true, .effective_gates = kWebhookGates});
  if (!opened) return report_error(kWebhookProgram, opened.error());
  ProgramRuntime& runtime = **opened;
  options->log = [&log = runtime.log()](Severity severity, const std::string& line) { log.write(severity, line); };
  auto started = webhook::WebhookServer::start(runtime.client(), std::move(*options));
  if (!started) return report_error(kWebhookProgram, started.error());
  webhook::WebhookServer& server = **started;
  const std::chrono::milliseconds grace(flags->length("graceful-shutdown-time").nanos / 1'000'000);
  const ProgramCallbacks work{.start = {},
                              .stop = [&] { server.stop(grace); },
                              .health = nullptr,
                              .not_ready = [&] { return server.not_ready(); },
                              .metrics = [&] { return server.metrics(); },
                              .dumps = {},
                              .grace = 2 * grace};  // to leave, and to answer what is under way
  return runtime.run(work, signals);
}

}  // namespace basalt::daemon
