// One step of the chain, and what it sees of a request.
#pragma once

#include <string>
#include <string_view>

#include "kube/api/api_error.h"
#include "kube/api/rules/member_access.h"
#include "server/chain/admission_chain.h"

namespace basalt::server::chain {

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

struct AdmissionAttributes {
  AdmissionOperation operation;
  const api::ApiResource& resource;
  std::string_view subresource;
  text::Object* next;       // null: delete
  const text::Object* old;  // null: create
  const AdmissionContext& admission_context;

  [[nodiscard]] const text::Object& object() const { return next != nullptr ? *next : *old; }
  [[nodiscard]] std::string_view name() const { return string_at(part_of(object(), "metadata"), "name"); }
  [[nodiscard]] std::string_view ns() const { return string_at(part_of(object(), "metadata"), "namespace"); }
  // 403 about this object.
  [[nodiscard]] std::unexpected<api::ApiError> forbid(std::string_view why) const {
    return std::unexpected(api::forbidden(resource.group, resource.plural, name(), why));
  }
};

using StepResult = api::ApiResult<void>;

// Steps that change. Requires: next.
StepResult check_namespace(const AdmissionAttributes& request);          // NamespaceLifecycle; also deletes
StepResult fill_container_limits(const AdmissionAttributes& request);    // LimitRanger, its defaults
StepResult assign_service_account(const AdmissionAttributes& request);   // ServiceAccount
StepResult taint_new_node(const AdmissionAttributes& request);           // TaintNodesByCondition
StepResult resolve_priority(const AdmissionAttributes& request);         // Priority
StepResult add_default_tolerations(const AdmissionAttributes& request);  // DefaultTolerationSeconds
StepResult choose_storage_class(const AdmissionAttributes& request);     // DefaultStorageClass
StepResult apply_runtime_class(const AdmissionAttributes& request);      // RuntimeClass
StepResult choose_ingress_class(const AdmissionAttributes& request);     // DefaultIngressClass
StepResult assign_service_address(const AdmissionAttributes& request);   // the allocators of kube-apiserver
StepResult call_mutating_webhooks(const AdmissionAttributes& request);   // Volcano's, in process
// Steps that judge.
StepResult check_limit_ranges(const AdmissionAttributes& request);      // LimitRanger, its bounds
StepResult check_default_priority(const AdmissionAttributes& request);  // Priority: one default at most
StepResult check_quotas(const AdmissionAttributes& request);            // ResourceQuota
// Volcano's, in process; next may be null.
StepResult call_validating_webhooks(const AdmissionAttributes& request);

}  // namespace basalt::server::chain
