#include "lab/conformance/outcome_comparison.h"

#include <algorithm>

#include "kube/text/field.h"

namespace basalt::lab {

namespace {

using text::Array;
using text::Object;
using text::Value;

Value to_object(const std::map<std::string, std::string>& map) {
  Object out;
  for (const auto& [key, value] : map) out[key] = value;
  return out;
}

Value keys_of(const std::map<std::string, std::string>& map) {
  Array out;
  for (const auto& [key, value] : map) out.emplace_back(key);
  return out;
}

Value to_list(const std::vector<std::string>& items) {
  Array out;
  for (const std::string& item : items) out.emplace_back(item);
  return out;
}

Value to_counts(const std::map<std::string, int64_t>& counts) {
  Object out;
  for (const auto& [key, count] : counts) out[key] = count;
  return out;
}

std::string find_or_empty(const std::map<std::string, std::string>& map, const std::string& key) {
  const auto at = map.find(key);
  return at == map.end() ? std::string() : at->second;
}

Value job_bound_counts(const CycleOutcome& o) {
  std::map<std::string, int64_t> counts;
  for (const auto& [pod, node] : o.binds) ++counts[find_or_empty(o.job_of, pod)];
  return to_counts(counts);
}

Value queue_bound_counts(const CycleOutcome& o) {
  std::map<std::string, int64_t> counts;
  for (const auto& [pod, node] : o.binds) ++counts[find_or_empty(o.queue_of, find_or_empty(o.job_of, pod))];
  return to_counts(counts);
}

Value evicted_jobs(const CycleOutcome& o) {
  std::map<std::string, int64_t> counts;
  for (const std::string& pod : o.evicts) ++counts[find_or_empty(o.job_of, pod)];
  return to_counts(counts);
}

Value task_states(const CycleOutcome& o) {
  Object out;
  for (const auto& [pod, state] : o.tasks) {
    Object row;
    row["status"] = state.status;
    if (!state.node.empty()) row["node"] = state.node;
    out[pod] = std::move(row);
  }
  return out;
}

struct Level {
  std::string_view name;
  Value (*of)(const CycleOutcome&);
};

constexpr Level kGeneratedLevels[] = {
    {"bindCount", [](const CycleOutcome& o) { return Value(static_cast<int64_t>(o.binds.size())); }},
    {"queueBoundCounts", &queue_bound_counts},
    {"jobBoundCounts", &job_bound_counts},
    {"boundPods", [](const CycleOutcome& o) { return keys_of(o.binds); }},
    {"nodes", [](const CycleOutcome& o) { return to_object(o.binds); }},
    {"evictCount", [](const CycleOutcome& o) { return Value(static_cast<int64_t>(o.evicts.size())); }},
    {"evictedJobs", &evicted_jobs},
    {"evictedPods", [](const CycleOutcome& o) { return to_list(o.evicts); }},
    {"pipelinedPods", [](const CycleOutcome& o) { return keys_of(o.pipelined); }},
    {"pipelinedNodes", [](const CycleOutcome& o) { return to_object(o.pipelined); }},
    {"podGroupPhases", [](const CycleOutcome& o) { return to_object(o.phases_after); }},
};

constexpr Level kUnitLevels[] = {
    {"binds", [](const CycleOutcome& o) { return to_object(o.binds); }},
    {"evicts", [](const CycleOutcome& o) { return to_list(o.evicts); }},
    {"pipelined", [](const CycleOutcome& o) { return to_object(o.pipelined); }},
    {"podGroupPhases", [](const CycleOutcome& o) { return to_object(o.phases_before); }},
    {"podGroupPhasesAfterClose", [](const CycleOutcome& o) { return to_object(o.phases_after); }},
    {"tasks", &task_states},
};

void compare_levels(std::span<const Level> levels, const Value& recorded, const CycleOutcome& ours,
                    const std::string& prefix, Comparison& out) {
  for (const Level& level : levels) {
    const Value* expected = text::find_member(recorded, level.name);
    if (expected != nullptr) out.add(prefix + std::string(level.name), *expected, level.of(ours));
  }
}

// The placements of the listed pods only.
void compare_partial_nodes(const Value& recorded, const CycleOutcome& ours, const std::string& prefix,
                           Comparison& out) {
  const Value* expected = text::find_member(recorded, "nodesPartial");
  if (expected == nullptr || !expected->is_object()) return;
  Object listed;
  for (const auto& member : expected->get_object()) {
    const auto bind = ours.binds.find(std::string(member.key()));
    if (bind != ours.binds.end()) listed[member.key()] = bind->second;
  }
  out.add(prefix + "nodesPartial", *expected, listed);
}

void compare_cycles(const RecordedCase& recorded, std::string_view where, std::span<const CycleOutcome> outcomes,
                    Comparison& out) {
  const Value* expected = text::find_member(recorded.root, where);
  const Value* cycles = expected == nullptr ? nullptr : text::find_member(*expected, "cycles");
  if (cycles == nullptr || !cycles->is_array()) return;
  for (size_t i = 0; i < std::min(cycles->get_array().size(), outcomes.size()); ++i) {
    const std::string prefix = "cycle " + std::to_string(i + 1) + " ";
    compare_levels(kGeneratedLevels, cycles->get_array()[i], outcomes[i], prefix, out);
    compare_partial_nodes(cycles->get_array()[i], outcomes[i], prefix, out);
  }
}

// What a unit test asserted with checked: ["all"].
class UnitAssertions {
 public:
  UnitAssertions(const Value& expect, const CycleOutcome& ours, Comparison& out)
      : expect_(expect), ours_(ours), out_(out) {}

