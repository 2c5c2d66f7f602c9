#include "programs/daemon/program_flags.h"
#include "programs/daemon/shared_flags.h"

namespace basalt::daemon {
namespace {

using namespace flags;
using enum cli::FlagKind;

constexpr std::array kWebhookWork = {
    cli::Flag{.name = "listen-address",
              .help = "the address of the webhooks; none: all interfaces",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "port", .kind = Number, .value = "8443", .help = "their port", .group = cli::FlagGroup::Work},
    cli::Flag{.name = "enabled-admission",
              .kind = List,
              .value = "/jobs/mutate,/jobs/validate,/podgroups/mutate,/pods/validate,/pods/mutate,/queues/mutate,"
                       "/queues/validate",
              .help = "the paths that are served",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "webhook-namespace",
              .value = "volcano-system",
              .help = "the namespace of the Service, and of the Secret with the certificate",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "webhook-service-name",
              .value = "volcano-admission-service",
              .help = "the Service by which the API server calls us",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "webhook-url",
              .help = "instead of the Service: the address by which it does",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "webhook-secret",
              .value = "volcano-admission-secret",
              .help = "without certificate files: where the certificate that is made here is kept",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "create-configurations",
              .kind = Switch,
              .help = "also make and keep the Mutating- and ValidatingWebhookConfigurations, not only their caBundle",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "print-configurations",
              .kind = Switch,
              .help = "print those configurations for kubectl apply, and end",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "admission-conf",
              .help = "a file with resource groups for pods, read again when it changes",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "enable-queue-allocated-pods-check",
              .kind = Switch,
              .help = "a queue with allocated pods cannot be deleted",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "enable-root-queue-protection",
              .kind = Switch,
              .value = "true",
              .help = "the root queue's resources cannot be changed",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "max-queue-depth",
              .kind = Number,
              .value = "5",
              .help = "how deep queues may lie below each other",
              .group = cli::FlagGroup::Work},
    cli::Flag{.name = "graceful-shutdown-time",
              .kind = Length,
              .value = "30s",
              .help = "how long requests under way may take at the end",
              .group = cli::FlagGroup::Work},
};

}  // namespace

std::span<const cli::Flag> webhook_flags() {
  static constexpr auto kRows = joined(kSchedulerNames, kWebhookWork, kServer, kHealth, kLog, kGeneral);
  return kRows;
}

}  // namespace basalt::daemon
