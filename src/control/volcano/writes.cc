#include "control/volcano/writes.h"

#include <utility>

#include "control/loop/writes.h"
#include "kube/api/object_fields.h"

namespace basalt::volcano {
namespace {

using loop::Target;

Target target_of(Kind kind, const text::Object& object, Unless unless) {
  Target target = loop::target_of(resource_of(kind), object);
  if (unless == Unless::Replaced) target.version.clear();
  return target;
}

Target target_of(std::string_view space, const PodView& pod, Unless unless) {
  return {.resource = resource_of(Kind::Pod),
          .space = std::string(space),
          .name = pod.name,
          .uid = pod.uid,
          .version = unless == Unless::Replaced ? std::string() : pod.version};
}

}  // namespace

api::Call create_object(Kind kind, text::Object object) { return loop::create(resource_of(kind), std::move(object)); }

api::Call patch_object(Kind kind, const text::Object& object, text::Object change, Unless unless) {
  return loop::patch(target_of(kind, object, unless), std::move(change));
}

api::Call patch_status(Kind kind, const text::Object& object, text::Object status, Unless unless) {
  return loop::patch_status(target_of(kind, object, unless), std::move(status));
}

api::Call delete_object(Kind kind, const text::Object& object, std::string_view propagation, Unless unless) {
  return loop::remove(target_of(kind, object, Unless::Changed),
                      {.propagation = propagation, .grace = {}, .same_version = unless == Unless::Changed});
}

api::Call patch_pod(std::string_view space, const PodView& pod, text::Object change, Unless unless) {
  return loop::patch(target_of(space, pod, unless), std::move(change));
}

api::Call delete_pod(std::string_view space, const PodView& pod) {
  return loop::remove(target_of(space, pod, Unless::Replaced));
}

text::Object controller_reference(Kind kind, const text::Object& owner) {
  const text::Object& metadata = api::metadata_of(owner);
  return {
      {"apiVersion", api_version_of(kind)},     {"kind", row_of(kind).name}, {"name", api::string_at(metadata, "name")},
      {"uid", api::string_at(metadata, "uid")}, {"controller", true},        {"blockOwnerDeletion", true}};
}

text::Object reference_to(Kind kind, const text::Object& object) {
  text::Object reference{{"apiVersion", api_version_of(kind)}, {"kind", row_of(kind).name}};
  const text::Object& metadata = api::metadata_of(object);
  for (const std::string_view key : {"namespace", "name", "uid"}) api::copy_member(reference, metadata, key);
  return reference;
}

loop::Note normal(Kind kind, const text::Object& about, std::string reason, std::string message) {
  return {.regarding = reference_to(kind, about), .reason = std::move(reason), .message = std::move(message)};
}

loop::Note warning(Kind kind, const text::Object& about, std::string reason, std::string message) {
  loop::Note note = normal(kind, about, std::move(reason), std::move(message));
  note.warning = true;
  return note;
}

bool is_leaving(const text::Object& object) {
  return !api::string_at(object, {"metadata", "deletionTimestamp"}).empty();
}

}  // namespace basalt::volcano
