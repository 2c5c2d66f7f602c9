// `basalt bench engine`: how fast is a cycle, where does the time go, how much memory does it take, how does it grow.
#pragma once

#include <span>

namespace basalt::lab {

// The words behind the verb. Returns the exit code: 0 done, 1 a run did not do what it should, 2 usage.
int run_bench(std::span<char* const> words);

}  // namespace basalt::lab
