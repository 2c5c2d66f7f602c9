#include "control/loop/api_writes.h"

#include <utility>

#include "kube/api/object_fields.h"
#include "kube/api/views/metadata_view.h"

namespace basalt::loop {
namespace {

api::Call call_about(api::Verb verb, const WriteTarget& target) {
  return {.verb = verb, .resource = target.resource, .namespace_name = target.namespace_name, .name = target.name};
}

}  // namespace

WriteTarget target_of(api::GroupVersionResource resource, const text::Object& object) {
  const text::Object& metadata = api::metadata_of(object);
  return {.resource = std::move(resource),
          .namespace_name = std::string(api::ObjectMetaView(metadata).namespace_name()),
          .name = std::string(api::ObjectMetaView(metadata).name()),
          .uid = std::string(api::ObjectMetaView(metadata).uid()),
          .version = std::string(api::ObjectMetaView(metadata).resource_version())};
}

api::Call create(api::GroupVersionResource resource, text::Object object) {
  api::Call call{.verb = api::Verb::Create, .resource = std::move(resource)};
  call.namespace_name = api::namespace_of(object);
  call.body = std::move(object);
  return call;
}

api::Call patch(const WriteTarget& target, text::Object change, std::string_view subresource) {
  api::Call call = call_about(api::Verb::Patch, target);
  text::Object& metadata = api::metadata_of(change);
  metadata["uid"] = target.uid;
  if (!target.version.empty()) metadata["resourceVersion"] = target.version;
  call.subresource = subresource;
  call.patch = api::PatchType::Merge;
  call.body = std::move(change);
  return call;
}

api::Call patch_status(const WriteTarget& target, text::Object status) {
  return patch(target, {{"status", std::move(status)}}, "status");
}

api::Call bind(const WriteTarget& pod, std::string_view node) {
  api::Call call = call_about(api::Verb::Create, pod);
  call.subresource = "binding";
  text::Object metadata{{"name", pod.name}, {"namespace", pod.namespace_name}};
  if (!pod.uid.empty()) metadata["uid"] = pod.uid;
  call.body = text::Object{{"apiVersion", "v1"},
                           {"kind", "Binding"},
                           {"metadata", std::move(metadata)},
                           {"target", text::Object{{"kind", "Node"}, {"name", node}}}};
  return call;
}

api::Call remove(const WriteTarget& target, const Deletion& how) {
  api::Call call = call_about(api::Verb::Delete, target);
  text::Object conditions{{"uid", target.uid}};
  if (how.same_version) conditions["resourceVersion"] = target.version;
  text::Object options{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}, {"preconditions", std::move(conditions)}};
  if (!how.propagation.empty()) options["propagationPolicy"] = how.propagation;
  if (how.grace) options["gracePeriodSeconds"] = *how.grace;
  call.body = std::move(options);
  return call;
}

api::Call apply(api::GroupVersionResource resource, text::Object object, std::string_view manager) {
  api::Call call{.verb = api::Verb::Patch, .resource = std::move(resource)};
  call.namespace_name = api::namespace_of(object);
  call.name = api::name_of(object);
  call.patch = api::PatchType::Apply;
  call.force = true;
  call.field_manager = manager;
  call.body = std::move(object);
  return call;
}

}  // namespace basalt::loop
