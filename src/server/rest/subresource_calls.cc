#include "server/rest/subresource_calls.h"

#include <algorithm>

#include "server/rest/pod_subresources.h"
#include "server/rest/scale.h"

namespace basalt::server {
namespace {

bool is_core(const api::ApiResource& resource, std::string_view plural) {
  return resource.group.empty() && resource.plural == plural;
}

}  // namespace

bool call_subresource(const ContextPtr& context) {
  const api::ApiResource& resource = *context->resource;
  const api::Call& call = context->call;
  const api::Verb verb = call.verb;
  // A Binding that names no pod is decoded before it is refused: what it has for a name may be no text.
  const bool binds = is_core(resource, "pods") && call.subresource == "binding" && verb == api::Verb::Create;
  if (call.name.empty() && !binds) {
    context->refuse(api::no_such_path());
    return true;
  }
  const auto refuse_method = [&context] {
    context->refuse(api::method_not_allowed("this one"));
    return true;
  };
  if (call.subresource == "status" && resource.has_status) {
    return verb == api::Verb::Get || verb == api::Verb::Update || verb == api::Verb::Patch ? false : refuse_method();
  }
  if (call.subresource == "scale" && resource.scale) {
    call_scale(context);
    return true;
  }
  if (is_core(resource, "pods") && call.subresource == "binding") {
    if (!binds) return refuse_method();
    bind_pod(context);
    return true;
  }
  if (is_core(resource, "pods") && call.subresource == "eviction") {
    if (verb != api::Verb::Create) return refuse_method();
    evict_pod(context);
    return true;
  }
  if (is_core(resource, "namespaces") && call.subresource == "finalize") {
    if (verb != api::Verb::Update) return refuse_method();
    finalize_namespace(context);
    return true;
  }
  context->refuse(api::no_such_path());
  return true;
}

}  // namespace basalt::server
