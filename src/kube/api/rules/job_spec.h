// The spec of a batch Job, also as a template inside a CronJob.
#pragma once

#include "kube/api/rules/checks.h"

namespace basalt::api::rules {

void check_job_spec(const text::Object& spec, const FieldPath& at, Causes& causes);

}  // namespace basalt::api::rules
