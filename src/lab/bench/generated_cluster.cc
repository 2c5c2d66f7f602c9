#include "lab/bench/generated_cluster.h"

#include <string>

namespace basalt::lab {

namespace {

constexpr size_t kZones = 3;
constexpr size_t kPools = 8;
constexpr int64_t kNodeCpuMilli = 64'000;
constexpr int64_t kNodeMemory = int64_t{256} << 30U;
constexpr const char* kNamespace = "bench";

std::string numbered(const char* prefix, size_t i) {
  std::string digits = std::to_string(i);
  if (digits.size() < 6) digits.insert(0, 6 - digits.size(), '0');
  return std::string(prefix) + "-" + digits;
}

std::string queue_name(const ClusterPlan& plan, size_t job) {
  return plan.only_queue != nullptr ? plan.only_queue : numbered("queue", job % plan.queues);
}

struct Template {
  model::ShapeId shape;
  model::ResourceVec per_task;
};

Template make_template(model::ClusterState& state, int64_t cpu_milli, int64_t memory, int pool) {
  model::PodShape shape;
  shape.request = {{.id = model::kCpu, .amount = cpu_milli},
                   {.id = model::kMemory, .amount = memory},
                   {.id = model::kPods, .amount = 1}};
  shape.nonzero_cpu_milli = cpu_milli;
  shape.nonzero_memory = memory;
  shape.images = {state.names.intern("registry.example/trainer:1")};
  shape.containers = 1;
  if (pool >= 0) {
    shape.node_selector = {
        {.key = state.names.intern("pool"), .value = state.names.intern("pool-" + std::to_string(pool))}};
  }
  return {.shape = state.shapes.intern(shape), .per_task = model::to_vec(shape.request)};
}

Template template_of(model::ClusterState& state, const ClusterPlan& plan, size_t job) {
  const bool own = plan.all_distinct || (plan.distinct && job % 2 == 1);
  const size_t variant = own ? job : job % plan.templates;
  const auto step = static_cast<int64_t>(variant);
  const int64_t cpu = plan.cpu_milli - (own ? step % 997 : step * 10);
  const int64_t memory = plan.memory - step * 4096;
  return make_template(state, cpu, memory, own ? static_cast<int>(job / 2 % kPools) : -1);
}

void add_gang(model::ClusterState& state, const ClusterPlan& plan, const std::string& name, size_t job,
              const Template& made, model::PodGroupPhase phase, const std::vector<std::string>& nodes) {
  const Instant created = Instant::from_unix_seconds(1'700'000'000 + static_cast<int64_t>(job));
  model::JobSpec spec;
  spec.ns = kNamespace;
  spec.name = name;
  spec.queue = queue_name(plan, job);
  spec.min_available = plan.let_in && !nodes.empty() ? 1 : static_cast<int32_t>(plan.gang);
  spec.priority_class = plan.priority_class;
  spec.created = created;
  spec.status.phase = phase;
  model::Quota minimum;
  for (size_t r = 0; r < made.per_task.size(); ++r) {
    const model::ResourceId id(r);
    if (made.per_task[id] > 0) minimum.set(id, made.per_task[id] * static_cast<int64_t>(plan.gang));
  }
  spec.min_resources = minimum;
  state.upsert_job(std::move(spec));
  model::TaskSpec task;
  task.ns = kNamespace;
  task.group = name;
  task.shape = made.shape;
  task.labels = state.label_sets.intern({{.key = state.names.intern("app"), .value = state.names.intern("trainer")}});
  task.role = state.names.intern("worker");
  task.created = created;
  for (size_t t = 0; t < plan.gang; ++t) {
    task.name = name + "-worker-" + std::to_string(t);
    task.uid = task.name;
    task.status = nodes.empty() ? model::TaskStatus::Pending : model::TaskStatus::Running;
    task.node_name = nodes.empty() ? std::string() : nodes[t];
    state.upsert_task(task);
  }
}

}  // namespace

void add_nodes(model::ClusterState& state, const ClusterPlan& plan) {
  for (size_t i = 0; i < plan.nodes; ++i) {
    model::NodeSpec node;
    node.name = numbered("node", i);
    node.labels = {
        {.key = state.names.intern("kubernetes.io/hostname"), .value = state.names.intern(node.name)},
        {.key = state.names.intern("zone"), .value = state.names.intern("zone-" + std::to_string(i % kZones))},
        {.key = state.names.intern("pool"), .value = state.names.intern("pool-" + std::to_string(i % kPools))}};
    model::normalize(node.labels);
    node.allocatable.at(model::kCpu) = kNodeCpuMilli;
    node.allocatable.at(model::kMemory) = kNodeMemory;
    node.allocatable.at(model::kPods) = node.max_pods = 110;
    state.upsert_node(std::move(node));
  }
  for (size_t q = 0; q < plan.queues; ++q) {
    model::QueueSpec queue;
    queue.name = numbered("queue", q);
    queue.weight = static_cast<int32_t>(q) + 1;
    state.upsert_queue(std::move(queue));
  }
  model::QueueSpec idle;
  idle.name = kIdleQueue;
  state.upsert_queue(std::move(idle));
}

void add_pending_gangs(model::ClusterState& state, const ClusterPlan& plan, const char* prefix) {
  for (size_t job = 0; job < plan.jobs; ++job) {
    const auto phase = plan.let_in ? model::PodGroupPhase::Inqueue : model::PodGroupPhase::Pending;
    add_gang(state, plan, numbered(prefix, job), job, template_of(state, plan, job), phase, {});
  }
}

void fill_nodes(model::ClusterState& state, const ClusterPlan& plan, size_t per_node) {
  const Template made = make_template(state, kNodeCpuMilli / static_cast<int64_t>(per_node), int64_t{1} << 30U, -1);
  const size_t pods = plan.nodes * per_node;
  std::vector<std::string> places;
  for (size_t pod = 0, job = 0; pod < pods; ++pod) {
    places.push_back(numbered("node", pod / per_node));
    if (places.size() < plan.gang) continue;
    add_gang(state, plan, numbered("old", job), job, made, model::PodGroupPhase::Running, places);
    places.clear();
    ++job;
  }
}

}  // namespace basalt::lab
