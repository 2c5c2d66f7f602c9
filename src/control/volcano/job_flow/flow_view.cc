#include "control/volcano/job_flow/flow_view.h"

#include <algorithm>

#include "kube/api/object_fields.h"
#include "kube/api/views/volcano_flow_view.h"
#include "kube/api/views/volcano_job_view.h"
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
  const api::JobFlowView fields(object);
  const std::string prefix = std::string(fields.metadata().name()) + "-";
  const std::string ns(fields.metadata().namespace_name());
  for (const api::FlowEntryView entry : fields.spec().flows()) {
    if (find(entry.name()) != nullptr) continue;
    FlowStep step{.name = entry.name(), .entry = entry};
    step.job_name = prefix + std::string(step.name);
    const text::Object* job = seen.find(VolcanoKind::Job, ns + "/" + step.job_name);
    if (job != nullptr && controller_uid(*job, "", "") == fields.metadata().uid()) {
      step.job = job;
      step.phase = api::VolcanoJobView(*job).status().state().phase();
      if (step.phase.empty()) step.phase = "Pending";
    }
    for (const std::string_view target : entry.depends_on().targets()) step.targets.push_back(target);
    step.probe = entry.depends_on().probe();
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
  if (api::VolcanoJobSpecView(*patch).queue() == api::keys::kDefaultQueue) over.get_object().erase("queue");
  if (api::VolcanoJobSpecView(*patch).max_retry().value_or(0) == kSchemaMaxRetry) over.get_object().erase("maxRetry");
  merge(spec, over, 0);
  return std::move(spec.get_object());
}

}  // namespace basalt::volcano
