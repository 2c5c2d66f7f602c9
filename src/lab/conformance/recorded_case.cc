#include "lab/conformance/recorded_case.h"

#include <algorithm>
#include <filesystem>

#include "control/scheduler/state/conf.h"
#include "kube/text/field.h"
#include "kube/text/read_file.h"

namespace basalt::lab {

namespace {

using text::Field;

// Object lists that we can decode, in the order in which Volcano's tests add them.
constexpr std::string_view kDecoded[] = {
    "nodes", "pods", "podGroups", "queues", "priorityClasses", "resourceQuotas", "podDisruptionBudgets", "namespaces"};
// Lists that change nothing as long as no pod or pod group asks for them (which is looked at separately).
constexpr std::string_view kHarmless[] = {"hyperNodes", "hyperNodeView", "storageClasses", "deviceClasses",
                                          "resourceSlices"};

constexpr std::string_view kHarmlessGates[] = {"DynamicResourceAllocation", "DRAConsumableCapacity"};

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_something(const text::Value& value) {
  if (value.is_array()) return !value.get_array().empty();
  if (value.is_object()) return !value.get_object().empty();
  return !value.is_null();
}

void add_once(std::vector<std::string>& list, std::string entry) {
  if (!contains(list, entry)) list.push_back(std::move(entry));
}

void note_missing(const api::Pod& pod, std::vector<std::string>& missing) {
  if (!pod.spec.resource_claims.empty()) add_once(missing, "pods with resource claims (DRA)");
  for (const api::Volume& volume : pod.spec.volumes) {
    if (!volume.claim_name.empty() || volume.ephemeral) add_once(missing, "pods with volume claims");
  }
}

void note_missing(const api::PodGroup& group, std::vector<std::string>& missing) {
  bool topology = group.spec.network_topology.has_value();
  for (const api::SubGroupPolicy& policy : group.spec.sub_group_policy) {
    topology = topology || policy.network_topology.has_value();
  }
  if (topology) add_once(missing, "pod groups with networkTopology");
}

void note_missing(const api::AnyObject& object, std::vector<std::string>& missing) {
  if (const auto* pod = std::get_if<api::Pod>(&object)) note_missing(*pod, missing);
  if (const auto* group = std::get_if<api::PodGroup>(&object)) note_missing(*group, missing);
}

Result<void> read_objects(const Field& objects, RecordedCase& out) {
  for (const std::string_view list : kDecoded) {
    auto done = objects.field(list).each([&](const Field& item) -> Result<void> {
      auto object = api::decode_any(item);
      if (!object) return std::unexpected(object.error());
      note_missing(*object, out.missing);
      out.objects.push_back(std::move(*object));
      return {};
    });
    if (!done) return done;
  }
  auto events = read_events(objects.field("events"));
  if (!events) return std::unexpected(events.error());
  out.events = std::move(*events);
  for (const CaseEvent& event : out.events) {
    for (const api::AnyObject& object : event.add) note_missing(object, out.missing);
  }
  return objects.each_member([&](std::string_view key, const Field& member) -> Result<void> {
    const bool needed = member.value() != nullptr && is_something(*member.value());
    if (needed && key != "events" && !contains(kDecoded, key) && !contains(kHarmless, key)) {
      add_once(out.missing, "objects: " + std::string(key));
    }
    return {};
  });
}

// Names of plugins and actions that we do not have.
Result<void> find_missing_names(const Field& conf, std::vector<std::string>& missing) {
  const auto plugins = state::known_plugins();
  const auto actions = state::known_actions();
  auto done = conf.field("tiers").each([&](const Field& tier) {
    return tier.field("plugins").each([&](const Field& plugin) -> Result<void> {
      const auto name = plugin.field("name").as_string();
      if (!name) return std::unexpected(name.error());
      if (!contains(plugins, *name)) add_once(missing, "plugin " + *name);
      return {};
    });
  });
  if (!done) return done;
  return conf.field("actions").each([&](const Field& action) -> Result<void> {
    const auto name = action.as_string();
    if (!name) return std::unexpected(name.error());
    if (!contains(actions, *name)) add_once(missing, "action " + *name);
    return {};
  });
}

engine::ArgumentMap& arguments_of(policy::PolicySpec& policy, std::string_view action) {
  auto entry = std::find_if(policy.configurations.begin(), policy.configurations.end(),
                            [&](const policy::ActionSpec& a) { return a.name == action; });
  if (entry == policy.configurations.end()) {
    entry = policy.configurations.insert(entry, {.name = std::string(action), .arguments = {}});
  }
  return entry->arguments;
}

// The gates that are on. One that we do not have would change the outcome.
Result<void> read_gates(const Field& gates, RecordedCase& out, bool& queue_admission) {
  return gates.each_member([&](std::string_view name, const Field& gate) -> Result<void> {
    const auto on = gate.bool_or(false);
    if (!on) return std::unexpected(on.error());
    if (*on && name == "SchedulingGatesQueueAdmission") {
      queue_admission = true;
    } else if (*on && !contains(kHarmlessGates, name)) {
      add_once(out.missing, "feature gate " + std::string(name));
    }
    return {};
  });
}

Result<void> read_policy(const Field& conf, RecordedCase& out) {
  const auto mode = conf.field("serverOptions").field("shardingMode").string_or("none");
  if (!mode) return std::unexpected(mode.error());
  if (!mode->empty() && *mode != "none") add_once(out.missing, "node shards");
  const auto queue = conf.field("serverOptions").field("defaultQueue").string_or("default");
  if (!queue) return std::unexpected(queue.error());
  out.default_queue = *queue;
  bool queue_admission = false;
  if (auto ok = read_gates(conf.field("featureGates"), out, queue_admission); !ok) return ok;
  if (!out.missing.empty()) return {};
  auto read = state::read_conf(conf);
  if (!read) return std::unexpected(read.error().within("conf"));
  out.policy = std::move(read->spec);
  if (queue_admission) {
    arguments_of(out.policy, "allocate").insert_or_assign("schedulingGatesQueueAdmission", engine::Argument{true});
  }
  // Tests of a single plugin have no actions; their probes need a valid policy all the same.
  if (out.custom && out.policy.actions.empty()) out.policy.actions = {"allocate"};
  const auto flags = conf.field("nilFlags").string_or("default");
  if (!flags) return std::unexpected(flags.error());
  out.policy.absent_flags_on = *flags != "off";
  return {};
}

Result<void> fill(const Field& root, RecordedCase& out) {
  if (!root.field("conf").given() || !root.field("objects").given()) {
    return invalid("is no recorded case: it has no conf and objects");
  }
  const auto custom = root.field("custom").bool_or(false);
  if (!custom) return std::unexpected(custom.error());
  out.custom = *custom;
  const auto cycles = root.field("cycles").int_or(1);
  if (!cycles) return std::unexpected(cycles.error());
  out.cycles = static_cast<int>(std::clamp<int64_t>(*cycles, 1, 1000));
  out.kind = root.field("expectTiebreakName").given() ? CaseKind::Generated : CaseKind::Unit;
  if (auto ok = find_missing_names(root.field("conf"), out.missing); !ok) return ok;
  if (auto ok = read_objects(root.field("objects"), out); !ok) return ok;
  return read_policy(root.field("conf"), out);
}

}  // namespace

Result<RecordedCase> read_case(const std::string& path) {
  const auto content = text::read_file(path);
  if (!content) return std::unexpected(content.error());
  auto value = text::parse_json(*content);
  if (!value) return std::unexpected(value.error().within(path));
  RecordedCase out{.file = path, .name = std::filesystem::path(path).stem().string(), .root = std::move(*value)};
  if (auto ok = fill(Field(out.root), out); !ok) return std::unexpected(ok.error().within(path));
  return out;
}

void use_volcano_defaults(policy::PolicySpec& policy, std::string_view victim_rule) {
  for (const char* action : {"preempt", "reclaim"}) {
    arguments_of(policy, action).insert_or_assign("victimRule", engine::Argument{std::string(victim_rule)});
  }
  arguments_of(policy, "allocate").try_emplace("predicateErrorCacheEnable", engine::Argument{true});
  for (policy::TierSpec& tier : policy.tiers) {
    for (policy::PluginSpec& plugin : tier.plugins) {
      if (plugin.name == "capacity") plugin.arguments.try_emplace("staleAncestorShares", engine::Argument{true});
    }
  }
}

}  // namespace basalt::lab
