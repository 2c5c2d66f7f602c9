// The flags of the commands, one array per command or family of commands; command_table.cc puts them into its rows.
#pragma once

#include <array>

#include "programs/cli/vcctl/output_formats.h"
#include "programs/cli/vcctl/vcctl_flags.h"

namespace basalt::cli::vcctl {

// The kinds whose names completion knows.
inline constexpr std::string_view kNamedKinds = "job queue jobflow jobtemplate podgroup namespace priorityclass";

// In vcctl -N is the name and -n the namespace; in the stand-alone tools and for queues -n is the name.
inline constexpr VcctlFlag kName{.name = "name", .letter = 'N', .help = "the name of the object"};
inline constexpr VcctlFlag kNamespace{
    .name = "namespace", .letter = 'n', .value = "default", .help = "the namespace", .names = "namespace"};
inline constexpr VcctlFlag kToolName{.name = "name", .letter = 'n', .help = "the name of the object"};
inline constexpr VcctlFlag kToolNamespace{
    .name = "namespace", .letter = 'N', .value = "default", .help = "the namespace", .names = "namespace"};
inline constexpr VcctlFlag kAllNamespaces{
    .name = "all-namespaces", .letter = 'A', .kind = VcctlFlagKind::Switch, .help = "list what is in all namespaces"};
inline constexpr VcctlFlag kQueueFilter{
    .name = "queue", .letter = 'q', .help = "only what belongs to this queue", .names = "queue"};
inline constexpr VcctlFlag kSchedulerFilter{.name = "scheduler", .letter = 'S', .help = "only jobs of this scheduler"};
inline constexpr VcctlFlag kNamePart{.name = "selector", .help = "only jobs with this text in their name"};
inline constexpr VcctlFlag kMin{.name = "min",
                                .letter = 'm',
                                .kind = VcctlFlagKind::Number,
                                .value = "1",
                                .help = "how many pods must run at the same time"};
inline constexpr VcctlFlag kReplicas{
    .name = "replicas", .letter = 'r', .kind = VcctlFlagKind::Number, .value = "1", .help = "how many pods"};
inline constexpr VcctlFlag kRequests{
    .name = "requests", .letter = 'R', .value = "cpu=1000m,memory=100Mi", .help = "what each pod asks for"};
inline constexpr VcctlFlag kLimits{
    .name = "limits", .letter = 'L', .value = "cpu=1000m,memory=100Mi", .help = "what each pod may use at most"};
inline constexpr VcctlFlag kJobQueue{
    .name = "queue", .letter = 'q', .help = "the queue of the job (default: default)", .names = "queue"};
inline constexpr VcctlFlag kGpus{
    .name = "gpus", .kind = VcctlFlagKind::Number, .value = "0", .help = "GPUs for each pod (nvidia.com/gpu)"};
inline constexpr VcctlFlag kPriority{
    .name = "priority", .help = "the PriorityClass of the job", .names = "priorityclass"};
inline constexpr VcctlFlag kWait{.name = "wait",
                                 .kind = VcctlFlagKind::Switch,
                                 .help = "show the job's logs until it is over, and end with its exit code"};
inline constexpr VcctlFlag kFile{.name = "file", .letter = 'f', .help = "a YAML or JSON file; - for standard input"};

inline constexpr std::array kRunFlags = {
    kName,
    kNamespace,
    VcctlFlag{.name = "image", .letter = 'i', .value = "busybox", .help = "the container image"},
    kMin,
    kReplicas,
    kRequests,
    kLimits,
    VcctlFlag{.name = "scheduler", .letter = 'S', .value = "volcano", .help = "the scheduler of the job"},
    VcctlFlag{.name = "filename", .letter = 'f', .help = "a YAML or JSON file with the job; - for standard input"},
    kJobQueue,
    kGpus,
    kPriority,
    kWait,
};
inline constexpr std::array kListJobsFlags = {kNamespace, kQueueFilter, kSchedulerFilter, kAllNamespaces, kNamePart};
inline constexpr std::array kNamesFlags = {kNamespace};
inline constexpr std::array kTargetFlags = {kName, kNamespace};
inline constexpr std::array kToolTargetFlags = {kToolName, kToolNamespace};
inline constexpr std::array kCreateQueueFlags = {
    VcctlFlag{.name = "name", .letter = 'n', .help = "the name of the queue"},
    VcctlFlag{.name = "weight",
              .letter = 'w',
              .kind = VcctlFlagKind::Number,
              .value = "1",
              .help = "its share compared with other queues"},
    VcctlFlag{.name = "state", .letter = 'S', .value = "Open", .help = "Open, or Closed", .choices = "Open Closed"},
};
inline constexpr std::array kOperateQueueFlags = {
    kToolName,
    VcctlFlag{.name = "weight",
              .letter = 'w',
              .kind = VcctlFlagKind::Number,
              .value = "0",
              .help = "the new weight, for update"},
    VcctlFlag{.name = "action", .letter = 'a', .help = "open, close or update", .choices = "open close update"},
};
// Queues have no namespace: as with kubectl, the flag changes nothing.
inline constexpr VcctlFlag kIgnoredAllNamespaces{.name = "all-namespaces",
                                                 .letter = 'A',
                                                 .kind = VcctlFlagKind::Switch,
                                                 .help = "accepted and ignored",
                                                 .hidden = true};
inline constexpr std::array kQueueFlags = {kToolName};
inline constexpr std::array kShowQueueFlags = {kToolName, kIgnoredAllNamespaces};
inline constexpr std::array kListQueuesFlags = {kIgnoredAllNamespaces};
inline constexpr std::array kFileFlags = {kFile};
inline constexpr std::array kListFlags = {kNamespace, kAllNamespaces};
inline constexpr std::array kDescribeFlags = {
    kName, kNamespace,
    VcctlFlag{.name = "format", .letter = 'o', .value = "yaml", .help = "yaml or json", .choices = "yaml json"}};
inline constexpr std::array kDeleteFlags = {kName, kNamespace, kFile};
inline constexpr std::array kListPodsFlags = {
    kNamespace, kQueueFilter, VcctlFlag{.name = "job", .letter = 'j', .help = "only pods of this job", .names = "job"},
    kAllNamespaces};
inline constexpr std::array kListGroupsFlags = {kNamespace, kQueueFilter, kAllNamespaces};
inline constexpr std::array kSubmitFlags = {
    kToolName,
    VcctlFlag{.name = "namespace",
              .letter = 'N',
              .help = "the namespace (default: $VOLCANO_DEFAULT_JOB_NAMESPACE, or default)",
              .names = "namespace"},
    VcctlFlag{
        .name = "image", .letter = 'i', .help = "the container image (default: $VOLCANO_DEFAULT_IMAGE, or busybox)"},
    kMin,
    kReplicas,
    kRequests,
    kLimits,
    VcctlFlag{.name = "scheduler",
              .letter = 'S',
              .help = "the scheduler of the job (default: $VOLCANO_SCHEDULER_NAME, or volcano)"},
    VcctlFlag{.name = "command", .letter = 'c', .help = "what the container runs, split into words as a shell does"},
    kJobQueue,
    kGpus,
    kPriority,
    kWait,
};
inline constexpr std::array kToolJobsFlags = {kToolName, kToolNamespace, kSchedulerFilter, kAllNamespaces, kNamePart};

inline constexpr std::array kShowFlags = {
    VcctlFlag{.name = "output", .letter = 'o', .help = "json, yaml, wide or name", .choices = kFormats},
    VcctlFlag{.name = "watch",
              .letter = 'w',
              .kind = VcctlFlagKind::Switch,
              .help = "go on showing what changes, until interrupted"},
};
inline constexpr std::array kConnectionFlags = {
    VcctlFlag{.name = "master", .letter = 's', .help = "the address of the API server"},
    VcctlFlag{
        .name = "kubeconfig", .letter = 'k', .help = "the kubeconfig file (default: $KUBECONFIG, ~/.kube/config)"},
    VcctlFlag{.name = "context", .help = "the context of the kubeconfig"},
    VcctlFlag{.name = "cluster", .help = "the cluster of the kubeconfig"},
    VcctlFlag{.name = "user", .help = "the user of the kubeconfig"},
};
inline constexpr std::array kCommonFlags = {
    VcctlFlag{.name = "help", .letter = 'h', .kind = VcctlFlagKind::Switch, .help = "this text"},
    VcctlFlag{.name = "version", .kind = VcctlFlagKind::Switch, .help = "print the version"},
    VcctlFlag{.name = "volcano-output",
              .kind = VcctlFlagKind::Switch,
              .help = "exactly Volcano's texts, streams and exit codes, for scripts (also: $BASALT_VOLCANO_OUTPUT=1)"},
    VcctlFlag{.name = "v", .letter = 'v', .help = "accepted and ignored", .hidden = true},
    VcctlFlag{.name = "vmodule", .help = "accepted and ignored", .hidden = true},
    VcctlFlag{.name = "log-flush-frequency", .help = "accepted and ignored", .hidden = true},
};

}  // namespace basalt::cli::vcctl
