#include "programs/cli/vcctl/command_table.h"

#include <algorithm>
#include <array>

#include "programs/cli/vcctl/command_flags.h"

namespace basalt::cli::vcctl {
namespace {

constexpr std::array kGroups = {
    CommandGroup{.name = "job", .summary = "run, list, view, suspend, resume and delete jobs"},
    CommandGroup{.name = "queue", .summary = "create, operate, list, get and delete queues"},
    CommandGroup{.name = "jobflow", .summary = "create, list, get, describe and delete job flows"},
    CommandGroup{.name = "jobtemplate", .summary = "create, list, get, describe and delete job templates"},
    CommandGroup{.name = "pod", .summary = "list the pods of jobs"},
    CommandGroup{.name = "podgroup", .summary = "list and get pod groups"},
};

constexpr std::array kCommands = {
    Command{.group = "job",
            .name = "run",
            .summary = "run a job from flags or from a file",
            .examples = "vcctl job run -N hello -r 3 -m 3 -i busybox\nvcctl job run -f job.yaml\n"
                        "generate-job | vcctl job run -f -",
            .flags = kRunFlags,
            .run = &run_job},
    Command{.group = "job",
            .name = "list",
            .summary = "list jobs with their phases and counts",
            .examples = "vcctl job list\nvcctl job list --all-namespaces -o wide\nvcctl job list -q research --watch",
            .flags = kListJobsFlags,
            .shows = true,
            .run = &list_jobs},
    Command{.group = "job",
            .name = "view",
            .summary = "show a job, its tasks, its status and its events",
            .examples = "vcctl job view -N hello\nvcctl job view hello -o yaml",
            .flags = kTargetFlags,
            .shows = true,
            .run = &view_job},
    Command{.group = "job",
            .name = "suspend",
            .summary = "abort a job: its pods go, the job stays",
            .examples = "vcctl job suspend -N hello",
            .flags = kTargetFlags,
            .run = &suspend_job},
    Command{.group = "job",
            .name = "resume",
            .summary = "run an aborted job again",
            .examples = "vcctl job resume -N hello",
            .flags = kTargetFlags,
            .run = &resume_job},
    Command{.group = "job",
            .name = "delete",
            .summary = "delete a job and its pods",
            .examples = "vcctl job delete -N hello",
            .flags = kTargetFlags,
            .run = &delete_job},
    Command{.group = "queue",
            .name = "create",
            .summary = "create a queue",
            .examples = "vcctl queue create -n research -w 4",
            .flags = kCreateQueueFlags,
            .run = &create_queue},
    Command{.group = "queue",
            .name = "delete",
            .summary = "delete a queue",
            .examples = "vcctl queue delete -n research",
            .flags = kQueueFlags,
            .run = &delete_queue},
    Command{.group = "queue",
            .name = "operate",
            .summary = "open or close a queue, or change its weight",
            .examples = "vcctl queue operate -n research -a close\nvcctl queue operate -n research -a update -w 8",
            .flags = kOperateQueueFlags,
            .run = &operate_queue},
    Command{.group = "queue",
            .name = "list",
            .summary = "list queues with the pod groups in them, by phase",
            .examples = "vcctl queue list\nvcctl queue list -o wide",
            .flags = kListQueuesFlags,
            .shows = true,
            .run = &list_queues},
    Command{.group = "queue",
            .name = "get",
            .summary = "show one queue",
            .examples = "vcctl queue get -n research",
            .flags = kShowQueueFlags,
            .shows = true,
            .run = &get_queue},
    Command{.group = "jobflow",
            .name = "create",
            .summary = "create the job flows of a file",
            .examples = "vcctl jobflow create -f flow.yaml",
            .flags = kFileFlags,
            .run = &create_flows},
    Command{.group = "jobflow",
            .name = "list",
            .summary = "list job flows",
            .examples = "vcctl jobflow list --all-namespaces",
            .flags = kListFlags,
            .shows = true,
            .run = &list_flows},
    Command{.group = "jobflow",
            .name = "get",
            .summary = "show one job flow",
            .examples = "vcctl jobflow get -N nightly",
            .flags = kTargetFlags,
            .shows = true,
            .run = &get_flow},
    Command{.group = "jobflow",
            .name = "describe",
            .summary = "print a job flow, or all of a namespace, as YAML or JSON",
            .examples = "vcctl jobflow describe -N nightly -o json",
            .flags = kDescribeFlags,
            .run = &describe_flows},
    Command{.group = "jobflow",
            .name = "delete",
            .summary = "delete a job flow, or those of a file",
            .examples = "vcctl jobflow delete -N nightly\nvcctl jobflow delete -f flow.yaml",
            .flags = kDeleteFlags,
            .run = &delete_flows},
    Command{.group = "jobtemplate",
            .name = "create",
            .summary = "create the job templates of a file",
            .examples = "vcctl jobtemplate create -f template.yaml",
            .flags = kFileFlags,
            .run = &create_templates},
    Command{.group = "jobtemplate",
            .name = "list",
            .summary = "list job templates",
            .examples = "vcctl jobtemplate list -n research",
            .flags = kListFlags,
            .shows = true,
            .run = &list_templates},
    Command{.group = "jobtemplate",
            .name = "get",
            .summary = "show one job template",
            .examples = "vcctl jobtemplate get -N train",
            .flags = kTargetFlags,
            .shows = true,
            .run = &get_template},
    Command{.group = "jobtemplate",
            .name = "describe",
            .summary = "print a job template, or all of a namespace, as YAML or JSON",
            .examples = "vcctl jobtemplate describe -N train",
            .flags = kDescribeFlags,
            .run = &describe_templates},
    Command{.group = "jobtemplate",
            .name = "delete",
            .summary = "delete a job template, or those of a file",
            .examples = "vcctl jobtemplate delete -N train",
            .flags = kDeleteFlags,
            .run = &delete_templates},
    Command{.group = "pod",
            .name = "list",
            .summary = "list the pods of jobs, or of a queue",
            .examples = "vcctl pod list\nvcctl pod list -j hello\nvcctl pod list -q research --all-namespaces",
            .flags = kListPodsFlags,
            .shows = true,
            .run = &list_pods},
    Command{.group = "podgroup",
            .name = "list",
            .summary = "list pod groups with their phases",
            .examples = "vcctl podgroup list\nvcctl podgroup list -q research --all-namespaces",
            .flags = kListGroupsFlags,
            .shows = true,
            .run = &list_pod_groups},
    Command{.group = "podgroup",
            .name = "get",
            .summary = "show one pod group",
            .examples = "vcctl podgroup get -N hello",
            .flags = kTargetFlags,
            .shows = true,
            .run = &get_pod_group},
    Command{.group = "",
            .name = "completion",
            .summary = "print a script that completes commands and flags in a shell",
            .examples = "source <(vcctl completion bash)\nvcctl completion zsh > \"${fpath[1]}/_vcctl\"\n"
                        "vcctl completion fish > ~/.config/fish/completions/vcctl.fish",
            .words = "bash zsh fish",
            .offline = &print_completion},
    Command{.group = "",
            .name = "names",
            .summary = "print the names of objects, one per line: what completion asks",
            .examples = "vcctl names job -n research",
            .flags = kNamesFlags,
            .hidden = true,
            .words = kNamedKinds,
            .run = &print_names},
    Command{.group = "",
            .name = "version",
            .summary = "print the version information",
            .examples = "vcctl version",
            .offline = &print_version},
};

constexpr std::array kTools = {
    Command{.group = "",
            .name = "vsub",
            .summary = "submit a job",
            .examples = "vsub -n hello -r 3 -m 3 -c \"sh -c 'echo hello'\"\n"
                        "vsub -n train -q research --gpus 8 -c \"python train.py\" --wait",
            .flags = kSubmitFlags,
            .run = &submit_job},
    Command{.group = "",
            .name = "vjobs",
            .summary = "list jobs, or show one with -n",
            .examples = "vjobs\nvjobs -n hello -N research",
            .flags = kToolJobsFlags,
            .shows = true,
            .run = &view_or_list_jobs},
    Command{.group = "",
            .name = "vqueues",
            .summary = "list queues, or show one with -n",
            .examples = "vqueues\nvqueues -n research",
            .flags = kShowQueueFlags,
            .shows = true,
            .run = &view_queues},
    Command{.group = "",
            .name = "vcancel",
            .summary = "delete a job and its pods",
            .examples = "vcancel -n hello -N research",
            .flags = kToolTargetFlags,
            .run = &cancel_job},
    Command{.group = "",
            .name = "vsuspend",
            .summary = "abort a job: its pods go, the job stays",
            .examples = "vsuspend -n hello",
            .flags = kToolTargetFlags,
            .run = &suspend_job},
    Command{.group = "",
            .name = "vresume",
            .summary = "run an aborted job again",
            .examples = "vresume -n hello",
            .flags = kToolTargetFlags,
            .run = &resume_job},
};

}  // namespace

std::span<const CommandGroup> groups() { return kGroups; }
std::span<const Command> commands() { return kCommands; }
std::span<const Command> tools() { return kTools; }

const Command* find_command(std::string_view group, std::string_view name) {
  const auto found = std::find_if(kCommands.begin(), kCommands.end(),
                                  [&](const Command& row) { return row.group == group && row.name == name; });
  return found == kCommands.end() ? nullptr : &*found;
}

const Command* find_tool(std::string_view name) {
  const auto found = std::find_if(kTools.begin(), kTools.end(), [&](const Command& row) { return row.name == name; });
  return found == kTools.end() ? nullptr : &*found;
}

const CommandGroup* find_group(std::string_view name) {
  const auto found =
      std::find_if(kGroups.begin(), kGroups.end(), [&](const CommandGroup& row) { return row.name == name; });
  return found == kGroups.end() ? nullptr : &*found;
}

std::vector<Flag> flags_of(const Command& command) {
  std::vector<Flag> flags(command.flags.begin(), command.flags.end());
  if (command.shows) flags.insert(flags.end(), kShowFlags.begin(), kShowFlags.end());
  if (command.run != nullptr) flags.insert(flags.end(), kConnectionFlags.begin(), kConnectionFlags.end());
  flags.insert(flags.end(), kCommonFlags.begin(), kCommonFlags.end());
  return flags;
}

std::string_view kind_of_name(const Command& command) {
  if (!takes_name(command) || command.name == "run" || command.name == "create" || command.name == "vsub") return "";
  if (!command.group.empty()) return command.group;
  return command.name == "vqueues" ? "queue" : "job";
}

bool takes_name(const Command& command) {
  return std::any_of(command.flags.begin(), command.flags.end(), [](const Flag& flag) { return flag.name == "name"; });
}

}  // namespace basalt::cli::vcctl