  void compare() {
    binds();
    if (const Value* evicted = list("evicted")) out_.add("asserted evicted", *evicted, to_list(ours_.evicts));
    each_job("pipelined", [this](const std::string& job, const Value& nodes) { pipelined(job, nodes); });
    each_job("podGroupStatus", [this](const std::string& job, const Value& phase) {
      const auto at = ours_.phases_before.find(job);
      out_.add("asserted phase of " + job, phase, at == ours_.phases_before.end() ? Value() : Value(at->second));
    });
    each_job("taskStatusNums", [this](const std::string& job, const Value& counts) { task_counts(job, counts); });
  }

 private:
  // The member, or an empty one for null: an absent list asserts that nothing happened.
  const Value* list(std::string_view key) {
    static const Value kEmptyList = Array();
    const Value* member = text::find_member(expect_, key);
    return member == nullptr || member->is_null() ? &kEmptyList : member;
  }

  void binds() {
    const Value* minimal = text::find_member(expect_, "minimalBindCheck");
    if (minimal != nullptr && minimal->is_bool() && minimal->get_bool()) {
      const Value* count = text::find_member(expect_, "bindsNum");
      if (count != nullptr) out_.add("asserted bindsNum", *count, static_cast<int64_t>(ours_.binds.size()));
      return;
    }
    const Value* map = text::find_member(expect_, "bindMap");
    out_.add("asserted bindMap", map == nullptr || map->is_null() ? Value(Object()) : *map, to_object(ours_.binds));
  }

  template <class Visit>
  void each_job(std::string_view key, Visit visit) {
    const Value* map = text::find_member(expect_, key);
    if (map == nullptr || !map->is_object()) return;
    for (const auto& member : map->get_object()) visit(std::string(member.key()), member.value());
  }

  // Some task of the job is pipelined, and all that are sit on one of the listed nodes.
  void pipelined(const std::string& job, const Value& nodes) {
    Array elsewhere;
    bool any = false;
    for (const auto& [pod, node] : ours_.pipelined) {
      const auto owner = ours_.job_of.find(pod);
      if (owner == ours_.job_of.end() || owner->second != job) continue;
      any = true;
      const Array& allowed = nodes.is_array() ? nodes.get_array() : Array();
      if (std::find(allowed.begin(), allowed.end(), Value(node)) == allowed.end()) elsewhere.emplace_back(node);
    }
    const Value ours = any && elsewhere.empty() ? nodes : Value(elsewhere);
    out_.add("asserted pipelined of " + job, nodes, ours);
  }

  // Only the listed statuses are asserted.
  void task_counts(const std::string& job, const Value& counts) {
    if (!counts.is_object()) return;
    std::map<std::string, int64_t> ours;
    for (const auto& member : counts.get_object()) ours[std::string(member.key())] = 0;
    for (const auto& [pod, state] : ours_.tasks) {
      if (const auto count = ours.find(state.status); state.job == job && count != ours.end()) ++count->second;
    }
    out_.add("asserted task counts of " + job, counts, to_counts(ours));
  }

  const Value& expect_;
  const CycleOutcome& ours_;
  Comparison& out_;
};

bool checks_all(const Value& expect) {
  const Value* checked = text::find_member(expect, "checked");
  if (checked == nullptr || !checked->is_array()) return false;
  const Array& list = checked->get_array();
  return std::find(list.begin(), list.end(), Value("all")) != list.end();
}

}  // namespace

Comparison compare_with_name_ties(const RecordedCase& recorded, std::span<const CycleOutcome> outcomes) {
  Comparison out;
  if (recorded.kind == CaseKind::Generated) {
    compare_cycles(recorded, "expectTiebreakName", outcomes, out);
    return out;
  }
  if (const Value* observed = text::find_member(recorded.root, "observedTiebreakName")) {
    compare_levels(kUnitLevels, *observed, outcomes.front(), "", out);
  }
  const Value* expect = text::find_member(recorded.root, "expect");
  if (expect != nullptr && checks_all(*expect)) UnitAssertions(*expect, outcomes.front(), out).compare();
  return out;
}

std::vector<std::string> unknown_facts(const Value& root) {
  std::vector<std::string> unknown;
  const Value* expected = text::find_member(root, "expectTiebreakName");
  const Value* cycles = expected == nullptr ? nullptr : text::find_member(*expected, "cycles");
  if (cycles == nullptr || !cycles->is_array()) return unknown;
  for (const Value& cycle : cycles->get_array()) {
    if (!cycle.is_object()) continue;
    for (const auto& member : cycle.get_object()) {
      const std::string_view name = member.key();
      const bool known = name == "nodesPartial" || name == "unstable" ||
                         std::ranges::find(kGeneratedLevels, name, &Level::name) != std::ranges::end(kGeneratedLevels);
      if (!known && std::ranges::find(unknown, name) == unknown.end()) unknown.emplace_back(name);
    }
  }
  return unknown;
}

Comparison compare_with_firm_facts(const RecordedCase& recorded, std::span<const CycleOutcome> outcomes) {
  Comparison out;
  if (recorded.kind == CaseKind::Generated) compare_cycles(recorded, "expect", outcomes, out);
  return out;
}

}  // namespace basalt::lab
