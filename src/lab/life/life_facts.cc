#include "lab/life/life_facts.h"

#include <fmt/format.h>

#include <array>

#include "kube/api/object_fields.h"
#include "kube/api/views/event_view.h"
#include "kube/api/views/pod_view.h"
#include "kube/api/views/volcano_job_view.h"
#include "kube/api/views/volcano_queue_view.h"
#include "kube/text/json_path.h"

namespace basalt::lab {
namespace {

constexpr std::string_view kNone = "none";

std::string plain(const text::Value& value) {
  return value.is_string() ? std::string(value.get_string()) : text::to_json(value);
}

}  // namespace

std::string life_job_phase(LifeInterpreter& interpreter, std::string_view job) {
  const client::ObjectPtr seen = interpreter.object(**life_kind("job"), job);
  if (seen == nullptr) return std::string(kNone);
  const std::string_view phase = api::VolcanoJobView(*seen).status().state().phase();
  return std::string(phase.empty() ? kNone : phase);
}

std::string life_queue_state(LifeInterpreter& interpreter, std::string_view queue) {
  const client::ObjectPtr seen = interpreter.object(**life_kind("queue"), queue);
  if (seen == nullptr) return std::string(kNone);
  const std::string_view state = api::QueueView(*seen).status().state();
  return std::string(state.empty() ? kNone : state);
}

std::string life_job_number(LifeInterpreter& interpreter, std::string_view job, LifeJobNumber number) {
  const client::ObjectPtr seen = interpreter.object(**life_kind("job"), job);
  if (seen == nullptr) return std::string(kNone);
  const api::VolcanoJobStatusView status = api::VolcanoJobView(*seen).status();
  return std::to_string((number == LifeJobNumber::Version ? status.version() : status.retry_count()).value_or(0));
}

std::vector<std::string> life_pods(LifeInterpreter& interpreter, std::string_view job, bool phases) {
  const std::string prefix = life_name(**life_kind("job"), job).name + "-";
  std::vector<std::string> names;
  for (const client::ObjectPtr& pod : interpreter.pods_of(job, "*")) {
    const text::Object& root = pod->get_object();
    std::string name(api::name_of(root));
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
    if (phases) {
      const bool leaving = !api::PodView(root).metadata().deletion_timestamp().empty();
      const std::string_view phase = leaving ? "Terminating" : api::PodView(root).status().phase();
      name += fmt::format(":{}", phase);
    }
    names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> life_counts(LifeInterpreter& interpreter, std::string_view job) {
  std::vector<std::string> counts;
  const client::ObjectPtr seen = interpreter.object(**life_kind("job"), job);
  if (seen == nullptr) return counts;
  const api::VolcanoJobStatusView status = api::VolcanoJobView(*seen).status();
  for (const auto& [name, count] :
       {std::pair("pending", status.pending()), std::pair("running", status.running()),
        std::pair("succeeded", status.succeeded()), std::pair("failed", status.failed()),
        std::pair("terminating", status.terminating()), std::pair("unknown", status.unknown())}) {
    if (count.value_or(0) != 0) counts.push_back(fmt::format("{}={}", name, *count));
  }
  return counts;
}

std::vector<std::pair<std::string, std::string>> life_events(LifeInterpreter& interpreter, std::string_view text) {
  const LifeKind& kind = **life_kind("event");
  const auto [ns, name] = life_name(kind, text);
  std::vector<std::pair<std::string, std::string>> events;
  for (const client::ObjectPtr& event : interpreter.cluster().list(kind.resource(), ns)) {
    const text::Object& root = event->get_object();
    if (api::EventView(root).involved_object().name() != name) continue;
    events.emplace_back(api::EventView(root).reason(), api::EventView(root).message());
  }
  return events;
}

std::vector<std::string> life_names(LifeInterpreter& interpreter, const LifeKind& kind) {
  std::vector<std::string> names;
  for (const client::ObjectPtr& object : interpreter.cluster().list(kind.resource(), "")) {
    const text::Object& root = object->get_object();
    const bool elsewhere = kind.namespaced && api::namespace_of(root) != kLifeNamespace;
    names.emplace_back(elsewhere ? api::key_of(root) : std::string(api::name_of(root)));
  }
  return names;
}

Result<std::string> life_field(LifeInterpreter& interpreter, const LifeKind& kind, std::string_view name,
                               std::string_view path) {
  const auto parsed = text::JsonPath::parse(path);
  if (!parsed) return std::unexpected(parsed.error());
  const client::ObjectPtr seen = interpreter.object(kind, name);
  if (seen == nullptr) return std::string(kNone);
  std::string text;
  for (const text::Value* value : parsed->find(*seen)) text += (text.empty() ? "" : " ") + plain(*value);
  return text.empty() ? std::string(kNone) : text;
}

}  // namespace basalt::lab
