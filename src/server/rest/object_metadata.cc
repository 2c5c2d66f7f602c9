#include "server/rest/object_metadata.h"

#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/api/views/condition_view.h"
#include "kube/api/views/metadata_view.h"
#include "kube/api/views/namespace_view.h"
#include "kube/text/rfc3339.h"

namespace basalt::server {
namespace {

using api::metadata_of;

bool same_but(const text::Object& a, const text::Object& b, std::initializer_list<std::string_view> ignored) {
  const auto counts = [&](std::string_view key) {
    for (const std::string_view name : ignored) {
      if (name == key) return false;
    }
    return true;
  };
  size_t seen = 0, wanted = 0;
  for (const auto& member : a) {
    if (!counts(member.key())) continue;
    ++seen;
    const text::Value* other = b.if_contains(member.key());
    if (other == nullptr || *other != member.value()) return false;
  }
  for (const auto& member : b) wanted += counts(member.key()) ? 1 : 0;
  return seen == wanted;
}

// Entries of managedFields, without the times at which they were written.
bool same_owners(const text::Value* a, const text::Value* b) {
  if (a == nullptr || b == nullptr || !a->is_array() || !b->is_array()) return a == b || (a && b && *a == *b);
  const text::Array& left = a->get_array();
  const text::Array& right = b->get_array();
  if (left.size() != right.size()) return false;
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i] == right[i]) continue;
    if (!left[i].is_object() || !right[i].is_object()) return false;
    if (!same_but(left[i].get_object(), right[i].get_object(), {"time"})) return false;
  }
  return true;
}

}  // namespace

api::ApiResult<void> prepare_for_create(const CallContext& context, text::Object& object) {
  const api::ApiResource& resource = *context.resource;
  text::Object& metadata = metadata_of(object);
  const std::string_view in_body = api::ObjectMetaView(metadata).namespace_name();
  if (resource.namespaced) {
    if (!in_body.empty() && in_body != context.call.namespace_name) {
      return std::unexpected(
          api::bad_request("the namespace of the provided object does not match the namespace sent on the request"));
    }
    metadata["namespace"] = context.call.namespace_name;
  } else if (!in_body.empty()) {
    metadata.erase("namespace");
  }
  if (api::ObjectMetaView(metadata).name().empty()) {
    if (const std::string_view prefix = api::ObjectMetaView(metadata).generate_name(); !prefix.empty()) {
      metadata["name"] = context.ids->name_from(prefix);
    }
  }
  for (const std::string_view key : {"selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    metadata.erase(key);
  }
  metadata["uid"] = context.ids->uid();
  metadata["creationTimestamp"] = text::format_time(context.now);
  if (resource.rules->counts_generation || resource.custom) {
    metadata["generation"] = 1;
  }
  return {};
}

void prepare_for_update(text::Object& next, const text::Object& old) {
  text::Object& to = metadata_of(next);
  const text::Object& from = metadata_of(old);
  for (const std::string_view key : {"name", "namespace", "creationTimestamp", "generation", "selfLink"}) {
    api::copy_member(to, from, key);
  }
  if (api::ObjectMetaView(to).uid().empty()) api::copy_member(to, from, "uid");
}

void keep_deletion_metadata(text::Object& next, const text::Object& old) {
  text::Object& to = metadata_of(next);
  const text::Object& from = metadata_of(old);
  if (from.contains("deletionTimestamp")) api::copy_member(to, from, "deletionTimestamp");
  if (from.contains("deletionGracePeriodSeconds") && !to.contains("deletionGracePeriodSeconds")) {
    api::copy_member(to, from, "deletionGracePeriodSeconds");
  }
}

void update_generation(const api::ApiResource& resource, text::Object& next, const text::Object& old) {
  if (!resource.rules->counts_generation && !resource.custom) return;
  const bool changed = resource.has_status || !resource.custom
                           ? !same_but(next, old, {"metadata", "status", "apiVersion", "kind"})
                           : !same_but(next, old, {"metadata", "apiVersion", "kind"});
  if (changed) metadata_of(next)["generation"] = api::ObjectView(old).metadata().generation() + 1;
}

void mark_deleted(text::Object& object, Instant now, int64_t grace) {
  text::Object& metadata = metadata_of(object);
  metadata["deletionTimestamp"] = text::format_time(now + Duration::seconds(grace));
  metadata["deletionGracePeriodSeconds"] = grace;
  if (const int64_t generation = api::ObjectView(object).metadata().generation(); generation > 0) {
    metadata["generation"] = generation + 1;
  }
}

text::Value* condition_of(text::Array& conditions, std::string_view type) {
  for (text::Value& condition : conditions) {
    if (condition.is_object() && api::ConditionView(condition.get_object()).type() == type) return &condition;
  }
  return nullptr;
}

bool is_being_deleted(const text::Object& object) {
  return !api::ObjectMetaView(metadata_of(object)).deletion_timestamp().empty();
}

bool has_finalizers(const text::Object& object) {
  const text::Array* finalizers = api::ObjectView(object).metadata().finalizers().json();
  if (finalizers != nullptr && !finalizers->empty()) return true;
  if (api::ObjectView(object).kind() != "Namespace") return false;
  const text::Array* of_spec = api::NamespaceView(object).spec().finalizers().json();
  return of_spec != nullptr && !of_spec->empty();
}

bool is_ready_for_removal(const text::Object& object) {
  return is_being_deleted(object) &&
         api::ObjectView(object).metadata().deletion_grace_period_seconds().value_or(0) == 0 && !has_finalizers(object);
}

bool same_content(const text::Object& a, const text::Object& b) {
  if (!same_but(a, b, {"metadata"})) return false;
  if (!same_but(metadata_of(a), metadata_of(b), {"resourceVersion", "managedFields"})) return false;
  return same_owners(metadata_of(a).if_contains("managedFields"), metadata_of(b).if_contains("managedFields"));
}

}  // namespace basalt::server
