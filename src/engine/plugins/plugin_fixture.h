// A small cluster and a session with one plugin, for the unit tests of plugins.
//
//   PluginFixture fixture;
//   fixture.node({.name = "n1", .cpu = 4000});
//   fixture.queue({.name = "q"});
//   const JobId job = fixture.job({.name = "j", .queue = "q", .min_available = 2});
//   const TaskId task = fixture.task({.name = "j-0", .group = "j"}, /*cpu=*/1000);
//   fixture.open<Gang>();
//   EXPECT_TRUE(fixture.session().job_ready(job));
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "engine/core/session.h"

namespace basalt::plugins {

inline constexpr model::Amount kGi = model::Amount{1} << 30U;

struct TestNode {
  std::string name;
  model::Amount cpu = 0;     // milli
  model::Amount memory = 0;  // bytes
  std::vector<std::pair<std::string, std::string>> labels;
  std::string revocable_zone;
};

class PluginFixture {
 public:
  model::ClusterState state;
  Instant now = Instant::from_unix_seconds(1'000'000);

  model::NodeId node(const TestNode& node) {
    model::NodeSpec spec;
    spec.name = node.name;
    spec.allocatable.at(model::kCpu) = node.cpu;
    spec.allocatable.at(model::kMemory) = node.memory;
    spec.allocatable.at(model::kPods) = spec.max_pods = 110;
    spec.labels = labels(node.labels);
    spec.revocable_zone = state.names.intern(node.revocable_zone);
    return state.upsert_node(std::move(spec));
  }
  model::QueueId queue(model::QueueSpec spec) { return state.upsert_queue(std::move(spec)); }
  model::JobId job(model::JobSpec spec) {
    if (spec.ns.empty()) spec.ns = "ns";
    if (spec.queue.empty()) spec.queue = "q";
    return state.upsert_job(std::move(spec));
  }
  // The uid is the name; a task with a node runs there unless it says otherwise.
  model::TaskId task(model::TaskSpec spec, model::Amount cpu, model::Amount memory = 0) {
    model::PodShape shape;
    if (cpu > 0) shape.request.push_back({model::kCpu, cpu});
    if (memory > 0) shape.request.push_back({model::kMemory, memory});
    shape.best_effort = shape.request.empty();
    shape.request.push_back({model::kPods, 1});
    spec.shape = state.shapes.intern(shape);
    if (!spec.labels.valid()) spec.labels = state.label_sets.intern({});
    if (spec.ns.empty()) spec.ns = "ns";
    if (spec.uid.empty()) spec.uid = spec.name;
    if (!spec.node_name.empty() && spec.status == model::TaskStatus::Pending) spec.status = model::TaskStatus::Running;
    return state.upsert_task(spec);
  }
  model::LabelSet labels(const std::vector<std::pair<std::string, std::string>>& pairs) {
    model::LabelSet set;
    for (const auto& [key, value] : pairs) set.push_back({state.names.intern(key), state.names.intern(value)});
    model::normalize(set);
    return set;
  }

  // A new session with only this plugin, everything switched on.
  template <class P>
  void open(engine::ArgumentMap arguments = {}) {
    auto maker = engine::plugin_entry<P>().configure(engine::Arguments(std::move(arguments)));
    check(maker.has_value(), "a test opens a plugin with arguments that it takes");
    session_.reset();
    policy_ = {};
    engine::Policy::Plugin plugin{.name = std::string(P::kName), .make = *maker};
    plugin.flags.fill(true);
    policy_.plugins.push_back(std::move(plugin));
    session_ = std::make_unique<engine::Session>(state, policy_, now, rng_, memory_);
    session_->open();
  }
  engine::Session& session() { return *session_; }

 private:
  engine::Policy policy_;
  engine::CycleMemory memory_;
  Rng rng_{1};
  std::unique_ptr<engine::Session> session_;
};

}  // namespace basalt::plugins
