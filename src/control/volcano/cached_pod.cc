#include "control/volcano/cached_pod.h"

#include <algorithm>
#include <charconv>

#include "control/volcano/controller_annotations.h"
#include "kube/api/object_fields.h"
#include "kube/api/volcano_keys.h"
#include "kube/text/rfc3339.h"
#include "kube/text/utf8.h"

namespace basalt::volcano {
namespace {

using api::string_at;

constexpr std::string_view kNodeRestarted = "NodeRestarted";  // as the local node says it (pod_lifecycle.h)

int32_t number_or(std::string_view text, int32_t fallback) {
  int32_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? number : fallback;
}

Instant time_at(const text::Object& object, std::initializer_list<std::string_view> path) {
  const std::string_view text = string_at(object, path);
  if (text.empty()) return kNever;
  const auto time = text::parse_time(text);
  return time ? *time : kNever;
}

// A waiting container that says why, and is not just about to start.
std::string stuck_text(const text::Object& status) {
  const text::Object* waiting = api::object_at(status, {"state", "waiting"});
  if (waiting == nullptr) return "";
  const std::string_view reason = string_at(*waiting, "reason");
  const std::string_view message = string_at(*waiting, "message");
  const bool usual = reason == "ContainerCreating" || reason == "PodInitializing" || reason.empty();
  if (usual && message.empty()) return "";
  std::string words(usual ? "FailedMount" : reason);
  if (!message.empty()) words.append(": ").append(message);
  if (words.size() > kMaxStuckText) words.resize(text::utf8_prefix(words, kMaxStuckText).size());
  return words;
}

void read_conditions(const text::Object& pod, CachedPod& view) {
  const text::Array* conditions = api::array_at(pod, {"status", "conditions"});
  if (conditions == nullptr) return;
  for (const text::Value& value : *conditions) {
    const text::Object* condition = value.if_object();
    if (condition == nullptr) continue;
    const std::string_view type = string_at(*condition, "type");
    const bool holds = string_at(*condition, "status") == "True";
    if (type == "PodScheduled") view.unschedulable = !holds && string_at(*condition, "reason") == "Unschedulable";
    if (type == "DisruptionTarget" && view.phase == PodPhase::Failed) {
      view.lost = holds && string_at(*condition, "reason") == kNodeRestarted;
    }
  }
}

// Exit code, restarts, readiness and the end, from the statuses of the containers.
void read_containers(const text::Object& pod, CachedPod& view) {
  bool any = false;
  bool all_ready = true;
  for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    const text::Array* statuses = api::array_at(pod, {"status", list});
    if (statuses == nullptr) continue;
    for (const text::Value& value : *statuses) {
      const text::Object* status = value.if_object();
      if (status == nullptr) continue;
      view.restarts += static_cast<int32_t>(std::clamp<int64_t>(api::int_at(*status, {"restartCount"}), 0, 1'000'000));
      if (view.stuck.empty() && view.phase == PodPhase::Pending) view.stuck = stuck_text(*status);
      if (list == "containerStatuses") {
        any = true;
        all_ready = all_ready && api::bool_at(*status, {"ready"});
      }
      if (api::object_at(*status, {"state", "terminated"}) == nullptr) continue;
      const auto code = static_cast<int32_t>(api::int_at(*status, {"state", "terminated", "exitCode"}));
      if (view.exit_code == 0) view.exit_code = code;
      view.finished = std::max(view.finished, time_at(*status, {"state", "terminated", "finishedAt"}));
    }
  }
  view.ready = any && all_ready;
}

const text::Object* controlling_owner(const text::Object& object) {
  const text::Array* owners = api::array_at(object, {"metadata", "ownerReferences"});
  if (owners == nullptr) return nullptr;
  for (const text::Value& value : *owners) {
    const text::Object* owner = value.if_object();
    if (owner != nullptr && api::bool_at(*owner, {"controller"})) return owner;
  }
  return nullptr;
}

}  // namespace

std::string_view controller_uid(const text::Object& object, std::string_view group, std::string_view kind) {
  const text::Object* owner = controlling_owner(object);
  if (owner == nullptr) return "";
  const std::string_view version = string_at(*owner, "apiVersion");
  const bool fits =
      kind.empty() || (string_at(*owner, "kind") == kind && version.substr(0, version.find('/')) == group);
  return fits ? string_at(*owner, "uid") : "";
}

std::string_view pod_group_owner_uid(const text::Object& pod) {
  const std::string_view owner = controller_uid(pod, "", "");
  return owner.empty() ? string_at(pod, {"metadata", "uid"}) : owner;
}

CachedPod cached_pod_of(const text::Object& pod) {
  const text::Object& metadata = api::metadata_of(pod);
  CachedPod view;
  view.name = string_at(metadata, "name");
  view.uid = string_at(metadata, "uid");
  view.version = string_at(metadata, "resourceVersion");
  view.owner_uid = controller_uid(pod, "batch.volcano.sh", "Job");
  if (!view.owner_uid.empty()) view.owner = string_at(*controlling_owner(pod), "name");
  view.created = time_at(metadata, {"creationTimestamp"});
  view.deletion = time_at(metadata, {"deletionTimestamp"});
  if (const text::Object* notes = api::object_at(metadata, {"annotations"})) {
    view.task = string_at(*notes, api::keys::kTaskSpec);
    view.index = number_or(string_at(*notes, api::keys::kTaskIndex), -1);
    view.job_version = number_or(string_at(*notes, api::keys::kJobVersion), 0);
    view.restart = number_or(string_at(*notes, kRestartAnnotation), 0);
    view.out_of_sync = string_at(*notes, api::keys::kOutOfSync) == "true";
  }
  view.partition = number_or(string_at(metadata, {"labels", api::keys::kPartitionId}), -1);
  view.ip = string_at(pod, {"status", "podIP"});
  view.phase = api::parse_pod_phase(string_at(pod, {"status", "phase"}));
  view.placed = !string_at(pod, {"spec", "nodeName"}).empty();
  read_containers(pod, view);
  read_conditions(pod, view);
  return view;
}

}  // namespace basalt::volcano
