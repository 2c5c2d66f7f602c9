// The process that gets killed: opens the store and writes from several threads as fast as it can, for ever.
#pragma once

#include <cstdint>
#include <filesystem>

namespace basalt::crash {

// Messages (writer_protocol.h) go to `pipe`. Returns only when the store does not open or refuses a write: then it says
// why on standard error.
void write_until_killed(const std::filesystem::path& file, uint64_t life, int pipe);

}  // namespace basalt::crash
