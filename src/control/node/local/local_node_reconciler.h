// Reconciles the pods bound to this node (one PodLifecycle each), its Node object, Lease, hosts files and services.
//
//   item 0: a pod, by uid        its PodLifecycle advances: actions to the runtime, its status to the API
//   item 1: the Node object      made once, kept as it should be
//   item 2: the heartbeat        the Lease, every kLeaseRenewal
//   item 3: names and services   hosts files and the load balancer, at most once per kNamesPause
//
// A pod whose object is gone is kept until nothing of it runs any more.
//
// Threads: as loop::Reconciler; tell() from any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "control/loop/reconcile_loop.h"
#include "control/loop/reconciler.h"
#include "control/node/local/gpu_allocator.h"
#include "control/node/local/hosts_file.h"
#include "control/node/local/pod_address_pool.h"
#include "control/node/local/pod_inputs.h"
#include "control/node/local/pod_lifecycle.h"
#include "control/node/local/pod_references.h"
#include "control/node/local/pod_runtime.h"
#include "control/node/local/service_table.h"
#include "control/node/node_object.h"
#include "kube/net/tcp_load_balancer.h"

namespace basalt::node {

inline constexpr Duration kNamesPause = Duration::millis(50);
inline constexpr Duration kNamesRetry = Duration::seconds(5);        // of what could not be listened on
inline constexpr Duration kConflictRecheck = Duration::millis(200);  // while a service waits for its pods to listen

struct LocalNodeReconcilerOptions {
  std::function<Instant()> clock;
  NodeDescription node;
  PodLifecycleOptions machine;
  ServiceOptions services;
  HostFeatures can;                                                // of this machine
  OwnPorts own_ports = OwnPorts::None;                             // that every pod not on the host's network has
  std::function<void(bool warning, const std::string& line)> log;  // may be empty
};

class LocalNodeReconciler final : public loop::Reconciler {
 public:
  // Requires: `client` outlives it.
  LocalNodeReconciler(client::ObjectClient& client, LocalNodeReconcilerOptions options, PodAddressPool addresses,
                      GpuAllocator devices);
  ~LocalNodeReconciler() override;

  // Before start(). Requires: both outlive stop(). `balancer` may be null: services are then not served.
  void use(PodRuntime& runtime, net::TcpLoadBalancer* balancer);
  // Something happened to a pod.
  void tell(const std::string& uid, PodLifecycleEvent news);

  void start() { loop_.start(); }
  void stop() { loop_.stop(); }

  void learn(loop::KindId kind, const client::ObjectPtr& object, Instant now) override;
  void forget(loop::KindId kind, const std::string& key, Instant now) override;
  [[nodiscard]] std::vector<std::string> keys(loop::KindId kind) const override;
  [[nodiscard]] loop::WritePlan plan(const loop::Item& item, Instant now) override;
  void refused(const loop::Item& item, const api::Call& call, const api::ApiError& error,
               std::vector<loop::EventNote>& notes) override;
  void requeue_all(Instant now) override;

 private:
  struct Pod {
    client::ObjectPtr object;  // its last state; also when it is gone
    PodLifecycle machine;
    PodReferences references;              // that it was made from
    PodReferences volumes;                 // that reach it while it runs
    std::string address;                   // "": none yet, or given back
    PodRuntime::InputsPtr inputs;          // of the last action that needed one
    std::string hosts;                     // as written last
    std::string written;                   // its status, as written last
    bool took_over = false;                // it had ended before we saw it
    bool gave_back = false;                // address and devices
    bool gone = false;                     // the object is not there any more
    bool final_delete_sent = false;        // the object's removal was sent
    bool ignored_fields_reported = false;  // which of its fields have no effect
    bool stale = false;                    // an object that a volume shows has changed
  };

  void learn_pod(const client::ObjectPtr& object, Instant now);
  // What a former node left running of it.
  void take_over(const Pod& pod, const std::vector<DetachedRun>& kept);
  void give_address(Pod& pod);
  void lose_pod(std::string uid, Instant now);  // by value: its entry goes
  void lose_claim(const std::string& key);
  void object_changed(const std::string& key, PodReferences::Names PodReferences::* which, Instant now);

  [[nodiscard]] loop::WritePlan plan_pod(const std::string& uid, Instant now);
  [[nodiscard]] loop::WritePlan plan_node(Instant now);
  [[nodiscard]] loop::WritePlan plan_heartbeat(Instant now);
  [[nodiscard]] loop::WritePlan plan_names(Instant now);

  void carry_out(Pod& pod, const PodAction& action);
  // Once per pod, before it starts.
  void report_ignored_fields(Pod& pod, loop::WritePlan& plan) const;
  [[nodiscard]] PodRuntime::InputsPtr make_inputs(Pod& pod);
  void put_devices(const text::Object& pod, PodInputs& inputs);
  void put_status(Pod& pod, Instant now, loop::WritePlan& plan);
  void give_back(Pod& pod);
  [[nodiscard]] std::vector<PodEndpoint> pod_endpoints() const;
  [[nodiscard]] std::vector<const text::Object*> services() const;
  [[nodiscard]] std::vector<PodLifecycleEvent> take_news(const std::string& uid);
  void wake_names(Instant now);
  void say(bool warning, const std::string& line) const;
  void say_once(const std::string& line);

  LocalNodeReconcilerOptions options_;
  PodAddressPool addresses_;
  GpuAllocator devices_;
  NodeObjectCache seen_;
  std::map<std::string, std::unique_ptr<Pod>> pods_;  // by uid
  std::map<std::string, std::string> by_key_;         // "namespace/name" → uid, of pods that are there
  client::ObjectPtr node_;
  bool registered_ = false, has_lease_ = false, swept_ = false;
  Instant names_at_ = kNever;
  net::TcpLoadBalancer::Table table_;
  std::set<std::string> said_;
  PodRuntime* runtime_ = nullptr;
  net::TcpLoadBalancer* balancer_ = nullptr;

  std::mutex mutex_;  // guards news_
  std::map<std::string, std::vector<PodLifecycleEvent>> news_;
  loop::ReconcileLoop loop_;
};

}  // namespace basalt::node
