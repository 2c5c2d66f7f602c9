#include "control/scheduler/cycle_output.h"

#include <utility>

#include "base/check.h"

namespace basalt::scheduler {

loop::WriteTarget target_of(SchedulerKind kind, std::string_view key, std::string_view uid) {
  const size_t slash = key.find('/');
  const bool has_namespace = slash != std::string_view::npos;
  return {.resource = resource_of(kind),
          .namespace_name = std::string(has_namespace ? key.substr(0, slash) : ""),
          .name = std::string(has_namespace ? key.substr(slash + 1) : key),
          .uid = std::string(uid),
          .version = ""};
}

PendingEvent pending_event_about(SchedulerKind kind, std::string key, std::string uid, const state::EventText& told,
                                 Instant at) {
  return {.kind = kind,
          .warning = told.type == "Warning",
          .key = std::move(key),
          .uid = std::move(uid),
          .reason = told.reason,
          .message = told.message,
          .at = at};
}

loop::EventNote note_of(PendingEvent pending_event) {
  const loop::WriteTarget target = target_of(pending_event.kind, pending_event.key, pending_event.uid);
  return {.regarding = {{"apiVersion", api_version_of(pending_event.kind)},
                        {"kind", row_of(pending_event.kind).name},
                        {"namespace", target.namespace_name},
                        {"name", target.name},
                        {"uid", pending_event.uid}},
          .warning = pending_event.warning,
          .reason = std::move(pending_event.reason),
          .message = std::move(pending_event.message)};
}

api::Call patch_pod_status(const loop::WriteTarget& pod, text::Object status) {
  api::Call call = loop::patch_status(pod, std::move(status));
  call.patch = api::PatchType::Strategic;
  return call;
}

PendingWrite read_request(SchedulerKind kind, std::string_view key, std::string_view uid, Instant now) {
  const bool is_pod = kind == SchedulerKind::Pod, is_group = kind == SchedulerKind::PodGroup;
  check(is_pod || is_group || kind == SchedulerKind::Job, "only these are read one by one");
  const loop::WriteTarget target = target_of(kind, key, uid);
  PendingWrite write{.kind = is_pod     ? WriteKind::ReadPod
                             : is_group ? WriteKind::ReadGroup
                                        : WriteKind::ReadJob,
                     .key = std::string(key),
                     .uid = std::string(uid),
                     .posted = now};
  write.call = {.verb = api::Verb::Get,
                .resource = target.resource,
                .namespace_name = target.namespace_name,
                .name = target.name};
  return write;
}

std::string key_of(const model::ClusterState& state, model::TaskId task) {
  const model::Task& row = state.task(task);
  const std::string_view namespace_name = state.names.text(row.ns);
  std::string key;
  key.reserve(namespace_name.size() + 1 + row.name.size());
  return key.append(namespace_name).append("/").append(row.name);
}

}  // namespace basalt::scheduler
