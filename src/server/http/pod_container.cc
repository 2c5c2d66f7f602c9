#include "server/http/pod_container.h"

#include <algorithm>
#include <vector>

#include "kube/api/views/pod_view.h"

namespace basalt::server {

api::ApiResult<std::string> choose_container(const text::Object& object, std::string_view wanted) {
  const api::PodView pod(object);
  const std::string pod_name(pod.metadata().name());
  std::vector<std::string_view> names;
  for (const api::ContainerView container : pod.spec().containers()) names.push_back(container.name());
  if (!wanted.empty()) {
    std::vector<std::string_view> all = names;
    for (const api::ContainerView container : pod.spec().init_containers()) all.push_back(container.name());
    for (const auto container : pod.spec().ephemeral_containers()) all.push_back(container.name());
    if (std::ranges::find(all, wanted) != all.end()) return std::string(wanted);
    return std::unexpected(api::bad_request("container " + std::string(wanted) + " is not valid for pod " + pod_name));
  }
  if (names.size() == 1) return std::string(names.front());
  if (const std::string_view chosen = pod.metadata().annotations()["kubectl.kubernetes.io/default-container"];
      std::ranges::find(names, chosen) != names.end()) {
    return std::string(chosen);
  }
  std::string all;
  for (const std::string_view name : names) all += (all.empty() ? "" : " ") + std::string(name);
  return std::unexpected(
      api::bad_request("a container name must be specified for pod " + pod_name + ", choose one of: [" + all + "]"));
}

}  // namespace basalt::server
