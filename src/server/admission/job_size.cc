// How many pods a job asks for.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kube/api/job_limits.h"
#include "kube/api/views/volcano_job_view.h"
#include "server/admission/job_admission.h"

namespace basalt::admission {
namespace {

using api::kMaxPodsPerJob;

constexpr size_t kMaxSumBytes = 200;  // of the summands that a refusal shows

constexpr int64_t kMaxCount = std::numeric_limits<int32_t>::max();  // of replicas in the API: sums cannot overflow

int64_t replicas_of(api::TaskSpecView task) { return std::clamp<int64_t>(task.replicas().value_or(0), 0, kMaxCount); }

int64_t pods_of(api::VolcanoJobSpecView spec) {
  int64_t pods = 0;
  for (const api::TaskSpecView task : spec.tasks()) pods += replicas_of(task);
  return pods;
}

}  // namespace

WebhookResult check_job_size(api::VolcanoJobSpecView spec, api::VolcanoJobSpecView old_spec, std::string_view path) {
  const int64_t pods = pods_of(spec);
  if (pods <= kMaxPodsPerJob || pods <= pods_of(old_spec)) return {};
  const api::ListView<api::TaskSpecView> tasks = spec.tasks();
  std::string sum;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const int64_t replicas = replicas_of(tasks[i]);
    if (replicas > kMaxPodsPerJob) {
      return deny(fmt::format("a job may have up to {} pods", kMaxPodsPerJob),
                  fmt::format("{}.tasks[{}].replicas is {}", path, i, replicas));
    }
    if (replicas > 0 && sum.size() < kMaxSumBytes) sum += fmt::format("{}{}", sum.empty() ? "" : " + ", replicas);
  }
  if (sum.size() >= kMaxSumBytes) sum += " + …";
  return deny(fmt::format("a job may have up to {} pods", kMaxPodsPerJob),
              fmt::format("{}.tasks[*].replicas are {} together: {}", path, pods, sum));
}

}  // namespace basalt::admission
