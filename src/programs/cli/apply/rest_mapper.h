// From apiVersion and kind, as manifests name them, to the resource that the API serves.
//
// Built-in kinds are known; those of CustomResourceDefinitions are asked of the server, when the first one is needed,
// and again when one is not found: a file may define a kind and use it further down.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "kube/api/api_resource.h"
#include "kube/client/object_client.h"

namespace basalt::cli::apply {

struct RestMapping {
  api::GroupVersionResource resource;
  bool namespaced = true;
};

class RestMapper {
 public:
  // Requires: `client` outlives it.
  explicit RestMapper(client::ObjectClient& client);

  // Cost: O(log kinds); for a kind that is not known yet, a list of all definitions of the server.
  [[nodiscard]] Result<RestMapping> find(const std::string& api_version, const std::string& kind);

 private:
  Result<void> ask_server();
  void learn(const text::Object& definition);

  client::ObjectClient& client_;
  std::map<std::pair<std::string, std::string>, RestMapping> known_;  // (apiVersion, kind)
};

}  // namespace basalt::cli::apply
