#include "control/scheduler/scheduler_cache.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/fingerprint.h"
#include "control/scheduler/state/amount_conversion.h"
#include "control/scheduler/state/keys.h"
#include "control/scheduler/state/specs.h"
#include "kube/api/object_fields.h"
#include "kube/api/views/metadata_view.h"

namespace basalt::scheduler {
namespace {

// A vcjob. A PodGroup may as well belong to a batch/v1 Job, which is another kind.
bool is_controlling_job(const api::OwnerReference& owner) {
  const SchedulerKindRow& job = row_of(SchedulerKind::Job);
  return owner.controller && owner.kind == job.name && owner.group() == job.group;
}

constexpr std::string_view kScheduled = "PodScheduled";

uint64_t version_of(std::string_view text) {
  uint64_t version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

ConditionHash words_of(const api::Pod& pod) {
  for (const api::Condition& condition : pod.status.conditions) {
    if (condition.type != kScheduled || condition.status != "False") continue;
    return {.reason = text_hash(condition.reason), .message = text_hash(condition.message), .at = kNever};
  }
  return {};
}

api::ObjectMeta meta_of(std::string_view key) {
  api::ObjectMeta meta;
  const size_t slash = key.find('/');
  if (slash != std::string_view::npos) meta.namespace_name = key.substr(0, slash);
  meta.name = slash == std::string_view::npos ? key : key.substr(slash + 1);
  return meta;
}

template <class T>
Result<void> apply_object(state::StateUpdater& updater, const text::Value& value, SchedulerKind kind) {
  const auto object = api::decode_object<T>(text::Field(value), row_of(kind).name);
  if (!object) return std::unexpected(object.error());
  return updater.apply(*object);
}

template <class T>
void remove_object(state::StateUpdater& updater, std::string_view key) {
  T object;
  object.metadata = meta_of(key);
  updater.remove(object);
}

}  // namespace

uint64_t text_hash(std::string_view text) { return std::max<uint64_t>(Fingerprint().add(text).value(), 1); }

struct SchedulerCache::Head {
  std::string key;
  std::string uid;
  uint64_t version;
};

SchedulerCache::SchedulerCache(model::ClusterState& state, const state::StateOptions& options, LogFunction log)
    : updater_(state, options), log_(std::move(log)) {}

SchedulerCache::Learnt SchedulerCache::learn(SchedulerKind kind, const client::ObjectPtr& object, Source source) {
  if (object == nullptr || !object->is_object()) return {};
  const text::Object& root = object->get_object();
  const text::Object& metadata = api::metadata_of(root);
  Head head{.key = api::key_of(root),
            .uid = std::string(api::ObjectMetaView(metadata).uid()),
            .version = version_of(api::ObjectMetaView(metadata).resource_version())};
  if (head.uid.empty()) head.uid = head.key;
  const ObjectRow* known = find(kind, head.key);
  std::string replaced;
  if (known != nullptr) {
    const bool same_state = head.version == known->version && head.version != 0;
    if (head.version < known->version && source != Source::Listed) return {};
    if (same_state && source != Source::Outcome) return {};
    if (known->uid != head.uid) {
      replaced = known->uid;
      forget(kind, head.key);
      known = nullptr;
    }
  }
  if (kind == SchedulerKind::Pod) {
    Learnt learnt = learn_pod(head, *object, source);
    learnt.fresh = known == nullptr;
    learnt.replaced = std::move(replaced);
    return learnt;
  }
  ObjectRow& now_known = row(kind, head.key);
  now_known.uid = head.uid;
  now_known.version = head.version;
  judge(take(kind, head, *object), now_known);
  return {.taken = true, .fresh = known == nullptr};
}

void SchedulerCache::judge(const Result<void>& done, ObjectRow& row) {
  if (row.bad) --bad_;
  row.bad = !done;
  if (done) return;
  ++bad_;
  if (log_) log_(Severity::Warning, done.error().message + "; it is ignored until it changes");
}

SchedulerCache::Learnt SchedulerCache::learn_pod(const Head& head, const text::Value& value, Source source) {
  PodRow& row = pods_[head.key];
  row.uid = head.uid;
  row.version = head.version;
  Result<api::Pod> pod = api::decode_pod(value);
  if (!pod) {
    judge(std::unexpected(pod.error()), row);
    return {.taken = true};
  }
  const Instant created = pod->metadata.creation_time;
  const bool leaving = pod->metadata.deletion_time.is_set();
  const bool settled = leaving || !pod->spec.node_name.empty();
  judge(take_pod(*pod, row, source), row);
  return {.taken = true, .settled = settled, .created = created};
}

Result<void> SchedulerCache::take_pod(api::Pod& pod, PodRow& row, Source source) {
  const ConditionHash words = words_of(pod);
  row.words = {.reason = words.reason, .message = words.message, .at = row.words.at};
  if (!evicting_.empty()) {
    if (const auto since = evicting_.find(row.uid); since != evicting_.end()) {
      if (pod.metadata.deletion_time.is_set()) {
        evicting_.erase(since);
      } else {
        pod.metadata.deletion_time = since->second;
      }
    }
  }
  if (!held_.empty() && held_.contains(row.uid) && pod.spec.node_name.empty()) {
    pod.spec.scheduling_gates.emplace_back(state::keys::kHeldGate);
  }
  return source == Source::Outcome ? updater_.apply_outcome(pod) : updater_.apply(pod);
}

Result<void> SchedulerCache::take_node(const Head& head, const text::Value& value) {
  const auto node = api::decode_object<api::Node>(text::Field(value), row_of(SchedulerKind::Node).name);
  if (!node) return std::unexpected(node.error());
  const std::string cut = state::cut_amount(node->status.allocatable);
  if (cut.empty()) {
    cut_nodes_.erase(head.key);
  } else if (cut_nodes_.insert(head.key).second && log_) {
    log_(Severity::Warning, "Node " + head.key + ": status.allocatable." + cut + ", the most that can be counted");
  }
  return updater_.apply(*node);
}

Result<void> SchedulerCache::take(SchedulerKind kind, const Head& head, const text::Value& value) {
  switch (kind) {
    case SchedulerKind::Node:
      return take_node(head, value);
    case SchedulerKind::PriorityClass:
      return apply_object<api::PriorityClass>(updater_, value, kind);
    case SchedulerKind::Namespace:
      return apply_object<api::Namespace>(updater_, value, kind);
    case SchedulerKind::ResourceQuota:
      return apply_object<api::ResourceQuota>(updater_, value, kind);
    case SchedulerKind::Budget:
      return apply_object<api::PodDisruptionBudget>(updater_, value, kind);
    case SchedulerKind::Queue: {
      auto queue = api::decode_queue(value);
      if (!queue) return std::unexpected(queue.error());
      queues_[head.key].allocated = std::move(queue->status.allocated);
      return updater_.apply(*queue);
    }
    case SchedulerKind::PodGroup: {
      const auto group = api::decode_pod_group(value);
      if (!group) return std::unexpected(group.error());
      GroupRow& row = groups_[head.key];
      const auto owner = std::ranges::find_if(group->metadata.owners, is_controlling_job);
      row.of_job = owner != group->metadata.owners.end();
      row.job_name = row.of_job ? owner->name : "";
      row.job_uid = row.of_job ? owner->uid : "";
      row.stamps.clear();
      for (const api::Condition& condition : group->status.conditions) {
        row.stamps.push_back(
            {.type = condition.type, .transition_id = condition.transition_id, .at = condition.last_transition_time});
      }
      return updater_.apply(*group);
    }
    case SchedulerKind::Pod:
    case SchedulerKind::ConfMap:
    case SchedulerKind::Job:
      break;
  }
  return {};
}

bool SchedulerCache::forget(SchedulerKind kind, std::string_view key) {
  const ObjectRow* known = find(kind, key);
  if (known == nullptr) return false;
  if (known->bad) --bad_;
  drop(kind, key, *known);
  erase(kind, key);
  return true;
}

void SchedulerCache::drop(SchedulerKind kind, std::string_view key, const ObjectRow& row) {
  switch (kind) {
    case SchedulerKind::Node:
      cut_nodes_.erase(std::string(key));
      return remove_object<api::Node>(updater_, key);
    case SchedulerKind::Queue:
      return remove_object<api::Queue>(updater_, key);
    case SchedulerKind::PriorityClass:
      return remove_object<api::PriorityClass>(updater_, key);
    case SchedulerKind::Namespace:
      return remove_object<api::Namespace>(updater_, key);
    case SchedulerKind::ResourceQuota:
      return remove_object<api::ResourceQuota>(updater_, key);
    case SchedulerKind::Budget:
      return remove_object<api::PodDisruptionBudget>(updater_, key);
    case SchedulerKind::PodGroup:
      return remove_object<api::PodGroup>(updater_, key);
    case SchedulerKind::Pod: {
      api::Pod pod;
      pod.metadata.uid = row.uid;
      updater_.remove(pod);
      evicting_.erase(row.uid);
      held_.erase(row.uid);
      return;
    }
    case SchedulerKind::ConfMap:
    case SchedulerKind::Job:
      return;
  }
}

const ObjectRow* SchedulerCache::find(SchedulerKind kind, std::string_view key) const {
  const auto in = [key](const auto& table) -> const ObjectRow* {
    const auto at = table.find(key);
    return at == table.end() ? nullptr : &at->second;
  };
  if (kind == SchedulerKind::Pod) return in(pods_);
  if (kind == SchedulerKind::PodGroup) return in(groups_);
  if (kind == SchedulerKind::Queue) return in(queues_);
  return in(others_[static_cast<size_t>(kind)]);
}

ObjectRow& SchedulerCache::row(SchedulerKind kind, const std::string& key) {
  if (kind == SchedulerKind::Pod) return pods_[key];
  if (kind == SchedulerKind::PodGroup) return groups_[key];
  if (kind == SchedulerKind::Queue) return queues_[key];
  return others_[static_cast<size_t>(kind)][key];
}

void SchedulerCache::erase(SchedulerKind kind, std::string_view key) {
  const auto from = [key](auto& table) {
    if (const auto at = table.find(key); at != table.end()) table.erase(at);
  };
  if (kind == SchedulerKind::Pod) return from(pods_);
  if (kind == SchedulerKind::PodGroup) return from(groups_);
  if (kind == SchedulerKind::Queue) return from(queues_);
  from(others_[static_cast<size_t>(kind)]);
}

std::vector<std::string> SchedulerCache::keys(SchedulerKind kind) const {
  std::vector<std::string> keys;
  const auto collect = [&keys](const auto& table) {
    keys.reserve(table.size());
    for (const auto& [key, row] : table) keys.push_back(key);  // order-free: sorted below
  };
  if (kind == SchedulerKind::Pod) {
    collect(pods_);
  } else if (kind == SchedulerKind::PodGroup) {
    collect(groups_);
  } else if (kind == SchedulerKind::Queue) {
    collect(queues_);
  } else {
    collect(others_[static_cast<size_t>(kind)]);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

PodRow* SchedulerCache::pod(std::string_view key) {
  const auto at = pods_.find(key);
  return at == pods_.end() ? nullptr : &at->second;
}
GroupRow* SchedulerCache::group(std::string_view key) {
  const auto at = groups_.find(key);
  return at == groups_.end() ? nullptr : &at->second;
}
QueueRow* SchedulerCache::queue(std::string_view name) {
  const auto at = queues_.find(name);
  return at == queues_.end() ? nullptr : &at->second;
}

}  // namespace basalt::scheduler
