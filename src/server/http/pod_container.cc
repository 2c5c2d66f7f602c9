#include "server/http/pod_container.h"

#include <algorithm>
#include <array>
#include <vector>

#include "kube/api/object_fields.h"

namespace basalt::server {
namespace {

using api::string_at;

constexpr std::array<std::string_view, 3> kContainerLists = {"containers", "initContainers", "ephemeralContainers"};

}  // namespace

api::ApiResult<std::string> choose_container(const text::Object& pod, std::string_view wanted) {
  const std::string pod_name(api::name_of(pod));
  std::vector<std::string_view> names;
  for (const std::string_view list : kContainerLists) {
    const text::Array* containers = api::array_at(pod, {"spec", list});
    if (containers == nullptr) continue;
    for (const text::Value& container : *containers) {
      const std::string_view name = container.is_object() ? string_at(container.get_object(), "name") : "";
      if (!wanted.empty() && name == wanted) return std::string(name);
      if (list == "containers") names.push_back(name);
    }
  }
  if (!wanted.empty()) {
    return std::unexpected(api::bad_request("container " + std::string(wanted) + " is not valid for pod " + pod_name));
  }
  if (names.size() == 1) return std::string(names.front());
  if (const std::string_view chosen =
          string_at(pod, {"metadata", "annotations", "kubectl.kubernetes.io/default-container"});
      std::ranges::find(names, chosen) != names.end()) {
    return std::string(chosen);
  }
  std::string all;
  for (const std::string_view name : names) all += (all.empty() ? "" : " ") + std::string(name);
  return std::unexpected(
      api::bad_request("a container name must be specified for pod " + pod_name + ", choose one of: [" + all + "]"));
}

}  // namespace basalt::server
