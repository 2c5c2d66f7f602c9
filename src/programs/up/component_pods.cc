#include "programs/up/component_pods.h"

#include <fmt/format.h>

#include <array>

#include "kube/api/object_fields.h"
#include "kube/text/rfc3339.h"

namespace basalt::up {
namespace {

struct Component {
  std::string_view name;  // of the Deployment; its pod is NAME-0
  std::string_view app;   // the label, as charts have it: a Deployment's selector cannot be changed by them
  bool is_scheduler;
};
constexpr std::array<Component, 3> kComponents = {{
    {.name = "volcano-admission", .app = "volcano-admission", .is_scheduler = false},
    {.name = "volcano-controllers", .app = "volcano-controller", .is_scheduler = false},
    {.name = "volcano-scheduler", .app = "volcano-scheduler", .is_scheduler = true},
}};

text::Object metadata_of_component(std::string_view name, std::string_view app) {
  return {{"name", name},
          {"namespace", kComponentNamespace},
          {"labels", text::Object{{"app", app}, {"app.kubernetes.io/managed-by", "Helm"}}},
          {"annotations", text::Object{{"meta.helm.sh/release-name", "volcano"},
                                       {"meta.helm.sh/release-namespace", kComponentNamespace},
                                       {"kubernetes.io/description", "a part of the process basalt up"}}}};
}

text::Object pod_spec_of(std::string_view component) {
  return {{"schedulerName", kComponentScheduler},
          {"containers", text::Array{text::Object{{"name", component}, {"image", "basalt"}}}}};
}

text::Object condition(std::string_view type, const std::string& now) {
  return {{"type", type}, {"status", "True"}, {"lastTransitionTime", now}};
}

text::Object deployment_of(const Component& component) {
  text::Object labels{{"app", component.app}};
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata", metadata_of_component(component.name, component.app)},
          {"spec", text::Object{{"replicas", 1},
                                {"selector", text::Object{{"matchLabels", labels}}},
                                {"template", text::Object{{"metadata", text::Object{{"labels", labels}}},
                                                          {"spec", pod_spec_of(component.name)}}}}}};
}

text::Object pod_of(const Component& component) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", metadata_of_component(component_pod(component.name), component.app)},
          {"spec", pod_spec_of(component.name)}};
}

text::Object pod_status(std::string_view component, const std::string& now) {
  text::Array conditions;
  for (const std::string_view type : {"PodScheduled", "Initialized", "ContainersReady", "Ready"}) {
    conditions.push_back(condition(type, now));
  }
  text::Object container{{"name", component},
                         {"image", "basalt"},
                         {"imageID", ""},
                         {"ready", true},
                         {"started", true},
                         {"restartCount", 0},
                         {"state", text::Object{{"running", text::Object{{"startedAt", now}}}}}};
  return {{"phase", "Running"},
          {"startTime", now},
          {"conditions", std::move(conditions)},
          {"containerStatuses", text::Array{std::move(container)}}};
}

Result<void> make(client::ObjectClient& client, const api::GroupVersionResource& resource, text::Object object) {
  const std::string name(api::name_of(object));
  api::Call create{.verb = api::Verb::Create, .resource = resource};
  create.namespace_name = kComponentNamespace;
  create.body = std::move(object);
  const client::ReplyOrError made = client.call(std::move(create));
  if (made || made.error().reason == "AlreadyExists") return {};
  return failure(ErrorCode::Io, fmt::format("cannot show {} {}: {}", resource.plural, name, made.error().message));
}

Result<void> set_status(client::ObjectClient& client, const api::GroupVersionResource& resource,
                        const std::string& name, text::Object status) {
  api::Call patch{.verb = api::Verb::Patch, .resource = resource, .name = name};
  patch.namespace_name = kComponentNamespace;
  patch.subresource = "status";
  patch.patch = api::PatchType::Merge;
  patch.body = text::Object{{"status", std::move(status)}};
  const client::ReplyOrError told = client.call(std::move(patch));
  if (told) return {};
  return failure(ErrorCode::Io, fmt::format("cannot show {} {}: {}", resource.plural, name, told.error().message));
}

}  // namespace

std::string component_pod(std::string_view component) { return fmt::format("{}-0", component); }

std::vector<std::string> component_apps(bool scheduler) {
  std::vector<std::string> apps;
  for (const Component& component : kComponents) {
    if (scheduler || !component.is_scheduler) apps.emplace_back(component.app);
  }
  return apps;
}

Result<void> create_component_pods(client::ObjectClient& client, bool scheduler, Instant now) {
  const api::GroupVersionResource deployments{.group = "apps", .version = "v1", .plural = "deployments"};
  const api::GroupVersionResource pods{.group = "", .version = "v1", .plural = "pods"};
  const std::string at = text::format_time(now);
  for (const Component& component : kComponents) {
    if (component.is_scheduler && !scheduler) continue;
    if (auto made = make(client, deployments, deployment_of(component)); !made) return made;
    if (auto made = make(client, pods, pod_of(component)); !made) return made;
    if (auto told = set_status(client, pods, component_pod(component.name), pod_status(component.name, at)); !told) {
      return told;
    }
  }
  return {};
}

}  // namespace basalt::up
