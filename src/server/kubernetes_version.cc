#include "server/kubernetes_version.h"

#include <string>

namespace basalt::server {
namespace {

// Kubernetes names platforms as Go does.
constexpr std::string_view platform() {
#if defined(__aarch64__)
  return "linux/arm64";
#else
  return "linux/amd64";
#endif
}

}  // namespace

text::Value version_info() {
  // Clients demand the fields of Go's build; what has no meaning here is present and plain.
  return text::Object{{"major", "1"},
                      {"minor", "36"},
                      {"emulationMajor", "1"},
                      {"emulationMinor", "36"},
                      {"minCompatibilityMajor", "1"},
                      {"minCompatibilityMinor", "35"},
                      {"gitVersion", kKubernetesVersion},
                      {"gitCommit", "0000000000000000000000000000000000000000"},
                      {"gitTreeState", "clean"},
                      {"buildDate", "2026-01-01T00:00:00Z"},
                      {"goVersion", "none"},
                      {"compiler", "gcc"},
                      {"platform", platform()}};
}

}  // namespace basalt::server
