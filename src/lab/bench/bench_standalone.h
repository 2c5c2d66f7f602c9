// `basalt bench standalone`: many gangs at once through the whole system, until every pod runs on a simulated node.
#pragma once

#include <span>
#include <string_view>

namespace basalt::lab {

inline constexpr std::string_view kBenchStandaloneUsage =
    "Usage: basalt bench standalone [--jobs N] [--replicas N] [--nodes N] [--directory DIR] [--json]\n"
    "Everything of `basalt up` but the network, with its durable store: N jobs are created at once by 8 clients, and\n"
    "run on simulated nodes. Measures until every pod is Running; times by our own clock, as a watch sees them.\n"
    "  --jobs N         200\n"
    "  --replicas N     50, pods per job; they start together or not at all\n"
    "  --nodes N        1000, of 32 CPUs, 128Gi and 110 pods each\n"
    "  --directory DIR  where the store lies while it runs (default: a temporary directory)\n"
    "  --json           one JSON object instead of text\n";

// The words behind `bench standalone`. Exit code: 0 done, 1 it did not finish, 2 usage.
int run_bench_standalone(std::span<const std::string_view> words);

}  // namespace basalt::lab
