#include "control/volcano/controller_cache.h"

#include <algorithm>

#include "base/check.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/views/pod_view.h"
#include "kube/api/views/volcano_command_view.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/api/views/volcano_pod_group_view.h"
#include "kube/api/views/volcano_queue_view.h"
#include "kube/api/volcano_keys.h"

namespace basalt::volcano {
namespace {

constexpr std::string_view kJobGroup = "batch.volcano.sh";

std::string_view version_of(const text::Object& object) {
  return api::ObjectView(object).metadata().resource_version();
}

std::string_view any_controller_uid(const text::Object& object) { return controller_uid(object, "", ""); }

client::ObjectPtr slim(const text::Object& object) {
  text::Object kept;
  for (const std::string_view key : {"apiVersion", "kind", "metadata"}) api::copy_member(kept, object, key);
  api::metadata_of(kept).erase("managedFields");
  if (const text::Object* spec = api::object_at(object, {"spec"})) {
    text::Object& kept_spec = api::object_in(kept, "spec");
    for (const std::string_view key : {"replicas", "selector", "minMember"}) api::copy_member(kept_spec, *spec, key);
  }
  return std::make_shared<const text::Value>(std::move(kept));
}

void set_index(std::unordered_map<std::string, std::set<std::string, std::less<>>>& index, std::string_view word,
               const std::string& key, bool there) {
  if (word.empty()) return;
  if (there) {
    index[std::string(word)].insert(key);
    return;
  }
  const auto at = index.find(std::string(word));
  if (at == index.end()) return;
  at->second.erase(key);
  if (at->second.empty()) index.erase(at);
}

const ControllerCache::Keys& found(const std::unordered_map<std::string, ControllerCache::Keys>& index,
                                   std::string_view word) {
  static const ControllerCache::Keys kNone;
  const auto at = index.find(std::string(word));
  return at == index.end() ? kNone : at->second;
}

// The count that a group's phase belongs to.
int64_t& count_of(PodGroupCounts& counts, const text::Object& group) {
  const std::string_view phase = api::PodGroupView(group).status().phase();
  if (phase == "Running") return counts.running;
  if (phase == "Inqueue") return counts.inqueue;
  if (phase == "Completed") return counts.completed;
  return phase.empty() || phase == "Pending" ? counts.pending : counts.unknown;
}

std::string owner_word(VolcanoKind kind, std::string_view uid) {
  if (uid.empty()) return "";
  std::string word = std::to_string(static_cast<int>(kind));
  word += ':';
  return word.append(uid);
}

}  // namespace

const text::Object* ControllerCache::find(VolcanoKind kind, std::string_view key) const {
  const Objects& objects = all(kind);
  const auto at = objects.find(key);
  return at == objects.end() ? nullptr : &at->second->get_object();
}

client::ObjectPtr ControllerCache::find_shared(VolcanoKind kind, std::string_view key) const {
  const Objects& objects = all(kind);
  const auto at = objects.find(key);
  return at == objects.end() ? nullptr : at->second;
}

const ControllerCache::Keys& ControllerCache::controlled(VolcanoKind kind, std::string_view owner_uid) const {
  return found(controlled_, owner_word(kind, owner_uid));
}
const ControllerCache::Keys& ControllerCache::commands_for(std::string_view target_uid) const {
  return found(commands_, target_uid);
}
const ControllerCache::Keys& ControllerCache::groups_in(std::string_view queue) const { return found(groups_, queue); }
PodGroupCounts ControllerCache::group_counts(std::string_view queue) const {
  const auto at = group_counts_.find(std::string(queue));
  return at == group_counts_.end() ? PodGroupCounts{} : at->second;
}
const ControllerCache::Keys& ControllerCache::ungrouped_of(std::string_view uid) const {
  return found(ungrouped_of_, uid);
}
const ControllerCache::Keys& ControllerCache::children_of(std::string_view queue) const {
  return found(children_, queue);
}
const ControllerCache::Keys& ControllerCache::jobs_in(std::string_view queue) const { return found(jobs_, queue); }

const JobPods& ControllerCache::pods_of(std::string_view job_uid) const {
  static const JobPods kNone;
  const auto at = pods_.find(std::string(job_uid));
  return at == pods_.end() ? kNone : at->second;
}

void ControllerCache::index(VolcanoKind kind, const std::string& key, const text::Object& object, bool there) {
  set_index(controlled_, owner_word(kind, any_controller_uid(object)), key, there);
  if (kind == VolcanoKind::Command) set_index(commands_, api::CommandView(object).target().uid(), key, there);
  if (kind == VolcanoKind::PodGroup) {
    const std::string_view queue = api::PodGroupView(object).spec().queue();
    set_index(groups_, queue, key, there);
    PodGroupCounts& counts = group_counts_[std::string(queue)];
    count_of(counts, object) += there ? 1 : -1;
    if (counts == PodGroupCounts{}) group_counts_.erase(std::string(queue));
  }
  if (kind == VolcanoKind::Queue) set_index(children_, api::QueueView(object).spec().parent(), key, there);
  if (kind == VolcanoKind::Job) set_index(jobs_, api::VolcanoJobView(object).spec().queue(), key, there);
}

void ControllerCache::learn(VolcanoKind kind, const client::ObjectPtr& object, const Noted& noted) {
  const text::Object& root = object->get_object();
  const std::string key = api::key_of(root);
  if (kind == VolcanoKind::Pod) return learn_pod(key, object, noted);
  Objects& objects = objects_[static_cast<size_t>(kind)];
  const auto at = objects.find(key);
  client::ObjectPtr before = at == objects.end() ? nullptr : at->second;
  if (before != nullptr && !api::is_later_version(version_of(root), version_of(before->get_object()))) return;
  if (before != nullptr) index(kind, key, before->get_object(), false);
  client::ObjectPtr next = row_of(kind).cached_form == CachedForm::Slim ? slim(root) : object;
  index(kind, key, next->get_object(), true);
  objects[key] = next;
  if (kind == VolcanoKind::Job) drop_lost_pods(root, false);
  noted({.kind = kind,
         .key = key,
         .before = before == nullptr ? nullptr : &before->get_object(),
         .now = &next->get_object()});
}

void ControllerCache::forget(VolcanoKind kind, const std::string& key, Instant now, const Noted& noted) {
  if (kind == VolcanoKind::Pod) return forget_pod(key, now, noted);
  Objects& objects = objects_[static_cast<size_t>(kind)];
  const auto at = objects.find(key);
  if (at == objects.end()) return;
  const client::ObjectPtr before = at->second;
  index(kind, key, before->get_object(), false);
  objects.erase(at);
  if (kind == VolcanoKind::Job) drop_lost_pods(before->get_object(), true);
  noted({.kind = kind, .key = key, .before = &before->get_object()});
}

bool ControllerCache::is_ours(const text::Object& pod) const {
  const api::PodView view(pod);
  const std::string_view scheduler = view.spec().scheduler_name();
  if (std::ranges::find(schedulers_, scheduler) == schedulers_.end()) return false;
  return view.metadata().annotations()[api::keys::kGroupName].empty();
}

void ControllerCache::set_ungrouped(const std::string& key, const client::ObjectPtr& pod) {
  if (const auto at = ungrouped_.find(key); at != ungrouped_.end()) {
    set_index(ungrouped_of_, pod_group_owner_uid(at->second->get_object()), key, false);
    ungrouped_.erase(at);
  }
  if (pod == nullptr) return;
  set_index(ungrouped_of_, pod_group_owner_uid(pod->get_object()), key, true);
  ungrouped_[key] = pod;
}

void ControllerCache::learn_pod(const std::string& key, const client::ObjectPtr& object, const Noted& noted) {
  const text::Object& root = object->get_object();
  const std::string_view owner = controller_uid(root, kJobGroup, "Job");
  if (is_ours(root)) {
    const auto at = ungrouped_.find(key);
    if (at == ungrouped_.end() || api::is_later_version(version_of(root), version_of(at->second->get_object()))) {
      const client::ObjectPtr before = at == ungrouped_.end() ? nullptr : at->second;
      set_ungrouped(key, object);
      noted({.kind = VolcanoKind::Pod,
             .key = key,
             .before = before == nullptr ? nullptr : &before->get_object(),
             .now = &root});
    }
  } else if (const auto at = ungrouped_.find(key); at != ungrouped_.end()) {
    if (api::is_later_version(version_of(root), version_of(at->second->get_object()))) set_ungrouped(key, nullptr);
  }
  if (owner.empty()) return;
  CachedPod next = cached_pod_of(root);
  JobPods& home = pods_[next.owner_uid];
  const auto at = home.pods.find(next.name);
  const std::optional<CachedPod> before = at == home.pods.end() ? std::nullopt : std::optional(at->second);
  if (before && !api::is_later_version(next.version, before->version)) return;
  next.cut_short = next.leaving() && (before ? before->cut_short || before->alive() : next.alive());
  if (!before) std::erase_if(home.lost_pods, [&](const LostPod& loss) { return loss.pod == next.name; });
  job_of_pod_[key] = next.owner_uid;
  CachedPod& kept = home.pods[next.name];
  kept = std::move(next);
  noted({.kind = VolcanoKind::Pod, .key = key, .pod_before = before ? &*before : nullptr, .pod_now = &kept});
}

void ControllerCache::forget_pod(const std::string& key, Instant now, const Noted& noted) {
  if (const auto at = ungrouped_.find(key); at != ungrouped_.end()) {
    const client::ObjectPtr before = at->second;
    set_ungrouped(key, nullptr);
    noted({.kind = VolcanoKind::Pod, .key = key, .before = &before->get_object()});
  }
  const auto home_at = job_of_pod_.find(key);
  if (home_at == job_of_pod_.end()) return;
  const auto home = pods_.find(home_at->second);
  job_of_pod_.erase(home_at);
  check(home != pods_.end(), "a pod's home is there as long as the pod is");
  const std::string name = key.substr(key.find('/') + 1);
  const auto at = home->second.pods.find(name);
  check(at != home->second.pods.end(), "a pod is at home");
  const CachedPod before = std::move(at->second);
  home->second.pods.erase(at);
  const bool evicted = !before.out_of_sync && (before.leaving() ? before.cut_short : before.alive());
  if (evicted && home->second.lost_pods.size() < kMaxLostPodsPerJob) {
    home->second.lost_pods.push_back({.task = before.task,
                                      .pod = before.name,
                                      .uid = before.uid,
                                      .job_version = before.job_version,
                                      .partition = before.partition,
                                      .at = now});
  }
  if (home->second.pods.empty() && home->second.lost_pods.empty()) pods_.erase(home);
  noted({.kind = VolcanoKind::Pod, .key = key, .pod_before = &before});
}

std::vector<std::string> ControllerCache::keys(VolcanoKind kind) const {
  std::vector<std::string> keys;
  if (kind != VolcanoKind::Pod) {
    for (const auto& [key, object] : all(kind)) keys.push_back(key);
    return keys;
  }
  for (const auto& [key, home] : job_of_pod_) keys.push_back(key);
  for (const auto& [key, object] : ungrouped_) keys.push_back(key);
  std::ranges::sort(keys);
  const auto twice = std::ranges::unique(keys);
  keys.erase(twice.begin(), twice.end());
  return keys;
}

void ControllerCache::drop_lost_pods(const text::Object& job, bool gone) {
  const auto home = pods_.find(std::string(api::VolcanoJobView(job).metadata().uid()));
  if (home == pods_.end()) return;
  const int64_t version = api::VolcanoJobView(job).status().version().value_or(0);
  std::erase_if(home->second.lost_pods, [&](const LostPod& loss) { return gone || loss.job_version < version; });
  if (home->second.pods.empty() && home->second.lost_pods.empty()) pods_.erase(home);
}

}  // namespace basalt::volcano
