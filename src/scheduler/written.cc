#include "scheduler/written.h"

#include <utility>

#include "base/check.h"

namespace basalt::scheduler {

reconcile::Target target_of(Kind kind, std::string_view key, std::string_view uid) {
  const size_t slash = key.find('/');
  const bool named_space = slash != std::string_view::npos;
  return {.resource = resource_of(kind),
          .space = std::string(named_space ? key.substr(0, slash) : ""),
          .name = std::string(named_space ? key.substr(slash + 1) : key),
          .uid = std::string(uid),
          .version = ""};
}

reconcile::Note note_about(Kind kind, std::string_view key, std::string_view uid, bool warning, std::string reason,
                           std::string message) {
  const reconcile::Target target = target_of(kind, key, uid);
  return {.regarding = {{"apiVersion", api_version_of(kind)},
                        {"kind", row_of(kind).name},
                        {"namespace", target.space},
                        {"name", target.name},
                        {"uid", uid}},
          .warning = warning,
          .reason = std::move(reason),
          .message = std::move(message)};
}

api::Call patch_pod_status(const reconcile::Target& pod, text::Object status) {
  api::Call call = reconcile::patch_status(pod, std::move(status));
  call.patch = api::PatchType::Strategic;
  return call;
}

Errand read_errand(Kind kind, std::string_view key, std::string_view uid, Instant now) {
  check(kind == Kind::Pod || kind == Kind::PodGroup, "only these are read one by one");
  const reconcile::Target target = target_of(kind, key, uid);
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
