// A cluster as `basalt up` runs it, in this process, and clients that talk to it over HTTPS with its kubeconfig.
//
// Nothing sleeps: waits are for watch events, up to a deadline that only a broken cluster reaches.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "kube/client/object_client.h"
#include "programs/up/standalone.h"

namespace basalt::tests {

inline constexpr std::chrono::seconds kTestTimeout{90};

// The objects of one kind, as a watch tells them.
class WatchedObjects {
 public:
  WatchedObjects(client::ObjectClient& client, const api::GroupVersionResource& kind);

  // Until an object of this name is so. False, and a failure with its last state: it never was.
  bool wait(const std::string& name, const std::function<bool(const text::Object&)>& is_so);
  bool wait_any(const std::function<bool(const text::Object&)>& is_so);  // until some object is so
  bool wait_gone(const std::string& name);

 private:
  void take(const client::WatchEvent& event);

  std::mutex mutex_;  // guards the next two
  std::condition_variable changed_;
  std::map<std::string, client::ObjectPtr> objects_;
  std::unique_ptr<client::Watch> watch_;  // last: it calls take()
};

class StandaloneFixture {
 public:
  StandaloneFixture();
  ~StandaloneFixture();  // stops the cluster when it runs

  up::StandaloneOptions options;  // of the next start()
  void start();
  void stop();

  [[nodiscard]] up::Standalone& cluster() { return *cluster_; }
  [[nodiscard]] std::string kubeconfig() const { return cluster_->kubeconfig().string(); }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  // A new one, with connections of its own.
  [[nodiscard]] std::unique_ptr<client::ObjectClient> connect() const;
  [[nodiscard]] client::ObjectClient& client() { return *client_; }

  // A manifest in YAML; the test fails when the server refuses it.
  void create(const api::GroupVersionResource& kind, std::string_view ns, std::string_view yaml);
  void remove(const api::GroupVersionResource& kind, std::string_view ns, std::string_view name);
  [[nodiscard]] std::string page(std::string_view path);  // "": it cannot be read

  static const api::GroupVersionResource kJobs, kPods, kQueues, kNamespaces, kLeases;
  // A gang whose pods run `container`, a mapping in YAML's flow style; `more` is added to the pods' spec.
  [[nodiscard]] static std::string gang(std::string_view name, int size, std::string_view container,
                                        std::string_view more);
  [[nodiscard]] static bool has_phase(const text::Object& job, std::string_view phase);

 private:
  std::filesystem::path directory_;
  std::unique_ptr<up::Standalone> cluster_;
  std::unique_ptr<client::ObjectClient> client_;
};

}  // namespace basalt::tests
