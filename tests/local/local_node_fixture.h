// The local node on an API server in memory, with real processes and the real clock.
//
// Nothing sleeps: waits are for watch events, up to a deadline that only a broken node reaches.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/kubernetes/kube_controller_manager.h"
#include "control/node/local/local_node.h"
#include "kube/net/loopback_block.h"
#include "server/api_server.h"
#include "server/in_process_client.h"
#include "server/store/store.h"

namespace basalt {

inline constexpr std::chrono::seconds kTestTimeout{60};

class LocalNodeFixture {
 public:
  LocalNodeFixture();
  ~LocalNodeFixture();

  void start_node();
  void stop_node(std::chrono::milliseconds grace = std::chrono::seconds(2));

  // A manifest in YAML; namespace default. Answers the uid.
  std::string create(std::string_view yaml);
  // A pod on this node. `spec` in YAML flow style, without the braces.
  std::string create_pod(std::string_view name, std::string_view spec);
  void remove_pod(std::string_view name, int64_t grace);
  void patch(std::string_view plural, std::string_view name, std::string_view json);
  [[nodiscard]] client::ObjectPtr get(std::string_view plural, std::string_view name);

  // Until the pod is so. False, and a failure with the pod's last state: it never was.
  bool wait(std::string_view pod, const std::function<bool(const text::Object&)>& is_so);
  bool wait_phase(std::string_view pod, std::string_view phase);
  bool wait_ready(std::string_view pod);
  bool wait_gone(std::string_view pod);
  // Until an event with this reason about the pod was told. Answers its message.
  std::string wait_event(std::string_view pod, std::string_view reason);
  bool wait_event_text(std::string_view pod, std::string_view message);

  // A pod as last seen; the text at a path ("status.containerStatuses.0.restartCount"), "" where it is absent.
  [[nodiscard]] std::string at(std::string_view pod, std::string_view path);
  // The log's lines without stamps, joined by '|'.
  [[nodiscard]] std::string log(std::string_view pod, std::string_view container, bool previous = false) const;
  [[nodiscard]] static std::string read(const std::filesystem::path& file);  // "": not there
  // Processes that have MARK=<mark> of this fixture in their environment.
  [[nodiscard]] std::vector<int> marked() const;
  [[nodiscard]] const std::string& mark() const { return mark_; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  [[nodiscard]] client::ObjectClient& client() { return *client_; }

  [[nodiscard]] node::LocalNode& node() { return *node_; }

  node::LocalNodeOptions options;  // of the next start_node()

  static constexpr std::string_view kNode = "here";

 private:
  void watch();
  client::ObjectPtr wait_told(std::string_view pod, std::string_view field, std::string_view text);
  bool wait_for(const std::function<bool()>& is_so);  // Requires: not mutex_

  std::filesystem::path directory_;
  std::string mark_;
  std::optional<net::LoopbackBlock> block_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<server::ApiServer> server_;
  std::unique_ptr<server::InProcessClient> client_;
  std::unique_ptr<kubernetes::KubeControllerManager> upkeep_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, client::ObjectPtr, std::less<>> pods_;
  std::vector<client::ObjectPtr> events_;
  std::unique_ptr<client::Watch> pod_watch_, event_watch_;
  std::unique_ptr<node::LocalNode> node_;
};

}  // namespace basalt
