#include "kube/client/host_environment.h"

#include <cstdlib>

#include "kube/client/wall_clock.h"
#include "kube/text/read_file.h"

namespace basalt::client {

HostEnvironment real_host_environment() {
  return {.environment =
              [](const std::string& name) {
                const char* value = std::getenv(name.c_str());  // NOLINT: we never change the environment
                return std::string(value != nullptr ? value : "");
              },
          .read_file = [](const std::string& path) { return text::read_file(path, kMaxConfigFileBytes); },
          .clock = wall_clock};
}

}  // namespace basalt::client
