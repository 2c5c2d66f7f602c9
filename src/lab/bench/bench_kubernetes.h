// `basalt bench kubernetes`: a load for a real cluster, timed. Any scheduler can be under test: it is only looked at
// through the API and /proc.
#pragma once

#include <span>
#include <string_view>

namespace basalt::lab {

inline constexpr std::string_view kBenchKubernetesUsage =
    "Usage: basalt bench kubernetes --kubeconfig FILE [--load gangs|jobs|singles] [--gangs N] [--size N] [--nodes N] "
    "…\n"
    "       basalt bench kubernetes --table FILE\n"
    "Makes simulated nodes and a load of pods in a cluster and times, by a watch of its own, until every pod is bound\n"
    "and runs; then removes what it made. The scheduler under test runs elsewhere, or is the null scheduler, which\n"
    "binds each pod at once to the next node: the limit.\n"
    "  --kubeconfig FILE     as kubectl has it (default: $KUBECONFIG, ~/.kube/config)\n"
    "  --load KIND           gangs: PodGroups and their pods. jobs: Volcano jobs, which need controllers. singles:\n"
    "                        PodGroups of one pod each. Default: gangs\n"
    "  --gangs N             100, how many of them\n"
    "  --size N              50, pods in each\n"
    "  --nodes N             1000, of 32 CPUs, 128Gi and 110 pods each; pods that are bound there run at once\n"
    "  --no-nodes            the cluster has nodes, and somebody runs their pods\n"
    "  --scheduler-name S    volcano\n"
    "  --namespace S         default\n"
    "  --clients N           16, creates under way\n"
    "  --null                the null scheduler schedules, as a process of its own\n"
    "  --raw                 nobody schedules: all creates, then all binds\n"
    "  --pid ROLE=PID        also tell what this process uses; may be repeated: --pid scheduler=12 --pid "
    "controllers=34\n"
    "  --watch-idle SECONDS  then how much CPU these use while nothing happens\n"
    "  --unschedulable N     with N pods more that fit nowhere\n"
    "  --timeout SECONDS     900, for the load\n"
    "  --keep                leave everything in the cluster\n"
    "  --label S             a name for this result\n"
    "  --json                one JSON object instead of text\n"
    "  --table FILE          no run: a table of the results in FILE (JSON lines of runs with the labels `ours` and\n"
    "                        `null`) beside Volcano's figures, with verdicts\n";

// The words behind `bench kubernetes`. Exit code: 0 done, 1 it did not finish, 2 usage.
int run_bench_kubernetes(std::span<const std::string_view> words);

}  // namespace basalt::lab
