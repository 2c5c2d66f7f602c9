#include "control/scheduler/picture.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/hash.h"
#include "control/scheduler/state/keys.h"
#include "control/scheduler/state/specs.h"
#include "kube/api/object_fields.h"

namespace basalt::scheduler {
namespace {

bool is_controlling_job(const api::OwnerReference& owner) { return owner.controller && owner.kind == "Job"; }

constexpr std::string_view kScheduled = "PodScheduled";

uint64_t version_of(std::string_view text) {
  uint64_t version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

PodWords words_of(const api::Pod& pod) {
  for (const api::Condition& condition : pod.status.conditions) {
    if (condition.type != kScheduled || condition.status != "False") continue;
    return {.reason = mark_of(condition.reason), .message = mark_of(condition.message), .at = kNever};
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
Result<void> feed_object(state::ObjectFeed& feed, const text::Value& value, Kind kind) {
  const auto object = api::decode_object<T>(text::Field(value), row_of(kind).name);
  if (!object) return std::unexpected(object.error());
  return feed.apply(*object);
}

template <class T>
void remove_object(state::ObjectFeed& feed, std::string_view key) {
  T object;
  object.metadata = meta_of(key);
  feed.remove(object);
}

}  // namespace

uint64_t mark_of(std::string_view text) { return std::max<uint64_t>(Fingerprint().add(text).value(), 1); }

struct Picture::Head {
  std::string key;
  std::string uid;
  uint64_t version;
};

Picture::Picture(model::ClusterState& state, const state::FeedOptions& options, Log log)
    : feed_(state, options), log_(std::move(log)) {}

Picture::Learnt Picture::learn(Kind kind, const client::ObjectPtr& object, Source source) {
  if (object == nullptr || !object->is_object()) return {};
  const text::Object& root = object->get_object();
  const text::Object& metadata = api::metadata_of(root);
  Head head{.key = api::key_of(root),
            .uid = std::string(api::string_at(metadata, "uid")),
            .version = version_of(api::string_at(metadata, "resourceVersion"))};
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
  if (kind == Kind::Pod) {
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

void Picture::judge(const Result<void>& done, ObjectRow& row) {
  if (row.bad) --bad_;
  row.bad = !done;
  if (done) return;
  ++bad_;
  if (log_) log_(Severity::Warning, done.error().message + "; it is ignored until it changes");
}

Picture::Learnt Picture::learn_pod(const Head& head, const text::Value& value, Source source) {
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

Result<void> Picture::take_pod(api::Pod& pod, PodRow& row, Source source) {
  const PodWords words = words_of(pod);
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
  return source == Source::Outcome ? feed_.apply_outcome(pod) : feed_.apply(pod);
}

Result<void> Picture::take(Kind kind, const Head& head, const text::Value& value) {
  switch (kind) {
    case Kind::Node:
      return feed_object<api::Node>(feed_, value, kind);
    case Kind::PriorityClass:
      return feed_object<api::PriorityClass>(feed_, value, kind);
    case Kind::Namespace:
      return feed_object<api::Namespace>(feed_, value, kind);
    case Kind::ResourceQuota:
      return feed_object<api::ResourceQuota>(feed_, value, kind);
    case Kind::Budget:
      return feed_object<api::PodDisruptionBudget>(feed_, value, kind);
    case Kind::Queue: {
      auto queue = api::decode_queue(value);
      if (!queue) return std::unexpected(queue.error());
      queues_[head.key].allocated = std::move(queue->status.allocated);
      return feed_.apply(*queue);
    }
    case Kind::PodGroup: {
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
      return feed_.apply(*group);
    }
    case Kind::Pod:
    case Kind::ConfMap:
    case Kind::Job:
      break;
  }
  return {};
}

bool Picture::forget(Kind kind, std::string_view key) {
  const ObjectRow* known = find(kind, key);
  if (known == nullptr) return false;
  if (known->bad) --bad_;
  drop(kind, key, *known);
  erase(kind, key);
  return true;
}

void Picture::drop(Kind kind, std::string_view key, const ObjectRow& row) {
  switch (kind) {
    case Kind::Node:
      return remove_object<api::Node>(feed_, key);
    case Kind::Queue:
      return remove_object<api::Queue>(feed_, key);
    case Kind::PriorityClass:
      return remove_object<api::PriorityClass>(feed_, key);
    case Kind::Namespace:
      return remove_object<api::Namespace>(feed_, key);
    case Kind::ResourceQuota:
      return remove_object<api::ResourceQuota>(feed_, key);
    case Kind::Budget:
      return remove_object<api::PodDisruptionBudget>(feed_, key);
    case Kind::PodGroup:
      return remove_object<api::PodGroup>(feed_, key);
    case Kind::Pod: {
      api::Pod pod;
      pod.metadata.uid = row.uid;
      feed_.remove(pod);
      evicting_.erase(row.uid);
      held_.erase(row.uid);
      return;
    }
    case Kind::ConfMap:
    case Kind::Job:
      return;
  }
}

const ObjectRow* Picture::find(Kind kind, std::string_view key) const {
  const auto in = [key](const auto& table) -> const ObjectRow* {
    const auto at = table.find(key);
    return at == table.end() ? nullptr : &at->second;
  };
  if (kind == Kind::Pod) return in(pods_);
  if (kind == Kind::PodGroup) return in(groups_);
  if (kind == Kind::Queue) return in(queues_);
  return in(others_[static_cast<size_t>(kind)]);
}

ObjectRow& Picture::row(Kind kind, const std::string& key) {
  if (kind == Kind::Pod) return pods_[key];
  if (kind == Kind::PodGroup) return groups_[key];
  if (kind == Kind::Queue) return queues_[key];
  return others_[static_cast<size_t>(kind)][key];
}

void Picture::erase(Kind kind, std::string_view key) {
  const auto from = [key](auto& table) {
    if (const auto at = table.find(key); at != table.end()) table.erase(at);
  };
  if (kind == Kind::Pod) return from(pods_);
  if (kind == Kind::PodGroup) return from(groups_);
  if (kind == Kind::Queue) return from(queues_);
  from(others_[static_cast<size_t>(kind)]);
}

std::vector<std::string> Picture::keys(Kind kind) const {
  std::vector<std::string> keys;
  const auto collect = [&keys](const auto& table) {
    keys.reserve(table.size());
    for (const auto& [key, row] : table) keys.push_back(key);  // order-free: sorted below
  };
  if (kind == Kind::Pod) {
    collect(pods_);
  } else if (kind == Kind::PodGroup) {
    collect(groups_);
  } else if (kind == Kind::Queue) {
    collect(queues_);
  } else {
    collect(others_[static_cast<size_t>(kind)]);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

PodRow* Picture::pod(std::string_view key) {
  const auto at = pods_.find(key);
  return at == pods_.end() ? nullptr : &at->second;
}
GroupRow* Picture::group(std::string_view key) {
  const auto at = groups_.find(key);
  return at == groups_.end() ? nullptr : &at->second;
}
QueueRow* Picture::queue(std::string_view name) {
  const auto at = queues_.find(name);
  return at == queues_.end() ? nullptr : &at->second;
}

}  // namespace basalt::scheduler
