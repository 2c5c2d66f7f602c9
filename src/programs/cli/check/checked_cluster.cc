#include "programs/cli/check/checked_cluster.h"

#include <charconv>
#include <iterator>

#include "kube/api/node_types.h"
#include "kube/api/object_fields.h"
#include "kube/api/pod_group_types.h"
#include "kube/api/pod_requests.h"
#include "kube/api/pod_types.h"
#include "kube/api/queue_types.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/api/volcano_keys.h"
#include "programs/cli/check/check_rules.h"

namespace basalt::cli::checkup {
namespace {

namespace keys = api::keys;

Finding unreadable_object(std::string kind, const text::Value& object, const Error& error) {
  return {.rule = kUnreadable,
          .kind = std::move(kind),
          .object = object.is_object() ? api::key_of(object.get_object()) : std::string(),
          .message = error.message,
          .firm = true};
}

std::string annotation(const api::ObjectMeta& meta, std::string_view key) {
  const std::string* value = api::find_in(meta.annotations, key);
  return value == nullptr ? std::string() : *value;
}

const api::OwnerReference* controller_of(const api::ObjectMeta& meta) {
  for (const api::OwnerReference& owner : meta.owners) {
    if (owner.controller) return &owner;
  }
  return nullptr;
}

int64_t number_of(std::string_view digits) {
  int64_t number = -1;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return end.ec == std::errc() && end.ptr == digits.data() + digits.size() ? number : -1;
}

Instant bound_at(const api::Pod& pod) {
  for (const api::Condition& condition : pod.status.conditions) {
    if (condition.type == "PodScheduled" && condition.status == "True") return condition.last_transition_time;
  }
  return kNever;
}

template <class T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

void CheckedCluster::take(CheckedCluster other) {
  append(nodes, other.nodes);
  append(queues, other.queues);
  append(groups, other.groups);
  append(jobs, other.jobs);
  append(pods, other.pods);
  append(unreadable, other.unreadable);
}

void CheckedCluster::add_node(const text::Value& object) {
  auto node = api::decode_node(object);
  if (!node) return unreadable.push_back(unreadable_object("Node", object, node.error()));
  nodes.push_back({.name = std::move(node->metadata.name), .allocatable = std::move(node->status.allocatable)});
}

void CheckedCluster::add_queue(const text::Value& object) {
  auto queue = api::decode_queue(object);
  if (!queue) return unreadable.push_back(unreadable_object("Queue", object, queue.error()));
  queues.push_back({.name = std::move(queue->metadata.name),
                    .parent = std::move(queue->spec.parent),
                    .capability = std::move(queue->spec.capability)});
}

void CheckedCluster::add_group(const text::Value& object) {
  auto group = api::decode_pod_group(object);
  if (!group) return unreadable.push_back(unreadable_object("PodGroup", object, group.error()));
  CheckedGroup facts{.namespace_name = group->metadata.namespace_name,
                     .name = group->metadata.name,
                     .uid = group->metadata.uid,
                     .queue = group->spec.queue.empty() ? std::string(keys::kDefaultQueue) : group->spec.queue,
                     .phase = group->status.phase,
                     .min_member = group->spec.min_member,
                     .terminating = group->metadata.deletion_time.is_set()};
  if (const api::OwnerReference* owner = controller_of(group->metadata)) {
    facts.owner_kind = owner->kind;
    facts.owner_name = owner->name;
    facts.owner_uid = owner->uid;
  }
  groups.push_back(std::move(facts));
}

void CheckedCluster::add_job(const text::Value& object) {
  if (!object.is_object() || api::name_of(object.get_object()).empty()) {
    return unreadable.push_back(
        unreadable_object("Job", object, {.code = ErrorCode::Invalid, .message = "it has no name"}));
  }
  const api::VolcanoJobView job(object);
  CheckedJob facts{
      .namespace_name = std::string(job.metadata().namespace_name()),
      .name = std::string(job.metadata().name()),
      .uid = std::string(job.metadata().uid()),
      .phase = std::string(job.status().state().phase()),
      .finished_lost = std::max<int64_t>(0, number_of(job.status().controlled_resources()["finished-pods-lost"])),
      .terminating = !job.metadata().deletion_timestamp().empty()};
  const api::VolcanoJobStatusView status = job.status();
  const std::array<std::optional<int64_t>, kCounters.size()> counts = {
      status.pending(), status.running(), status.succeeded(), status.failed(), status.terminating(), status.unknown()};
  for (size_t i = 0; i < counts.size(); ++i) facts.counts[i] = counts[i].value_or(0);
  for (const api::TaskSpecView task : job.spec().tasks()) {
    facts.tasks.push_back(
        {.name = std::string(task.name()), .replicas = task.replicas().value_or(0), .waits = bool(task.depends_on())});
  }
  jobs.push_back(std::move(facts));
}

void CheckedCluster::add_pod(const text::Value& object) {
  const auto pod = api::decode_pod(object);
  if (!pod) return unreadable.push_back(unreadable_object("Pod", object, pod.error()));
  const api::ObjectMeta& meta = pod->metadata;
  CheckedPod facts{.namespace_name = meta.namespace_name,
                   .name = meta.name,
                   .uid = meta.uid,
                   .node = pod->spec.node_name,
                   .group = annotation(meta, keys::kGroupName),
                   .job = annotation(meta, keys::kJobName),
                   .task = annotation(meta, keys::kTaskSpec),
                   .index = number_of(annotation(meta, keys::kTaskIndex)),
                   .phase = api::parse_pod_phase(pod->status.phase),
                   .terminating = meta.deletion_time.is_set(),
                   .gated = !pod->spec.scheduling_gates.empty(),
                   .created = meta.creation_time,
                   .bound = bound_at(*pod),
                   .requests = api::pod_requests(*pod)};
  if (!facts.group.empty()) facts.group.insert(0, meta.namespace_name + "/");
  const api::OwnerReference* owner = controller_of(meta);
  if (owner != nullptr && owner->kind == "Job" && !facts.job.empty()) {
    facts.job_uid = owner->uid;
  } else {
    facts.job.clear();  // what others write into annotations does not make a pod the job's
  }
  pods.push_back(std::move(facts));
}

}  // namespace basalt::cli::checkup
