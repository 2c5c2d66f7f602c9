// The job controller in its loop, on the real API server in memory; scheduler and kubelets are played by the test.
//
// stop_after() lets a number of writes through and then refuses all, as if the process had died; restart_controller()
// starts a new controller that knows nothing but what the server has.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "control/loop/reconcile_loop.h"
#include "control/volcano/job/job_controller.h"
#include "control/volcano/volcano_controller.h"
#include "kube/client/object_client.h"
#include "server/api_server.h"
#include "server/in_process_client.h"
#include "server/store/store.h"

namespace basalt {

// Passes on so many writes, then none.
class WriteBudgetClient : public client::ObjectClient {
 public:
  explicit WriteBudgetClient(client::ObjectClient& real) : real_(real) {}
  void send(api::Call call, std::function<void(client::ReplyOrError)> done) override;
  [[nodiscard]] std::unique_ptr<client::Watch> watch(api::Call call,
                                                     std::function<void(client::WatchEvent)> receive) override {
    return real_.watch(std::move(call), std::move(receive));
  }

  size_t left = SIZE_MAX, sent = 0;  // events do not count

 private:
  client::ObjectClient& real_;
};

// An API server in memory; its clock stands still. Making one takes a while, so the fixtures of one test share it.
struct SharedServer {
  SharedServer();

  Instant now = Instant::from_unix_seconds(1'700'000'000);
  std::unique_ptr<store::Store> store;
  std::unique_ptr<server::ApiServer> server;
  std::unique_ptr<server::InProcessClient> client;
};

// A job "j" in a namespace of its own.
class JobCluster {
 public:
  // Requires: `shared` outlives it. `ns` is new there.
  JobCluster(SharedServer& shared, std::string ns);
  ~JobCluster();

  void stop_after(size_t writes) { client_->left = writes; }
  [[nodiscard]] bool is_dead() const { return client_->left == 0; }
  [[nodiscard]] size_t sent() const { return client_->sent; }
  void restart_controller();
  // Lets the controller do what is due now.
  void step();

  void create(std::string_view yaml);  // in the namespace
  void admit();                        // every PodGroup is let into its queue
  void all_pods(std::string_view phase);
  void fail(std::string_view pod, int exit_code);
  [[nodiscard]] std::string job_at(std::string_view path);  // "status.state.phase"
  // Phase, version, retries and pods: what has to be the same at the end.
  [[nodiscard]] std::string summary();
  [[nodiscard]] std::vector<client::ObjectPtr> list(std::string_view group, std::string_view version,
                                                    std::string_view plural);

 private:
  class JobReconciler;

  void patch_status(std::string_view group, std::string_view version, std::string_view plural, std::string_view name,
                    std::string_view json);

  SharedServer& shared_;
  std::string ns_;
  std::unique_ptr<WriteBudgetClient> client_;
  std::unique_ptr<JobReconciler> reconciler_;
};

}  // namespace basalt
