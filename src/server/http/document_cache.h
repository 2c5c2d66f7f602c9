// Discovery and OpenAPI documents, made once per table of kinds and kept as bytes.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "kube/api/api_resource.h"

namespace basalt::server {

class DocumentCache {
 public:
  // The body of a GET of this path ("api", "apis/batch/v1", "openapi/v3/api/v1", …); nullopt: it is no document's path,
  // or nothing is served there. `aggregated`: the newer form of /api and /apis.
  [[nodiscard]] std::optional<std::string> find(const std::shared_ptr<const api::ApiResourceTable>& kinds,
                                                const std::string& path, bool aggregated);

 private:
  std::mutex mutex_;
  std::shared_ptr<const api::ApiResourceTable> kinds_;  // of which the bodies are
  std::map<std::string, std::string> bodies_;           // bounded by what is served
};

}  // namespace basalt::server
