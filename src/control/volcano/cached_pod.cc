#include "control/volcano/cached_pod.h"

#include <algorithm>
#include <charconv>

#include "control/volcano/controller_annotations.h"
#include "kube/api/age_text.h"
#include "kube/api/object_view.h"
#include "kube/api/views/pod_view.h"
#include "kube/api/volcano_keys.h"
#include "kube/text/utf8.h"

namespace basalt::volcano {
namespace {

constexpr std::string_view kNodeRestarted = "NodeRestarted";  // as the local node says it (pod_lifecycle.h)

int32_t number_or(std::string_view text, int32_t fallback) {
  int32_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? number : fallback;
}

// A waiting container that says why, and is not just about to start.
std::string stuck_text(api::ContainerStateWaitingView waiting) {
  if (!waiting) return "";
  const std::string_view reason = waiting.reason();
  const std::string_view message = waiting.message();
  const bool usual = reason == "ContainerCreating" || reason == "PodInitializing" || reason.empty();
  if (usual && message.empty()) return "";
  std::string words(usual ? "FailedMount" : reason);
  if (!message.empty()) words.append(": ").append(message);
  if (words.size() > kMaxStuckText) words.resize(text::utf8_prefix(words, kMaxStuckText).size());
  return words;
}

void read_conditions(api::PodStatusView status, CachedPod& view) {
  for (const api::PodConditionView condition : status.conditions()) {
    const std::string_view type = condition.type();
    const bool holds = condition.status() == "True";
    if (type == "PodScheduled") view.unschedulable = !holds && condition.reason() == "Unschedulable";
    if (type == "DisruptionTarget" && view.phase == PodPhase::Failed) {
      view.lost = holds && condition.reason() == kNodeRestarted;
    }
  }
}

// Exit code, restarts and the end, from the status of a container.
void read_container(api::ContainerStatusView status, CachedPod& view) {
  view.restarts += static_cast<int32_t>(std::clamp<int64_t>(status.restart_count(), 0, 1'000'000));
  if (view.stuck.empty() && view.phase == PodPhase::Pending) view.stuck = stuck_text(status.state().waiting());
  const api::ContainerStateTerminatedView terminated = status.state().terminated();
  if (!terminated) return;
  if (view.exit_code == 0) view.exit_code = static_cast<int32_t>(terminated.exit_code());
  view.finished = std::max(view.finished, api::time_of(terminated.finished_at()));
}

void read_containers(api::PodStatusView status, CachedPod& view) {
  for (const api::ContainerStatusView one : status.init_container_statuses()) read_container(one, view);
  bool any = false;
  bool all_ready = true;
  for (const api::ContainerStatusView one : status.container_statuses()) {
    read_container(one, view);
    any = true;
    all_ready = all_ready && one.ready();
  }
  view.ready = any && all_ready;
}

api::OwnerReferenceView controlling_owner(api::ObjectMetaView metadata) {
  for (const api::OwnerReferenceView owner : metadata.owner_references()) {
    if (owner.controller().value_or(false)) return owner;
  }
  return {};
}

}  // namespace

std::string_view controller_uid(const text::Object& object, std::string_view group, std::string_view kind) {
  const api::OwnerReferenceView owner = controlling_owner(api::ObjectView(object).metadata());
  const std::string_view version = owner.api_version();
  const bool fits = kind.empty() || (owner.kind() == kind && version.substr(0, version.find('/')) == group);
  return fits ? owner.uid() : "";
}

std::string_view pod_group_owner_uid(const text::Object& pod) {
  const std::string_view owner = controller_uid(pod, "", "");
  return owner.empty() ? api::ObjectView(pod).metadata().uid() : owner;
}

CachedPod cached_pod_of(const text::Object& object) {
  const api::PodView pod(object);
  const api::ObjectMetaView metadata = pod.metadata();
  CachedPod view;
  view.name = metadata.name();
  view.uid = metadata.uid();
  view.version = metadata.resource_version();
  view.owner_uid = controller_uid(object, "batch.volcano.sh", "Job");
  if (!view.owner_uid.empty()) view.owner = controlling_owner(metadata).name();
  view.created = api::time_of(metadata.creation_timestamp());
  view.deletion = api::time_of(metadata.deletion_timestamp());
  const api::StringMapView notes = metadata.annotations();
  view.task = notes[api::keys::kTaskSpec];
  view.index = number_or(notes[api::keys::kTaskIndex], -1);
  view.job_version = number_or(notes[api::keys::kJobVersion], 0);
  view.restart = number_or(notes[kRestartAnnotation], 0);
  view.out_of_sync = notes[api::keys::kOutOfSync] == "true";
  view.partition = number_or(metadata.labels()[api::keys::kPartitionId], -1);
  view.ip = pod.status().pod_ip();
  view.phase = api::parse_pod_phase(pod.status().phase());
  view.placed = !pod.spec().node_name().empty();
  read_containers(pod.status(), view);
  read_conditions(pod.status(), view);
  return view;
}

}  // namespace basalt::volcano
