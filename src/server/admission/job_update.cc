// A changed Job: only how many pods run, how many must, and the priority may change.
#include <fmt/format.h>

#include <initializer_list>

#include "base/check.h"
#include "kube/api/object_view.h"
#include "kube/api/schema/normalize.h"
#include "kube/api/views/volcano_job_view.h"
#include "server/admission/job_admission.h"

namespace basalt::admission {
namespace {

using Names = std::initializer_list<std::string_view>;

bool among(Names names, std::string_view name) {
  for (const std::string_view one : names) {
    if (one == name) return true;
  }
  return false;
}

// Equal after both went through the type: "0.5" and "500m", false and absent are then the same.
bool same_as_type(const text::Value* left, const text::Value* right, std::string_view type) {
  if (api::rules::same_value(left, right)) return true;
  const api::Schema* schema = api::builtin_schemas().find(type);
  check(schema != nullptr, "the types that a job embeds are built in");
  text::Value one = left == nullptr ? text::Value() : *left;
  text::Value two = right == nullptr ? text::Value() : *right;
  if (!api::normalize(*schema, one) || !api::normalize(*schema, two)) return false;
  return api::rules::same_value(&one, &two);
}

// Numbers that Go does not tell from absent when they are zero.
bool same_count(std::optional<int64_t> left, std::optional<int64_t> right) {
  return left.value_or(0) == right.value_or(0);
}

// All members of both, but for those named.
template <class Same>
bool same_but(const text::Object& left, const text::Object& right, Names left_out, Same&& same) {
  for (const auto& member : left) {
    if (!among(left_out, member.key()) && !same(member.key())) return false;
  }
  for (const auto& member : right) {
    if (!left.contains(member.key()) && !among(left_out, member.key()) && !same(member.key())) return false;
  }
  return true;
}

int64_t retries_of(const text::Object& task) {
  const int64_t given = api::TaskSpecView(task).max_retry().value_or(0);
  return given == 0 ? kDefaultMaxRetry : given;
}

bool same_template(const text::Value* left, const text::Value* right) {
  constexpr std::string_view kType = "io.k8s.api.core.v1.PodTemplateSpec";
  if (same_as_type(left, right, kType)) return true;
  if (left == nullptr || right == nullptr || !left->is_object() || !right->is_object()) return false;
  text::Value one = *left;
  text::Value two = *right;
  fill_device_limits(one.get_object());
  fill_device_limits(two.get_object());
  return same_as_type(&one, &two, kType);
}

bool same_task(const text::Object& left, const text::Object& right) {
  return same_but(left, right, {"replicas", "minAvailable"}, [&](std::string_view name) {
    // Left out as in the manifest, or filled in when the job was new: applying a manifest again is no change.
    if (name == "maxRetry") return retries_of(left) == retries_of(right);
    if (name == "template") return same_template(left.if_contains(name), right.if_contains(name));
    return api::rules::same_member(left, right, name);
  });
}

// The controller fills in the name of a claim that it makes.
bool same_volume(const text::Object& left, const text::Object& right) {
  return same_but(left, right, {}, [&](std::string_view name) {
    if (name == "volumeClaimName" && has(left, "volumeClaim") && has(right, "volumeClaim")) return true;
    if (name == "volumeClaim") {
      return same_as_type(left.if_contains(name), right.if_contains(name),
                          "io.k8s.api.core.v1.PersistentVolumeClaimSpec");
    }
    return api::rules::same_member(left, right, name);
  });
}

template <class Same>
bool same_lists(const text::Object& left, const text::Object& right, std::string_view name, Same&& same) {
  const text::Array* one = array_at(left, name);
  const text::Array* two = array_at(right, name);
  const size_t length = one == nullptr ? 0 : one->size();
  if (length != (two == nullptr ? 0 : two->size())) return false;
  for (size_t i = 0; i < length; ++i) {
    const text::Object* first = (*one)[i].if_object();
    const text::Object* second = (*two)[i].if_object();
    if (first == nullptr || second == nullptr) return first == second;
    if (!same(*first, *second)) return false;
  }
  return true;
}

bool same_spec(const text::Object& left, const text::Object& right) {
  return same_but(left, right, {"minAvailable", "priorityClassName"}, [&](std::string_view name) {
    if (name == "maxRetry") {
      return same_count(api::VolcanoJobSpecView(left).max_retry(), api::VolcanoJobSpecView(right).max_retry());
    }
    if (name == "tasks") return same_lists(left, right, name, same_task);
    if (name == "volumes") return same_lists(left, right, name, same_volume);
    return api::rules::same_member(left, right, name);
  });
}

WebhookResult check_changed_task(api::TaskSpecView task, std::string_view job, size_t index) {
  const std::string_view name = task.name();
  const int64_t replicas = task.replicas().value_or(0);
  const auto minimum = task.min_available();
  const std::string at = fmt::format("spec.tasks[{}]", index);
  if (replicas < 0) {
    return deny(fmt::format("'replicas' must be >= 0 in task: {}", name),
                fmt::format("{}.replicas is {}", at, replicas));
  }
  if (minimum && *minimum < 0) {
    return deny(fmt::format("'minAvailable' must be >= 0 in task: {}", name),
                fmt::format("{}.minAvailable is {}", at, *minimum));
  }
  if (minimum && *minimum > replicas) {
    return deny(fmt::format("'minAvailable' must be <= 'replicas' in task: {}", name),
                fmt::format("{}.minAvailable is {}, replicas is {}: change both together", at, *minimum, replicas));
  }
  if (const std::string complaint = partition_complaint(task, job); !complaint.empty()) return deny(complaint);
  return {};
}

}  // namespace

WebhookResult validate_job_update(const text::Object& next, const text::Object& old) {
  const api::VolcanoJobSpecView spec = api::VolcanoJobView(next).spec();
  const api::VolcanoJobSpecView before = api::VolcanoJobView(old).spec();
  const std::string_view job = api::VolcanoJobView(next).metadata().name();
  if (WebhookResult size = check_job_size(spec, before); !size) return size;
  int64_t replicas = 0;
  const api::ListView<api::TaskSpecView> tasks = spec.tasks();
  for (size_t i = 0; i < tasks.size(); ++i) {
    const api::TaskSpecView task = tasks[i];
    if (!task) continue;
    if (WebhookResult fault = check_changed_task(task, job, i); !fault) return fault;
    if (__builtin_add_overflow(replicas, task.replicas().value_or(0), &replicas)) replicas = 0;
  }
  const int64_t minimum = spec.min_available().value_or(0);
  if (minimum > replicas) {
    return deny("job 'minAvailable' must not be greater than total replicas",
                fmt::format("spec.minAvailable is {}, all replicas together are {}", minimum, replicas));
  }
  if (minimum < 0) return deny("job 'minAvailable' must be >= 0", fmt::format("spec.minAvailable is {}", minimum));
  if (const std::string_view complaint = topology_complaint(spec.network_topology()); !complaint.empty())
    return deny(complaint);
  if (spec.tasks().size() != before.tasks().size()) {
    return deny("job updates may not add or remove tasks", "create another job");
  }
  if (!same_spec(part_of(next, "spec"), part_of(old, "spec"))) {
    return deny(
        "job updates may not change fields other than `minAvailable`, `tasks[*].replicas under spec` and "
        "`PriorityClassName`",
        "create another job for other changes");
  }
  return {};
}

}  // namespace basalt::admission
