// One step of the chain, and what it sees of a request.
#pragma once

#include <string>
#include <string_view>

#include "kube/api/api_error.h"
#include "kube/api/rules/fields.h"
#include "server/chain/admission.h"

namespace basalt::server::admission {

using api::rules::array_at;
using api::rules::bool_at;
using api::rules::each_object;
using api::rules::each_string;
using api::rules::has;
using api::rules::int_at;
using api::rules::is_true;
using api::rules::length_at;
using api::rules::make_array;
using api::rules::make_object;
using api::rules::object_at;
using api::rules::part_of;
using api::rules::string_at;
using api::rules::view_of;

struct Request {
  Operation operation;
  const api::Resource& resource;
  std::string_view subresource;
  text::Object* next;       // null: delete
  const text::Object* old;  // null: create
  const Surroundings& around;

  [[nodiscard]] const text::Object& object() const { return next != nullptr ? *next : *old; }
  [[nodiscard]] std::string_view name() const { return string_at(part_of(object(), "metadata"), "name"); }
  [[nodiscard]] std::string_view space() const { return string_at(part_of(object(), "metadata"), "namespace"); }
  // 403 about this object.
  [[nodiscard]] std::unexpected<api::ApiError> forbid(std::string_view why) const {
    return std::unexpected(api::forbidden(resource.group, resource.plural, name(), why));
  }
};

using Verdict = api::ApiResult<void>;

// Steps that change. Requires: next.
Verdict check_namespace(const Request& request);          // NamespaceLifecycle; also deletes
Verdict fill_container_limits(const Request& request);    // LimitRanger, its defaults
Verdict assign_service_account(const Request& request);   // ServiceAccount
Verdict taint_new_node(const Request& request);           // TaintNodesByCondition
Verdict resolve_priority(const Request& request);         // Priority
Verdict add_default_tolerations(const Request& request);  // DefaultTolerationSeconds
Verdict choose_storage_class(const Request& request);     // DefaultStorageClass
Verdict apply_runtime_class(const Request& request);      // RuntimeClass
Verdict choose_ingress_class(const Request& request);     // DefaultIngressClass
Verdict assign_service_address(const Request& request);   // the allocators of kube-apiserver
Verdict call_mutating_webhooks(const Request& request);   // Volcano's, in process
// Steps that judge.
Verdict check_limit_ranges(const Request& request);      // LimitRanger, its bounds
Verdict check_default_priority(const Request& request);  // Priority: one default at most
Verdict check_quotas(const Request& request);            // ResourceQuota
// Volcano's, in process; next may be null.
Verdict call_validating_webhooks(const Request& request);

}  // namespace basalt::server::admission
