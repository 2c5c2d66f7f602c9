// `basalt bench soak`: many short pods flow through the whole system, in jobs that clean up after themselves. What
// would take a cluster a night, compressed: does memory stay flat, the store bounded, and the scheduler's state right?
#pragma once

#include <span>
#include <string_view>

namespace basalt::lab {

inline constexpr std::string_view kBenchSoakUsage =
    "Usage: basalt bench soak [--pods N] [--replicas N] [--alive N] [--nodes N] [--directory DIR]\n"
    "Everything of `basalt up` but the network, with its durable store. Pods run for 0 to 0.2 seconds in jobs that "
    "are\n"
    "removed when they are done; events live for 5 seconds; the scheduler checks itself every second. Prints a line "
    "for\n"
    "every 10,000 pods. Fails when memory grows by more than 10 % after the first 10,000, when the store's file keeps\n"
    "growing, or when a self-check finds a difference.\n"
    "  --pods N         100000\n"
    "  --replicas N     20, pods per job\n"
    "  --alive N        2000, pods at a time\n"
    "  --nodes N        200\n"
    "  --directory DIR  where the store lies while it runs (default: a temporary directory)\n";

// The words behind `bench soak`. Exit code: 0 all well, 1 it is not, 2 usage.
int run_bench_soak(std::span<const std::string_view> words);

}  // namespace basalt::lab
