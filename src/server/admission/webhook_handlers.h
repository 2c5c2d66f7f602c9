// What each row of webhooks() calls: one pair of functions per kind, each in a file of its own.
//
// `mutate_…` fill in what was left out of a new object; `validate_…` refuse. All stand by themselves: they take the
// request as it comes and trust no other step to have run before.
#pragma once

#include "kube/api/rules/member_access.h"
#include "server/admission/webhooks.h"

namespace basalt::admission {

using api::rules::array_at;
using api::rules::each_object;
using api::rules::each_string;
using api::rules::has;
using api::rules::int_at;
using api::rules::is_true;
using api::rules::length_at;
using api::rules::make_array;
using api::rules::make_object;
using api::rules::member_of;
using api::rules::object_at;
using api::rules::part_of;
using api::rules::string_at;
using api::rules::view_of;

[[nodiscard]] WebhookResult mutate_job(const AdmissionRequest& request, text::Object& job);
[[nodiscard]] WebhookResult mutate_queue(const AdmissionRequest& request, text::Object& queue);
[[nodiscard]] WebhookResult mutate_pod_group(const AdmissionRequest& request, text::Object& group);
[[nodiscard]] WebhookResult mutate_pod(const AdmissionRequest& request, text::Object& pod);

[[nodiscard]] WebhookResult validate_job(const AdmissionRequest& request);
[[nodiscard]] WebhookResult validate_queue(const AdmissionRequest& request);
[[nodiscard]] WebhookResult validate_pod_group(const AdmissionRequest& request);
[[nodiscard]] WebhookResult validate_pod(const AdmissionRequest& request);
[[nodiscard]] WebhookResult validate_job_flow(const AdmissionRequest& request);
[[nodiscard]] WebhookResult validate_cron_job(const AdmissionRequest& request);
[[nodiscard]] WebhookResult validate_hyper_node(const AdmissionRequest& request);

}  // namespace basalt::admission
