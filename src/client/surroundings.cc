#include "client/surroundings.h"

#include <chrono>
#include <cstdlib>

#include "text/file.h"

namespace basalt::client {

Surroundings real_surroundings() {
  return {.environment =
              [](const std::string& name) {
                const char* value = std::getenv(name.c_str());  // NOLINT: we never change the environment
                return std::string(value != nullptr ? value : "");
              },
          .read_file = [](const std::string& path) { return text::read_file(path, kMaxConfigFileBytes); },
          .clock =
              [] {
                const auto since = std::chrono::system_clock::now().time_since_epoch();
                return Instant{std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()};
              }};
}

}  // namespace basalt::client
