#include "server/bootstrap.h"

#include <array>

#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/views/volcano_queue_view.h"
#include "kube/api/volcano_crds.h"
#include "kube/api/volcano_keys.h"

namespace basalt::server {
namespace {

constexpr std::array<std::string_view, 5> kNamespaces = {"default", "kube-system", "kube-public", "kube-node-lease",
                                                         "volcano-system"};

struct SystemClass {
  std::string_view name;
  int64_t value;
  std::string_view description;
};
constexpr std::array<SystemClass, 2> kSystemClasses = {{
    {.name = "system-cluster-critical",
     .value = 2'000'000'000,
     .description = "pods that the cluster needs; they may move to another node"},
    {.name = "system-node-critical",
     .value = 2'000'001'000,
     .description = "pods that their node needs; they must stay there"},
}};

text::Object object_named(std::string_view api_version, std::string_view kind, std::string_view name) {
  text::Object object;
  object["apiVersion"] = api_version;
  object["kind"] = kind;
  api::metadata_of(object)["name"] = name;
  return object;
}

Result<void> failed(const api::ApiError& error, std::string_view what) {
  return failure(ErrorCode::Io, "cannot set up " + std::string(what) + ": " + error.message);
}

Result<void> ensure(client::ObjectClient& client, const api::GroupVersionResource& resource, text::Object object) {
  const std::string what = resource.plural + " " + std::string(api::name_of(object));
  api::Call call;
  call.verb = api::Verb::Create;
  call.resource = resource;
  call.namespace_name = api::ObjectView(object).metadata().namespace_name();
  call.body = std::move(object);
  const client::ReplyOrError outcome = client.call(std::move(call));
  if (outcome || outcome.error().reason == "AlreadyExists") return {};
  return failed(outcome.error(), what);
}

// So that `helm install volcano … -n volcano-system`, as every guide has it, takes over what is there already instead
// of refusing it. What stands there (another release has taken it over) is kept. A chart of ours knows by kBroughtBy
// that it need not bring them, also as a release of another name.
constexpr std::string_view kBroughtBy = "basalt.sh/brought-by";

void let_helm_adopt(text::Object& object, const text::Object* there) {
  text::Object& metadata = api::metadata_of(object);
  for (const std::string_view part : {"labels", "annotations"}) {
    const text::Object* kept = there == nullptr ? nullptr : api::object_at(*there, {"metadata", part});
    text::Object& map = api::object_in(metadata, part);
    if (kept == nullptr) continue;
    for (const auto& member : *kept) map.insert(member);
  }
  api::object_in(metadata, "labels").emplace("app.kubernetes.io/managed-by", "Helm");
  api::object_in(metadata, "annotations").emplace("meta.helm.sh/release-name", "volcano");
  api::object_in(metadata, "annotations").emplace("meta.helm.sh/release-namespace", "volcano-system");
  api::object_in(metadata, "annotations").emplace(kBroughtBy, "basalt-up");
}

Result<void> ensure_definition(client::ObjectClient& client, text::Value definition) {
  const api::GroupVersionResource resource{
      .group = "apiextensions.k8s.io", .version = "v1", .plural = "customresourcedefinitions"};
  const std::string name(api::name_of(definition.get_object()));
  api::Call get;
  get.resource = resource;
  get.name = name;
  const client::ReplyOrError there = client.call(std::move(get));
  api::Call call;
  call.resource = resource;
  call.verb = there ? api::Verb::Update : api::Verb::Create;
  let_helm_adopt(definition.get_object(), there ? &there->object->get_object() : nullptr);
  if (there) {
    call.name = name;
    api::copy_member(api::metadata_of(definition.get_object()), api::metadata_of(there->object->get_object()),
                     "resourceVersion");
  }
  call.body = std::move(definition);
  const client::ReplyOrError outcome = client.call(std::move(call));
  if (!outcome) return failed(outcome.error(), "definition " + name);
  return {};
}

// A queue that has no state yet is opened; one that somebody closed stays closed.
Result<void> open_queue(client::ObjectClient& client, const api::GroupVersionResource& resource,
                        std::string_view name) {
  api::Call get;
  get.resource = resource;
  get.name = name;
  const client::ReplyOrError there = client.call(std::move(get));
  if (!there) return failed(there.error(), "queue " + std::string(name));
  text::Value queue = *there->object;
  text::Object& status = api::object_in(queue.get_object(), "status");
  if (!api::QueueStatusView(status).state().empty()) return {};
  status["state"] = "Open";
  api::Call update;
  update.verb = api::Verb::Update;
  update.resource = resource;
  update.name = name;
  update.subresource = "status";
  update.body = std::move(queue);
  const client::ReplyOrError outcome = client.call(std::move(update));
  if (!outcome) return failed(outcome.error(), "queue " + std::string(name));
  return {};
}

Result<void> ensure_queues(client::ObjectClient& client) {
  const api::GroupVersionResource resource{.group = "scheduling.volcano.sh", .version = "v1beta1", .plural = "queues"};
  for (const std::string_view name : {api::keys::kRootQueue, api::keys::kDefaultQueue}) {
    text::Object queue = object_named("scheduling.volcano.sh/v1beta1", "Queue", name);
    queue["spec"] = text::Object{{"weight", 1}, {"reclaimable", name != api::keys::kRootQueue}};
    if (auto done = ensure(client, resource, std::move(queue)); !done) return done;
    if (auto done = open_queue(client, resource, name); !done) return done;
  }
  return {};
}

constexpr std::string_view kPolicyKey = "volcano-scheduler.conf";
constexpr std::string_view kPolicyBefore =
    "volcano-scheduler.conf.before-file";                          // what stood there before a file ruled
constexpr std::string_view kPolicyFile = "basalt.sh/policy-file";  // the annotation that names the file

constexpr std::string_view kPolicyRefused = "basalt.sh/policy-refused";  // what the scheduler says of the file

// Which of the map's text counts now that `options` rule; false: nothing changes.
bool set_policy(text::Object& map, const BootstrapOptions& options) {
  // In this order: a look into the map may move its members, but not what is inside of metadata.
  text::Object& annotations = api::object_in(api::metadata_of(map), "annotations");
  text::Object& data = api::object_in(map, "data");
  const bool was_file = annotations.contains(kPolicyFile);
  if (options.policy_file.empty()) {
    if (!was_file) return false;
    annotations.erase(kPolicyFile);
    annotations.erase(kPolicyRefused);
    const auto before = data.find(kPolicyBefore);
    text::Value text = before == data.end() ? text::Value(options.policy) : text::Value(before->value());
    data.erase(kPolicyBefore);
    data[kPolicyKey] = std::move(text);
    return true;
  }
  if (!was_file) {
    text::Value before = data.contains(kPolicyKey) ? text::Value(data.at(kPolicyKey)) : text::Value();
    if (before.is_string()) data[kPolicyBefore] = std::move(before);
  }
  annotations[kPolicyFile] = options.policy_file;
  data[kPolicyKey] = options.policy;
  return true;
}

// The policy in force, where people look for it and change it.
Result<void> ensure_policy(client::ObjectClient& client, const BootstrapOptions& options) {
  const api::GroupVersionResource resource{.group = "", .version = "v1", .plural = "configmaps"};
  const std::string name = "volcano-scheduler-configmap", home = "volcano-system";
  const client::ReplyOrError there =
      client.call({.verb = api::Verb::Get, .resource = resource, .namespace_name = home, .name = name});
  if (!there) {
    text::Object map = object_named("v1", "ConfigMap", name);
    api::metadata_of(map)["namespace"] = home;
    let_helm_adopt(map, nullptr);
    if (options.policy_file.empty()) {
      map["data"] = text::Object{{kPolicyKey, options.policy}};
    } else {
      set_policy(map, options);
    }
    return ensure(client, resource, std::move(map));
  }
  text::Value map = *there->object;
  if (!set_policy(map.get_object(), options)) return {};
  const client::ReplyOrError outcome = client.call(
      {.verb = api::Verb::Update, .resource = resource, .namespace_name = home, .name = name, .body = std::move(map)});
  if (!outcome) return failed(outcome.error(), "ConfigMap " + name);
  return {};
}

}  // namespace

Result<void> bootstrap(client::ObjectClient& client, const BootstrapOptions& options) {
  for (const std::string_view name : kNamespaces) {
    if (auto done = ensure(client, {.group = "", .version = "v1", .plural = "namespaces"},
                           object_named("v1", "Namespace", name));
        !done) {
      return done;
    }
  }
  for (const SystemClass& system : kSystemClasses) {
    text::Object object = object_named("scheduling.k8s.io/v1", "PriorityClass", system.name);
    object["value"] = system.value;
    object["description"] = system.description;
    if (auto done = ensure(client, {.group = "scheduling.k8s.io", .version = "v1", .plural = "priorityclasses"},
                           std::move(object));
        !done) {
      return done;
    }
  }
  for (text::Value& definition : api::volcano_crds()) {
    if (auto done = ensure_definition(client, std::move(definition)); !done) return done;
  }
  if (!options.policy.empty()) {
    if (auto done = ensure_policy(client, options); !done) return done;
  }
  return options.queues ? ensure_queues(client) : Result<void>();
}

}  // namespace basalt::server
