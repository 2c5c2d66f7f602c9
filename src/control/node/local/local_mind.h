// What the local node thinks: one PodMachine per pod of this node, and what the node tells about itself.
//
//   item 0: a pod, by uid        its machine's turn: orders to the runtime, its status to the API
//   item 1: the Node object      made once, kept as it should be
//   item 2: the heartbeat        the Lease, every kLeaseRenewal
//   item 3: names and services   hosts files and the load balancer, at most once per kNamesPause
//
// A pod whose object is gone is kept until nothing of it runs any more.
//
// Threads: as Mind; tell() from any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "control/loop/loop.h"
#include "control/loop/mind.h"
#include "control/node/local/addresses.h"
#include "control/node/local/devices.h"
#include "control/node/local/names.h"
#include "control/node/local/pod_machine.h"
#include "control/node/local/pod_runtime.h"
#include "control/node/local/pod_world.h"
#include "control/node/local/references.h"
#include "control/node/local/services.h"
#include "control/node/node_object.h"
#include "kube/net/balancer.h"

namespace basalt::node {

inline constexpr Duration kNamesPause = Duration::millis(50);
inline constexpr Duration kNamesRetry = Duration::seconds(5);   // of what could not be listened on
inline constexpr Duration kYieldPause = Duration::millis(200);  // while a service waits for its pods to listen

struct LocalMindOptions {
  std::function<Instant()> clock;
  NodeDescription node;
  MachineOptions machine;
  ServiceOptions services;
  Capabilities can;                                                // of this machine
  std::function<void(bool warning, const std::string& line)> log;  // may be empty
};

class LocalMind final : public loop::Mind {
 public:
  // Requires: `client` outlives it.
  LocalMind(client::ObjectClient& client, LocalMindOptions options, Addresses addresses, Devices devices);
  ~LocalMind() override;

  // Before start(). Requires: both outlive stop(). `balancer` may be null: services are then not served.
  void use(PodRuntime& runtime, net::Balancer* balancer);
  // Something happened to a pod.
  void tell(const std::string& uid, PodNews news);

  void start() { loop_.start(); }
  void stop() { loop_.stop(); }

  void learn(loop::KindId kind, const client::ObjectPtr& object, Instant now) override;
  void forget(loop::KindId kind, const std::string& key, Instant now) override;
  [[nodiscard]] std::vector<std::string> keys(loop::KindId kind) const override;
  [[nodiscard]] loop::Plan plan(const loop::Item& item, Instant now) override;
  void refused(const loop::Item& item, const api::Call& call, const api::ApiError& error,
               std::vector<loop::Note>& notes) override;
  void look_at_everything(Instant now) override;

 private:
  struct Pod {
    client::ObjectPtr object;  // its last state; also when it is gone
    PodMachine machine;
    References references;    // that it was made from
    References volumes;       // that reach it while it runs
    std::string address;      // "": none yet, or given back
    PodRuntime::World world;  // of the last order that needed one
    std::string hosts;        // as written last
    std::string written;      // its status, as written last
    bool took_over = false;   // it had ended before we saw it
    bool gave_back = false;   // address and devices
    bool gone = false;        // the object is not there any more
    bool farewell = false;    // the object's removal was sent
    bool told = false;        // which of its fields have no effect
    bool stale = false;       // an object that a volume shows has changed
  };

  void learn_pod(const client::ObjectPtr& object, Instant now);
  // What a former node left running of it.
  void take_over(const Pod& pod, const std::vector<KeptRun>& kept);
  void give_address(Pod& pod);
  void lose_pod(std::string uid, Instant now);  // by value: its entry goes
  void lose_claim(const std::string& key);
  void object_changed(const std::string& key, References::Names References::* which, Instant now);

  [[nodiscard]] loop::Plan plan_pod(const std::string& uid, Instant now);
  [[nodiscard]] loop::Plan plan_node(Instant now);
  [[nodiscard]] loop::Plan plan_heartbeat(Instant now);
  [[nodiscard]] loop::Plan plan_names(Instant now);

  void carry_out(Pod& pod, const PodOrder& order);
  // Once per pod, before it starts.
  void tell_what_has_no_effect(Pod& pod, loop::Plan& plan) const;
  [[nodiscard]] PodRuntime::World make_world(Pod& pod);
  void put_devices(const text::Object& pod, PodWorld& world);
  void put_status(Pod& pod, Instant now, loop::Plan& plan);
  void give_back(Pod& pod);
  [[nodiscard]] std::vector<Neighbour> neighbours() const;
  [[nodiscard]] std::vector<const text::Object*> services() const;
  [[nodiscard]] std::vector<PodNews> take_news(const std::string& uid);
  void wake_names(Instant now);
  void say(bool warning, const std::string& line) const;
  void say_once(const std::string& line);

  LocalMindOptions options_;
  Addresses addresses_;
  Devices devices_;
  SeenObjects seen_;
  std::map<std::string, std::unique_ptr<Pod>> pods_;  // by uid
  std::map<std::string, std::string> by_key_;         // "namespace/name" → uid, of pods that are there
  client::ObjectPtr node_;
  bool registered_ = false, has_lease_ = false, swept_ = false;
  Instant names_at_ = kNever;
  net::Balancer::Table table_;
  std::set<std::string> said_;
  PodRuntime* runtime_ = nullptr;
  net::Balancer* balancer_ = nullptr;

  std::mutex mutex_;  // guards news_
  std::map<std::string, std::vector<PodNews>> news_;
  loop::Loop loop_;
};

}  // namespace basalt::node
