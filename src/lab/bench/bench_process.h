// What the benches of whole systems share: reading their words, a directory that goes away, and what this process uses.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kube/client/wall_clock.h"

namespace basalt::lab {

// A word of the command line and where its value goes: "--jobs 5", "--directory DIR", "--json". Numbers are above 0.
struct BenchOption {
  std::string_view name;
  std::variant<size_t*, std::string*, std::vector<std::string>*, bool*> value;  // a vector: may be repeated
};
// False: a word is unknown, or its value is missing or wrong.
[[nodiscard]] bool read_bench_words(std::span<const std::string_view> words, std::span<const BenchOption> options);

// Calls `run` with a new directory below `parent` ("": the temporary directory) that is removed afterwards. Answers its
// exit code, or 1 when there is no directory.
[[nodiscard]] int in_bench_directory(const std::string& parent,
                                     const std::function<int(const std::filesystem::path&)>& run);

using client::wall_clock;
// The value below which lies this part (0 … 1) of `values`; 0 when there are none. Cost: O(values).
[[nodiscard]] double value_below(double part, std::vector<double> values);

[[nodiscard]] double cpu_seconds();   // of this process so far
[[nodiscard]] double resident_mib();  // now
[[nodiscard]] double peak_mib();      // ever

}  // namespace basalt::lab
