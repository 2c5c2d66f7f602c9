// A small cluster for the tests of queue and share plugins: names and amounts in, an opened session out.
//
//   QueueFixture fixture;
//   fixture.node("n1", {.cpu = 10});
//   fixture.queue({.name = "a"});
//   JobId job = fixture.job("j1", "a");
//   TaskId task = fixture.task(job, {.cpu = 2}, TaskStatus::Running, "n1");
//   auto session = fixture.open<Proportion>();
// cpu is in cores, memory in Gi, gpu in devices; each pod also counts one pod.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "engine/core/session.h"

namespace basalt::plugins {

struct Size {
  int64_t cpu = 0, memory = 0, gpu = 0, pods = 0;
};

class QueueFixture {
 public:
  model::ClusterState state;

  model::Quota quota(const Size& size) {
    model::Quota quota;
    if (size.cpu > 0) quota.set(model::kCpu, size.cpu * 1000);
    if (size.memory > 0) quota.set(model::kMemory, size.memory << 30U);
    if (size.gpu > 0) quota.set(state.schema.intern("nvidia.com/gpu"), size.gpu * 1000);
    if (size.pods > 0) quota.set(model::kPods, size.pods);
    return quota;
  }
  void node(const std::string& name, Size size) {
    if (size.pods == 0) size.pods = 110;
    state.upsert_node({.name = name, .allocatable = quota(size).amount, .max_pods = size.pods});
  }
  model::QueueId queue(model::QueueSpec spec) { return state.upsert_queue(std::move(spec)); }
  model::JobId job(const std::string& name, const std::string& queue, const Size& minimum = {},
                   model::PodGroupPhase phase = model::PodGroupPhase::Pending) {
    model::JobSpec spec{.ns = "ns", .name = name, .uid = name, .queue = queue, .min_available = 1};
    const model::Quota least = quota(minimum);
    if (least.given.any()) spec.min_resources = least;
    spec.status.phase = phase;
    return state.upsert_job(std::move(spec));
  }
  model::TaskId task(model::JobId job, Size size, model::TaskStatus status = model::TaskStatus::Pending,
                     const std::string& node = "") {
    size.pods = 1;
    model::PodShape shape;
    shape.request = model::to_demand(quota(size).amount);
    const std::string name = state.job(job).name + "-" + std::to_string(tasks_++);
    model::TaskSpec spec{.ns = "ns", .name = name, .uid = name, .group = state.job(job).name, .node_name = node};
    spec.status = status;
    spec.shape = state.shapes.intern(shape);
    spec.labels = state.label_sets.intern({});
    return state.upsert_task(spec);
  }

  // A session with this one plugin; every switch is on, enableHierarchy as asked.
  template <class P>
  engine::Session& open(bool hierarchy = false, engine::ArgumentMap arguments = {}) {
    session_.reset();
    policy_ = {};
    engine::Policy::Plugin plugin{.name = std::string(P::kName)};
    plugin.flags.fill(true);
    plugin.flags[static_cast<size_t>(engine::PluginFlag::Hierarchy)] = hierarchy;
    plugin.make = *engine::plugin_entry<P>().configure(engine::Arguments(std::move(arguments)));
    policy_.plugins.push_back(std::move(plugin));
    session_ = std::make_unique<engine::Session>(state, policy_, Instant::from_unix_seconds(1), rng_, memory_);
    session_->open();
    return *session_;
  }

 private:
  Rng rng_{1};
  engine::CycleMemory memory_;
  engine::Policy policy_;
  std::unique_ptr<engine::Session> session_;
  int tasks_ = 0;
};

}  // namespace basalt::plugins
