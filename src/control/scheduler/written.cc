#include "control/scheduler/written.h"

#include <utility>

#include "base/check.h"

namespace basalt::scheduler {

loop::Target target_of(Kind kind, std::string_view key, std::string_view uid) {
  const size_t slash = key.find('/');
  const bool named_space = slash != std::string_view::npos;
  return {.resource = resource_of(kind),
          .space = std::string(named_space ? key.substr(0, slash) : ""),
          .name = std::string(named_space ? key.substr(slash + 1) : key),
          .uid = std::string(uid),
          .version = ""};
}

Remark remark_about(Kind kind, std::string key, std::string uid, const state::Event& told, Instant at) {
  return {.kind = kind,
          .warning = told.type == "Warning",
          .key = std::move(key),
          .uid = std::move(uid),
          .reason = told.reason,
          .message = told.message,
          .at = at};
}

loop::Note note_of(Remark remark) {
  const loop::Target target = target_of(remark.kind, remark.key, remark.uid);
  return {.regarding = {{"apiVersion", api_version_of(remark.kind)},
                        {"kind", row_of(remark.kind).name},
                        {"namespace", target.space},
                        {"name", target.name},
                        {"uid", remark.uid}},
          .warning = remark.warning,
          .reason = std::move(remark.reason),
          .message = std::move(remark.message)};
}

api::Call patch_pod_status(const loop::Target& pod, text::Object status) {
  api::Call call = loop::patch_status(pod, std::move(status));
  call.patch = api::PatchType::Strategic;
  return call;
}

Errand read_errand(Kind kind, std::string_view key, std::string_view uid, Instant now) {
  check(kind == Kind::Pod || kind == Kind::PodGroup, "only these are read one by one");
  const loop::Target target = target_of(kind, key, uid);
  Errand errand{.duty = kind == Kind::Pod ? Duty::ReadPod : Duty::ReadGroup,
                .key = std::string(key),
                .uid = std::string(uid),
                .posted = now};
  errand.call = {
      .verb = api::Verb::Get, .resource = target.resource, .namespace_name = target.space, .name = target.name};
  return errand;
}

std::string key_of(const model::ClusterState& state, model::TaskId task) {
  const model::Task& row = state.task(task);
  const std::string_view space = state.names.text(row.ns);
  std::string key;
  key.reserve(space.size() + 1 + row.name.size());
  return key.append(space).append("/").append(row.name);
}

}  // namespace basalt::scheduler
