// `basalt bench jobs`: many jobs at once on the embedded server with its durable store, until every pod and PodGroup is
// there. A stand-in for the scheduler lets PodGroups in; nothing is bound.
#pragma once

#include <span>
#include <string_view>

namespace basalt::lab {

inline constexpr std::string_view kBenchJobsUsage =
    "Usage: basalt bench jobs [--jobs N] [--replicas N] [--directory DIR]\n"
    "Creates N jobs at once and waits until the controllers have made all their pods and PodGroups, durably.\n"
    "  --jobs N         1000\n"
    "  --replicas N     50, pods per job\n"
    "  --directory DIR  where the store lies while it runs (default: a temporary directory)\n";

// The words behind `bench jobs`. Exit code: 0 done, 1 it did not finish, 2 usage.
int run_bench_jobs(std::span<const std::string_view> words);

}  // namespace basalt::lab
