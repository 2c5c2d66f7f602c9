#include "server/api_server.h"

#include <fmt/format.h>

#include <algorithm>

#include "kube/api/custom_resource_definition.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "server/rest/crd_status.h"
#include "server/rest/create.h"
#include "server/rest/delete_objects.h"
#include "server/rest/guaranteed_update.h"
#include "server/rest/list_objects.h"
#include "server/rest/storage_conversion.h"
#include "server/rest/subresource_calls.h"
#include "server/rest/update_and_patch.h"

namespace basalt::server {
namespace {

constexpr std::string_view kDefinitions = "customresourcedefinitions.apiextensions.k8s.io";

constexpr int kFullSeconds = 10;

std::string_view word(api::Verb verb) {
  switch (verb) {
    case api::Verb::Get:
      return "get";
    case api::Verb::List:
      return "list";
    case api::Verb::Watch:
      return "watch";
    case api::Verb::Create:
      return "create";
    case api::Verb::Update:
      return "update";
    case api::Verb::Patch:
      return "patch";
    case api::Verb::Delete:
      return "delete";
    case api::Verb::DeleteCollection:
      return "deletecollection";
  }
  return "";
}

bool offers(const api::ApiResource& resource, api::Verb verb) {
  return resource.verbs.empty() || std::ranges::find(resource.verbs, word(verb)) != resource.verbs.end();
}

void get(const ContextPtr& context) {
  const api::ApiResource& resource = *context->resource;
  if (auto wished = parse_revision(context->call.resource_version); !wished) {
    return context->refuse(std::move(wished.error()));
  } else if (*wished > context->store->revision()) {
    return context->refuse(api::too_large_resource_version(*wished, context->store->revision()));
  }
  ApiResponse answer;
  answer.record = context->store->get(resource.storage_name(), context->key());
  if (answer.record == nullptr) {
    return context->refuse(api::not_found(resource.group, resource.plural, context->call.name));
  }
  context->done(std::move(answer));
}

bool needs_namespace(const api::ApiResource& resource, const api::Call& call) {
  if (!resource.namespaced || !call.namespace_name.empty()) return false;
  return call.verb != api::Verb::List && call.verb != api::Verb::Watch;
}

bool is_binding(const api::Call& call) {
  return call.verb == api::Verb::Create && call.resource.group.empty() && call.resource.plural == "bindings";
}

// A Binding that is created by itself is the binding of the pod that it names; it is not stored.
void bind_named_pod(api::Call& call) {
  if (const text::Object* binding = call.body.if_object()) call.name = api::name_of(*binding);
  call.resource.plural = "pods";
  call.subresource = "binding";
}

}  // namespace

ApiServer::ApiServer(store::Store& store, ApiServerOptions options)
    : store_(store), options_(std::move(options)), ids_(options_.seed), quota_usage_(store) {
  redefine_kinds();
}

std::shared_ptr<const api::ApiResourceTable> ApiServer::kinds() const {
  const std::lock_guard lock(kinds_mutex_);
  return kinds_;
}

void ApiServer::redefine_kinds() {
  std::vector<api::ApiResource> rows = api::builtin_resources();
  const auto page = store_.list({.resource = kDefinitions});
  if (!page) return;
  // Compiling may take long: meanwhile calls go on with the table that there is.
  const std::lock_guard turn(redefining_mutex_);
  if (page->revision < kinds_revision_) return;
  std::map<std::string, std::vector<api::ApiResource>> compiled;
  for (const store::RecordPtr& record : page->records) {
    const auto object = record->object();
    const text::Object& crd = object->get_object();
    // Compiling is slow, and most definitions are as they were.
    const std::string key =
        fmt::format("{}/{}", api::ObjectView(crd).metadata().uid(), api::ObjectView(crd).metadata().generation());
    std::vector<api::ApiResource> own;
    if (const auto known = compiled_.find(key); known != compiled_.end()) {
      own = known->second;
    } else if (auto defined = api::resources_of(crd); defined) {
      // A definition that was accepted once compiles; one from a newer version of ours may not, and is then not served.
      own = std::move(*defined);
    }
    rows.insert(rows.end(), own.begin(), own.end());
    compiled.emplace(key, std::move(own));
  }
  compiled_ = std::move(compiled);
  kinds_revision_ = page->revision;
  auto table = std::make_shared<const api::ApiResourceTable>(std::move(rows));
  const std::lock_guard lock(kinds_mutex_);
  kinds_ = std::move(table);
}

void ApiServer::establish_definition(const std::string& name) {
  const store::RecordPtr record = store_.latest(kDefinitions, name);
  if (record == nullptr) return;
  text::Value wished = *record->object();
  if (!establish(wished.get_object(), now())) return;
  api::Call call{.verb = api::Verb::Update,
                 .resource = {.group = "apiextensions.k8s.io", .version = "v1", .plural = "customresourcedefinitions"},
                 .name = name,
                 .subresource = "status"};
  auto context =
      prepare({.name = "system:apiserver", .uid = "", .groups = {}}, std::move(call), [](const ApiOutcome&) {});
  if (!context) return;
  guaranteed_update(
      *context,
      [at = now()](text::Object& definition) -> api::ApiResult<void> {
        establish(definition, at);
        return {};
      },
      nullptr);
}

api::ApiResult<ContextPtr> ApiServer::prepare(const api::UserInfo& user, api::Call call, OutcomeCallback done) {
  auto context = std::make_shared<CallContext>();
  context->kinds = kinds();
  context->resource = context->kinds->find(call.resource.group, call.resource.version, call.resource.plural);
  if (context->resource == nullptr) return std::unexpected(api::no_such_path());
  if (!offers(*context->resource, call.verb) || needs_namespace(*context->resource, call)) {
    return std::unexpected(api::method_not_allowed(word(call.verb)));
  }
  if (!context->resource->namespaced && !call.namespace_name.empty()) return std::unexpected(api::no_such_path());
  if (call.verb == api::Verb::Create && call.subresource.empty() && options_.is_full && options_.is_full()) {
    return std::unexpected(api::too_many_requests("memory is tight: nothing is created", kFullSeconds));
  }
  context->store = &store_;
  context->ids = &ids_;
  context->admission = &options_.admission;
  context->parsed_objects = &parsed_objects_;
  context->quota_usage = &quota_usage_;
  context->quota_mutex = &quota_mutex_;
  context->user = user;
  context->call = std::move(call);
  context->now = now();
  context->done = std::move(done);
  return context;
}

void ApiServer::send(const api::UserInfo& user, api::Call call, OutcomeCallback done) {
  const bool defines = call.resource.plural == "customresourcedefinitions" && call.verb != api::Verb::Get &&
                       call.verb != api::Verb::List && !call.dry_run;
  if (defines) {
    // Who gets the answer to a definition can use the kind.
    done = [this, inner = std::move(done)](ApiOutcome outcome) {
      const store::RecordPtr definition = outcome ? outcome->record : nullptr;
      if (outcome) redefine_kinds();
      inner(std::move(outcome));
      if (definition != nullptr && !definition->deleted()) establish_definition(definition->key());
    };
  }
  if (is_binding(call)) bind_named_pod(call);
  auto context = prepare(user, std::move(call), done);
  if (!context) return done(std::unexpected(std::move(context.error())));
  route(*context);
}

api::ApiResult<std::unique_ptr<WatchCursor>> ApiServer::open_watch(const api::UserInfo& user, api::Call call) {
  auto context = prepare(user, std::move(call), nullptr);
  if (!context) return std::unexpected(std::move(context.error()));
  return WatchCursor::open(**context);
}

void ApiServer::route(const ContextPtr& context) {
  if (!context->call.subresource.empty()) {
    if (call_subresource(context)) return;
  }
  switch (context->call.verb) {
    case api::Verb::Get:
      return get(context);
    case api::Verb::List:
      return list(context);
    case api::Verb::Create:
      return create(context);
    case api::Verb::Update:
      return update(context);
    case api::Verb::Patch:
      return patch(context);
    case api::Verb::Delete:
      return remove(context);
    case api::Verb::DeleteCollection:
      return remove_collection(context);
    case api::Verb::Watch:
      return context->refuse(api::internal_error("a watch is opened, not sent"));
  }
}

}  // namespace basalt::server
