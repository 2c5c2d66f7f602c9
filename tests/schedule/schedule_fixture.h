// A whole cluster in memory and in virtual time with the real scheduler in it: API server with admission, upkeep,
// controllers, scheduler. The nodes are played: what is bound runs, what is deleted goes.
//
// Everything is deterministic. Time stands still but in advance().
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "control/kubernetes/kube_controller_manager.h"
#include "control/scheduler/scheduler.h"
#include "control/volcano/volcano_controller_manager.h"
#include "kube/client/object_client.h"
#include "server/api_server.h"
#include "server/in_process_client.h"
#include "server/store/store.h"
#include "tests/schedule/faulty_client.h"

namespace basalt {

class ScheduleFixture {
 public:
  explicit ScheduleFixture(std::string conf_map = "");
  ~ScheduleFixture();

  // ---- what a test does ------------------------------------------------------------------------------------------
  void create(std::string_view yaml);
  void create_node(std::string_view name, std::string_view cpu, std::string_view more = "");
  // A Volcano job of one task with so many pods, each asking for so much cpu; all of them or none unless `min` is less.
  void create_job(std::string_view name, int replicas, std::string_view cpu, std::string_view queue = "default",
                  int min = -1, std::string_view priority_class = "");
  void remove(std::string_view group_version, std::string_view plural, std::string_view name);
  void patch(std::string_view group_version, std::string_view plural, std::string_view name, std::string_view json,
             std::string_view subresource = "");
  void finish(std::string_view pod, std::string_view phase = "Succeeded");  // of a pod in default
  void set_conf(std::string_view yaml);                                     // the scheduler's ConfigMap
  void advance(Duration length);
  void crash_scheduler();  // a new one that knows nothing
  std::string conf_file;   // of the next one; the ConfigMap then only tells

  bool runs_pods = true;  // what is bound gets phase Running
  bool ends_pods = true;  // what is being deleted goes

  // ---- what a test looks at --------------------------------------------------------------------------------------
  [[nodiscard]] std::vector<client::ObjectPtr> list(std::string_view group_version, std::string_view plural);
  [[nodiscard]] client::ObjectPtr get(std::string_view group_version, std::string_view plural, std::string_view name);
  [[nodiscard]] std::vector<client::ObjectPtr> pods() { return list("v1", "pods"); }
  // "j-t-0=n1 j-t-1=- …" of the pods whose names begin so: where they are.
  [[nodiscard]] std::string places(std::string_view prefix = "");
  [[nodiscard]] size_t bound(std::string_view prefix = "");
  // The text at a path of a job's PodGroup: "status.phase".
  [[nodiscard]] std::string group_at(std::string_view job, std::string_view path);
  [[nodiscard]] std::string events_about(std::string_view name);  // "reason: message" by line, sorted
  // No node holds more than it has, by what the API says; the state agrees with a rebuild from the API.
  void expect_sound();

  [[nodiscard]] scheduler::Scheduler& scheduler() { return *scheduler_; }
  [[nodiscard]] FaultyClient& wire() { return *wire_; }
  [[nodiscard]] client::ObjectClient& user() { return *user_; }
  [[nodiscard]] Instant now() const { return now_; }
  std::vector<std::string> log;  // of the scheduler
  bool verbose = false;

 private:
  void settle();
  bool play_nodes();
  [[nodiscard]] std::optional<Instant> next_due() const;

  Instant now_;
  std::string conf_map_;
  std::unique_ptr<store::Store> store_;
  server::ApiServer api_;
  std::unique_ptr<server::InProcessClient> user_, upkeep_client_, controller_client_, scheduler_client_;
  std::unique_ptr<FaultyClient> wire_;
  kubernetes::KubeControllerManager upkeep_;
  std::unique_ptr<volcano::VolcanoControllerManager> controllers_;
  std::unique_ptr<scheduler::Scheduler> scheduler_;
};

}  // namespace basalt
