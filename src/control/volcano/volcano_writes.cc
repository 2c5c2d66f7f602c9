#include "control/volcano/volcano_writes.h"

#include <utility>

#include "control/loop/api_writes.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/views/metadata_view.h"

namespace basalt::volcano {
namespace {

using loop::WriteTarget;

WriteTarget target_of(VolcanoKind kind, const text::Object& object, RefuseIf refuse_if) {
  WriteTarget target = loop::target_of(resource_of(kind), object);
  if (refuse_if == RefuseIf::Replaced) target.version.clear();
  return target;
}

WriteTarget target_of(std::string_view ns, const CachedPod& pod, RefuseIf refuse_if) {
  return {.resource = resource_of(VolcanoKind::Pod),
          .namespace_name = std::string(ns),
          .name = pod.name,
          .uid = pod.uid,
          .version = refuse_if == RefuseIf::Replaced ? std::string() : pod.version};
}

}  // namespace

api::Call create_object(VolcanoKind kind, text::Object object) {
  return loop::create(resource_of(kind), std::move(object));
}

api::Call patch_object(VolcanoKind kind, const text::Object& object, text::Object change, RefuseIf refuse_if) {
  return loop::patch(target_of(kind, object, refuse_if), std::move(change));
}

api::Call patch_status(VolcanoKind kind, const text::Object& object, text::Object status, RefuseIf refuse_if) {
  return loop::patch_status(target_of(kind, object, refuse_if), std::move(status));
}

api::Call delete_object(VolcanoKind kind, const text::Object& object, std::string_view propagation,
                        RefuseIf refuse_if) {
  return loop::remove(target_of(kind, object, RefuseIf::Changed),
                      {.propagation = propagation, .grace = {}, .same_version = refuse_if == RefuseIf::Changed});
}

api::Call patch_pod(std::string_view ns, const CachedPod& pod, text::Object change, RefuseIf refuse_if) {
  return loop::patch(target_of(ns, pod, refuse_if), std::move(change));
}

api::Call delete_pod(std::string_view ns, const CachedPod& pod) {
  return loop::remove(target_of(ns, pod, RefuseIf::Replaced));
}

text::Object controller_reference(VolcanoKind kind, const text::Object& owner) {
  const text::Object& metadata = api::metadata_of(owner);
  return {{"apiVersion", api_version_of(kind)},
          {"kind", row_of(kind).name},
          {"name", api::ObjectMetaView(metadata).name()},
          {"uid", api::ObjectMetaView(metadata).uid()},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

text::Object reference_to(VolcanoKind kind, const text::Object& object) {
  text::Object reference{{"apiVersion", api_version_of(kind)}, {"kind", row_of(kind).name}};
  const text::Object& metadata = api::metadata_of(object);
  for (const std::string_view key : {"namespace", "name", "uid"}) api::copy_member(reference, metadata, key);
  return reference;
}

loop::EventNote normal(VolcanoKind kind, const text::Object& about, std::string reason, std::string message) {
  return {.regarding = reference_to(kind, about), .reason = std::move(reason), .message = std::move(message)};
}

loop::EventNote warning(VolcanoKind kind, const text::Object& about, std::string reason, std::string message) {
  loop::EventNote note = normal(kind, about, std::move(reason), std::move(message));
  note.warning = true;
  return note;
}

bool is_leaving(const text::Object& object) { return !api::ObjectView(object).metadata().deletion_timestamp().empty(); }

}  // namespace basalt::volcano
