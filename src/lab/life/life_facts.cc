#include "lab/life/life_facts.h"

#include <fmt/format.h>

#include <array>

#include "kube/api/object_fields.h"
#include "kube/text/json_path.h"

namespace basalt::lab {
namespace {

constexpr std::string_view kNone = "none";

std::string plain(const text::Value& value) {
  return value.is_string() ? std::string(value.get_string()) : text::to_json(value);
}

}  // namespace

std::string life_text(LifeInterpreter& interpreter, std::string_view kind_word, std::string_view name,
                      std::initializer_list<std::string_view> path) {
  const client::ObjectPtr seen = interpreter.object(**life_kind(kind_word), name);
  const std::string_view text = seen == nullptr ? "" : api::string_at(seen->get_object(), path);
  return std::string(text.empty() ? kNone : text);
}

std::string life_number(LifeInterpreter& interpreter, std::string_view job, std::string_view member) {
  const client::ObjectPtr seen = interpreter.object(**life_kind("job"), job);
  if (seen == nullptr) return std::string(kNone);
  return std::to_string(api::int_at(seen->get_object(), {"status", member}));
}

std::vector<std::string> life_pods(LifeInterpreter& interpreter, std::string_view job, bool phases) {
  const std::string prefix = life_name(**life_kind("job"), job).name + "-";
  std::vector<std::string> names;
  for (const client::ObjectPtr& pod : interpreter.pods_of(job, "*")) {
    const text::Object& root = pod->get_object();
    std::string name(api::name_of(root));
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
    if (phases) {
      const bool leaving = !api::string_at(root, {"metadata", "deletionTimestamp"}).empty();
      const std::string_view phase = leaving ? "Terminating" : api::string_at(root, {"status", "phase"});
      name += fmt::format(":{}", phase);
    }
    names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> life_counts(LifeInterpreter& interpreter, std::string_view job) {
  constexpr std::array<std::string_view, 6> kCounts = {"pending", "running",     "succeeded",
                                                       "failed",  "terminating", "unknown"};
  std::vector<std::string> counts;
  const client::ObjectPtr seen = interpreter.object(**life_kind("job"), job);
  if (seen == nullptr) return counts;
  for (const std::string_view name : kCounts) {
    if (const int64_t count = api::int_at(seen->get_object(), {"status", name}); count != 0) {
      counts.push_back(fmt::format("{}={}", name, count));
    }
  }
  return counts;
}

std::vector<std::pair<std::string, std::string>> life_events(LifeInterpreter& interpreter, std::string_view text) {
  const LifeKind& kind = **life_kind("event");
  const auto [ns, name] = life_name(kind, text);
  std::vector<std::pair<std::string, std::string>> events;
  for (const client::ObjectPtr& event : interpreter.cluster().list(kind.resource(), ns)) {
    const text::Object& root = event->get_object();
    if (api::string_at(root, {"involvedObject", "name"}) != name) continue;
    events.emplace_back(api::string_at(root, "reason"), api::string_at(root, "message"));
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
