#include "control/volcano/job/plugin_objects.h"

#include <fmt/format.h>

#include "control/loop/api_writes.h"
#include "control/volcano/job/plugins/job_plugin_registry.h"
#include "control/volcano/volcano_writes.h"

namespace basalt::volcano {
namespace {

// An object that follows the job is applied, so that it is right whoever made it; others are made once.
Result<void> bring(WritePlan& plan, const VolcanoContext& context, const JobView& job, const WantedObject& wanted,
                   ControlledResourcesChange& memory) {
  const std::string key = object_key(wanted.resource.plural, wanted.name());
  const std::string content = fingerprint_text(wanted.fingerprint);
  const std::string_view known = remembered(job, key);
  if (!known.empty() && (wanted.once || known == content)) return {};
  if (wanted.once) {
    auto object = with_keys(wanted, context.system_services.generate_ssh_keys);
    if (!object) return std::unexpected(std::move(object.error()));
    plan.write(loop::create(wanted.resource, std::move(*object)));
  } else {
    plan.write(loop::apply(wanted.resource, wanted.object, kFieldManager));
  }
  memory[key] = content;
  return {};
}

Result<void> bring_all(WritePlan& plan, const VolcanoContext& context, const JobView& job,
                       ControlledResourcesChange& memory) {
  const auto set = JobPluginSet::of(job);
  if (!set) return std::unexpected(set.error());
  for (const std::string& fault : set->warnings()) plan.notes.push_back(plugin_error(job, fault));
  const auto objects = set->objects(job);
  if (!objects) return std::unexpected(objects.error());
  for (const WantedObject& wanted : *objects) {
    if (auto brought = bring(plan, context, job, wanted, memory); !brought) return brought;
  }
  for (const auto& entry : set->controlled_resources()) {
    if (entry.value().is_string()) memory[std::string(entry.key())] = std::string(entry.value().get_string());
  }
  if (std::string generation = generation_text(job); !generation.empty()) {
    memory[std::string(kObjectsGeneration)] = std::move(generation);
  }
  return {};
}

api::Call removal(const JobView& job, const WantedObject& wanted) {
  api::Call call{.verb = api::Verb::Delete, .resource = wanted.resource};
  call.namespace_name = job.namespace_name;
  call.name = wanted.name();
  call.body = text::Object{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}, {"propagationPolicy", "Background"}};
  return call;
}

bool has_made_objects(const JobView& job) {
  for (const auto& entry : *job.controlled_resources) {
    const std::string_view key = entry.key();
    if (key == kObjectsGeneration || key.starts_with(kPluginPrefix)) return true;
  }
  return false;
}

}  // namespace

Result<void> sync_plugin_objects(WritePlan& plan, const VolcanoContext& context, const JobView& job,
                                 ControlledResourcesChange& memory) {
  if (job.plugins.empty()) return {};
  const std::string_view done = remembered(job, kObjectsGeneration);
  if (!done.empty() && done == generation_text(job)) return {};
  auto brought = bring_all(plan, context, job, memory);
  if (!brought) plan.notes.push_back(plugin_error(job, brought.error().message));
  return brought;
}

void delete_plugin_objects(WritePlan& plan, const JobView& job, bool keep_keys, ControlledResourcesChange& memory) {
  if (!has_made_objects(job)) return;
  std::string kept;
  if (const auto set = JobPluginSet::of(job)) {
    if (const auto objects = set->objects(job)) {
      for (const WantedObject& wanted : *objects) {
        if (keep_keys && wanted.needs_keys) {
          kept = object_key(wanted.resource.plural, wanted.name());
        } else {
          plan.write(removal(job, wanted));
        }
      }
    }
  }
  for (const auto& entry : *job.controlled_resources) {
    const std::string_view key = entry.key();
    const bool about_objects =
        key == kObjectsGeneration || key.starts_with(kPluginPrefix) || key.starts_with(kObjectPrefix);
    if (about_objects && key != kept) memory[std::string(key)] = std::nullopt;
  }
}

EventNote plugin_error(const JobView& job, std::string_view why) {
  return warning(VolcanoKind::Job, *job.object, "PluginError",
                 fmt::format("Execute plugin when job add failed, err: {}", why));
}

}  // namespace basalt::volcano
