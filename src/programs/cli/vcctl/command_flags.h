// The flags of the commands, one array per command or family of commands; command_table.cc puts them into its rows.
#pragma once

#include <array>

#include "programs/cli/flag_table.h"
#include "programs/cli/vcctl/output_formats.h"

namespace basalt::cli::vcctl {

// The kinds whose names completion knows.
inline constexpr std::string_view kNamedKinds = "job queue jobflow jobtemplate podgroup namespace priorityclass";

// In vcctl -N is the name and -n the namespace; in the stand-alone tools and for queues -n is the name.
inline constexpr Flag kName{.name = "name", .letter = 'N', .help = "the name of the object"};
inline constexpr Flag kNamespace{
    .name = "namespace", .letter = 'n', .value = "default", .help = "the namespace", .names = "namespace"};
inline constexpr Flag kToolName{.name = "name", .letter = 'n', .help = "the name of the object"};
inline constexpr Flag kToolNamespace{
    .name = "namespace", .letter = 'N', .value = "default", .help = "the namespace", .names = "namespace"};
inline constexpr Flag kAllNamespaces{
    .name = "all-namespaces", .letter = 'A', .kind = FlagKind::Switch, .help = "list what is in all namespaces"};
inline constexpr Flag kQueueFilter{
    .name = "queue", .letter = 'q', .help = "only what belongs to this queue", .names = "queue"};
inline constexpr Flag kSchedulerFilter{.name = "scheduler", .letter = 'S', .help = "only jobs of this scheduler"};
inline constexpr Flag kNamePart{.name = "selector", .help = "only jobs with this text in their name"};
inline constexpr Flag kMin{.name = "min",
                           .letter = 'm',
                           .kind = FlagKind::Int32,
                           .value = "1",
                           .help = "how many pods must run at the same time"};
inline constexpr Flag kReplicas{
    .name = "replicas", .letter = 'r', .kind = FlagKind::Int32, .value = "1", .help = "how many pods"};
inline constexpr Flag kRequests{
    .name = "requests", .letter = 'R', .value = "cpu=1000m,memory=100Mi", .help = "what each pod asks for"};
inline constexpr Flag kLimits{
    .name = "limits", .letter = 'L', .value = "cpu=1000m,memory=100Mi", .help = "what each pod may use at most"};
inline constexpr Flag kJobQueue{
    .name = "queue", .letter = 'q', .help = "the queue of the job (default: default)", .names = "queue"};
inline constexpr Flag kGpus{
    .name = "gpus", .kind = FlagKind::Int32, .value = "0", .help = "GPUs for each pod (nvidia.com/gpu)"};
inline constexpr Flag kPriority{.name = "priority", .help = "the PriorityClass of the job", .names = "priorityclass"};
inline constexpr Flag kWait{.name = "wait",
                            .kind = FlagKind::Switch,
                            .help = "show the job's logs until it is over, and end with its exit code"};
inline constexpr Flag kFile{.name = "file", .letter = 'f', .help = "a YAML or JSON file; - for standard input"};

inline constexpr std::array kRunFlags = {
    kName,
    kNamespace,
    Flag{.name = "image", .letter = 'i', .value = "busybox", .help = "the container image"},
    kMin,
    kReplicas,
    kRequests,
    kLimits,
    Flag{.name = "scheduler", .letter = 'S', .value = "volcano", .help = "the scheduler of the job"},
    Flag{.name = "filename", .letter = 'f', .help = "a YAML or JSON file with the job; - for standard input"},
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
    Flag{.name = "name", .letter = 'n', .help = "the name of the queue"},
    Flag{.name = "weight",
         .letter = 'w',
         .kind = FlagKind::Int32,
         .value = "1",
         .help = "its share compared with other queues"},
    Flag{.name = "state", .letter = 'S', .value = "Open", .help = "Open, or Closed", .choices = "Open Closed"},
};
inline constexpr std::array kOperateQueueFlags = {
    kToolName,
    Flag{.name = "weight", .letter = 'w', .kind = FlagKind::Int32, .value = "0", .help = "the new weight, for update"},
    Flag{.name = "action", .letter = 'a', .help = "open, close or update", .choices = "open close update"},
};
// Queues have no namespace: as with kubectl, the flag changes nothing.
inline constexpr Flag kIgnoredAllNamespaces{
    .name = "all-namespaces", .letter = 'A', .kind = FlagKind::Switch, .help = "accepted and ignored", .hidden = true};
inline constexpr std::array kQueueFlags = {kToolName};
inline constexpr std::array kShowQueueFlags = {kToolName, kIgnoredAllNamespaces};
inline constexpr std::array kListQueuesFlags = {kIgnoredAllNamespaces};
inline constexpr std::array kFileFlags = {kFile};
inline constexpr std::array kListFlags = {kNamespace, kAllNamespaces};
inline constexpr std::array kDescribeFlags = {
    kName, kNamespace,
    Flag{.name = "format", .letter = 'o', .value = "yaml", .help = "yaml or json", .choices = "yaml json"}};
inline constexpr std::array kDeleteFlags = {kName, kNamespace, kFile};
inline constexpr std::array kListPodsFlags = {
    kNamespace, kQueueFilter, Flag{.name = "job", .letter = 'j', .help = "only pods of this job", .names = "job"},
    kAllNamespaces};
inline constexpr std::array kListGroupsFlags = {kNamespace, kQueueFilter, kAllNamespaces};
inline constexpr std::array kSubmitFlags = {
    kToolName,
    Flag{.name = "namespace",
         .letter = 'N',
         .help = "the namespace (default: $VOLCANO_DEFAULT_JOB_NAMESPACE, or default)",
         .names = "namespace"},
    Flag{.name = "image", .letter = 'i', .help = "the container image (default: $VOLCANO_DEFAULT_IMAGE, or busybox)"},
    kMin,
    kReplicas,
    kRequests,
    kLimits,
    Flag{.name = "scheduler",
         .letter = 'S',
         .help = "the scheduler of the job (default: $VOLCANO_SCHEDULER_NAME, or volcano)"},
    Flag{.name = "command", .letter = 'c', .help = "what the container runs, split into words as a shell does"},
    kJobQueue,
    kGpus,
    kPriority,
    kWait,
};
inline constexpr std::array kToolJobsFlags = {kToolName, kToolNamespace, kSchedulerFilter, kAllNamespaces, kNamePart};

inline constexpr std::array kShowFlags = {
    Flag{.name = "output", .letter = 'o', .help = "json, yaml, wide or name", .choices = kFormats},
    Flag{.name = "watch",
         .letter = 'w',
         .kind = FlagKind::Switch,
         .help = "go on showing what changes, until interrupted"},
};
inline constexpr std::array kConnectionFlags = {
    Flag{.name = "master", .letter = 's', .help = "the address of the API server"},
    Flag{.name = "kubeconfig", .letter = 'k', .help = "the kubeconfig file (default: $KUBECONFIG, ~/.kube/config)"},
    Flag{.name = "context", .help = "the context of the kubeconfig"},
    Flag{.name = "cluster", .help = "the cluster of the kubeconfig"},
    Flag{.name = "user", .help = "the user of the kubeconfig"},
};
inline constexpr std::array kCommonFlags = {
    Flag{.name = "help", .letter = 'h', .kind = FlagKind::Switch, .help = "this text"},
    Flag{.name = "version", .kind = FlagKind::Switch, .help = "print the version"},
    Flag{.name = "volcano-output",
         .kind = FlagKind::Switch,
         .help = "exactly Volcano's texts, streams and exit codes, for scripts (also: $BASALT_VOLCANO_OUTPUT=1)"},
    Flag{.name = "v", .letter = 'v', .help = "accepted and ignored", .hidden = true},
    Flag{.name = "vmodule", .help = "accepted and ignored", .hidden = true},
    Flag{.name = "log-flush-frequency", .help = "accepted and ignored", .hidden = true},
};

}  // namespace basalt::cli::vcctl
