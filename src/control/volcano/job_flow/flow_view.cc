#include "control/volcano/job_flow/flow_view.h"

#include <algorithm>

#include "kube/api/object_fields.h"
#include "kube/api/volcano_keys.h"

namespace basalt::volcano {
namespace {

using api::string_at;

constexpr int kMaxMergeDepth = 64;  // beyond, the patch's value replaces what is there
constexpr int64_t kSchemaMaxRetry = 3;

bool is_named(const text::Value& value) { return value.is_object() && !string_at(value.get_object(), "name").empty(); }

bool all_named(const text::Array& list) { return !list.empty() && std::ranges::all_of(list, is_named); }

void merge(text::Value& into, const text::Value& patch, int depth);

void merge_named(text::Array& into, const text::Array& patch, int depth) {
  for (const text::Value& item : patch) {
    const std::string_view name = string_at(item.get_object(), "name");
    const auto at = std::ranges::find_if(
        into, [&](const text::Value& one) { return one.is_object() && string_at(one.get_object(), "name") == name; });
    if (at == into.end()) {
      into.push_back(item);
    } else {
      merge(*at, item, depth + 1);
    }
  }
}

void merge(text::Value& into, const text::Value& patch, int depth) {
  if (depth < kMaxMergeDepth && into.is_object() && patch.is_object()) {
    for (const auto& member : patch.get_object()) merge(into.get_object()[member.key()], member.value(), depth + 1);
  } else if (depth < kMaxMergeDepth && into.is_array() && patch.is_array() && all_named(into.get_array()) &&
             all_named(patch.get_array())) {
    merge_named(into.get_array(), patch.get_array(), depth);
  } else {
    into = patch;
  }
}

}  // namespace

FlowView::FlowView(const text::Object& object, const ControllerCache& seen) : flow(&object) {
  const text::Array* flows = api::array_at(object, {"spec", "flows"});
  if (flows == nullptr) return;
  const std::string prefix = std::string(api::name_of(object)) + "-";
  const std::string ns(api::namespace_of(object));
  for (const text::Value& value : *flows) {
    const text::Object* entry = value.if_object();
    if (entry == nullptr || find(string_at(*entry, "name")) != nullptr) continue;
    FlowStep step{.name = string_at(*entry, "name"), .entry = entry};
    step.job_name = prefix + std::string(step.name);
    const text::Object* job = seen.find(VolcanoKind::Job, ns + "/" + step.job_name);
    if (job != nullptr && controller_uid(*job, "", "") == string_at(object, {"metadata", "uid"})) {
      step.job = job;
      step.phase = string_at(*job, {"status", "state", "phase"});
      if (step.phase.empty()) step.phase = "Pending";
    }
    if (const text::Array* targets = api::array_at(*entry, {"dependsOn", "targets"})) {
      for (const text::Value& target : *targets) {
        if (target.is_string()) step.targets.emplace_back(target.get_string());
      }
    }
    step.probe = api::object_at(*entry, {"dependsOn", "probe"});
    steps.push_back(std::move(step));
  }
}

const FlowStep* FlowView::find(std::string_view name) const {
  const auto at = std::ranges::find(steps, name, &FlowStep::name);
  return at == steps.end() ? nullptr : &*at;
}

size_t FlowView::count(std::string_view phase) const {
  return static_cast<size_t>(std::ranges::count(steps, phase, &FlowStep::phase));
}

text::Object patched_spec(const text::Object& template_spec, const text::Object* patch) {
  text::Value spec = template_spec;
  if (patch == nullptr) return std::move(spec.get_object());
  text::Value over = *patch;
  if (string_at(*patch, "queue") == api::keys::kDefaultQueue) over.get_object().erase("queue");
  if (api::int_at(*patch, {"maxRetry"}) == kSchemaMaxRetry) over.get_object().erase("maxRetry");
  merge(spec, over, 0);
  return std::move(spec.get_object());
}

}  // namespace basalt::volcano
