// The standalone cluster: store, API server, transport and all that works on it (cluster_components.h) in one
// process.
//
// Parts start in the order of their members and stop in the reverse one: the network first, so that nobody sees a half
// stopped server.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/net/server.h"
#include "programs/up/cluster_components.h"
#include "server/http/http_handler.h"

namespace basalt::up {

struct StandaloneOptions {
  std::filesystem::path state;  // directory of store, certificates and logs
  bool ephemeral = false;       // objects in memory only; then no pod outlives it either
  std::string address = "127.0.0.1";
  uint16_t port = 0;
  std::vector<std::string> extra_names;  // of the server's certificate
  std::filesystem::path kubeconfig;      // "": in the state directory
  unsigned threads = 2;
  unsigned workers = 2;       // threads for requests that may take long
  uint64_t memory_limit = 0;  // bytes; 0: what the machine or its cgroup has
  ClusterComponentOptions components;
  std::function<void(const server::AccessLogEntry&)> access_log;
  // The store's file no longer holds what was acknowledged: nothing that this process does can mend it, and it should
  // end. Once at most, from any thread.
  std::function<void()> store_lost;
};

class Standalone {
 public:
  // Serves when it returns.
  static Result<std::unique_ptr<Standalone>> start(StandaloneOptions options);
  virtual ~Standalone() = default;

  [[nodiscard]] virtual const std::string& url() const = 0;
  [[nodiscard]] virtual const std::filesystem::path& kubeconfig() const = 0;
  virtual void stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace basalt::up
