// What each row of webhooks() calls: one pair of functions per kind, each in a file of its own.
//
// `mutate_…` fill in what was left out of a new object; `validate_…` refuse. All stand by themselves: they take the
// request as it comes and trust no other step to have run before.
#pragma once

#include "kube/api/rules/fields.h"
#include "server/admission/review.h"

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

[[nodiscard]] Verdict mutate_job(const Request& request, text::Object& job);
[[nodiscard]] Verdict mutate_queue(const Request& request, text::Object& queue);
[[nodiscard]] Verdict mutate_pod_group(const Request& request, text::Object& group);
[[nodiscard]] Verdict mutate_pod(const Request& request, text::Object& pod);

[[nodiscard]] Verdict validate_job(const Request& request);
[[nodiscard]] Verdict validate_queue(const Request& request);
[[nodiscard]] Verdict validate_pod_group(const Request& request);
[[nodiscard]] Verdict validate_pod(const Request& request);
[[nodiscard]] Verdict validate_job_flow(const Request& request);
[[nodiscard]] Verdict validate_cron_job(const Request& request);
[[nodiscard]] Verdict validate_hyper_node(const Request& request);

}  // namespace basalt::admission
