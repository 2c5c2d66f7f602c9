#include "tests/property/random_policy.h"

#include <algorithm>

#include "base/check.h"
#include "engine/policy/build_policy.h"
#include "tests/property/pick.h"

namespace basalt::property {

namespace {

using policy::PluginSpec;
using policy::PolicySpec;
using policy::TierSpec;

PluginSpec plugin(std::string_view name) { return {.name = std::string(name), .flags = {}, .arguments = {}}; }

engine::Argument text(std::string value) { return {.value = std::move(value)}; }
engine::Argument number(int64_t value) { return {.value = value}; }

void choose_actions(Rng& rng, PolicySpec& spec) {
  static const std::vector<std::vector<std::string>> kChoices = {
      {"enqueue", "allocate", "backfill"},
      {"allocate", "backfill"},
      {"enqueue", "allocate", "preempt", "backfill"},
      {"enqueue", "allocate", "preempt", "reclaim", "backfill"},
      {"enqueue", "reclaim", "allocate", "preempt", "backfill"},
      {"enqueue", "allocate", "reclaim", "backfill"},
      {"reclaim", "preempt", "allocate"},
  };
  spec.actions = pick(rng, kChoices);
  engine::ArgumentMap preempt;
  if (rng.chance(0.4)) preempt["enableTopologyAwarePreemption"] = {.value = true};
  if (rng.chance(0.3)) preempt["victimRule"] = text("firstTier");
  if (!preempt.empty()) spec.configurations.push_back({.name = "preempt", .arguments = std::move(preempt)});
}

// At most one plugin that divides the cluster among queues.
void choose_queue_plugin(Rng& rng, TierSpec& tier) {
  switch (rng.below(4)) {
    case 0:
      tier.plugins.push_back(plugin("proportion"));
      return;
    case 1:
      tier.plugins.push_back(plugin("capacity"));
      return;
    case 2: {
      PluginSpec capacity = plugin("capacity");
      capacity.flags[static_cast<size_t>(engine::PluginFlag::Hierarchy)] = true;
      if (rng.chance(0.5)) capacity.arguments["ancestorReclaimLevel"] = number(rng.between(0, 2));
      tier.plugins.push_back(std::move(capacity));
      return;
    }
    default: {
      PluginSpec drf = plugin("drf");
      drf.flags[static_cast<size_t>(engine::PluginFlag::Hierarchy)] = rng.chance(0.5);
      tier.plugins.push_back(std::move(drf));
      return;
    }
  }
}

void choose_scores(Rng& rng, TierSpec& tier) {
  if (rng.chance(0.7)) tier.plugins.push_back(plugin("nodeorder"));
  if (rng.chance(0.4)) {
    PluginSpec binpack = plugin("binpack");
    binpack.arguments["binpack.weight"] = number(rng.between(1, 10));
    binpack.arguments["binpack.resources"] = text("nvidia.com/gpu, example.com/fpga");
    binpack.arguments["binpack.resources.nvidia.com/gpu"] = number(7);
    tier.plugins.push_back(std::move(binpack));
  }
}

void choose_extras(Rng& rng, TierSpec& first, TierSpec& second) {
  if (rng.chance(0.2)) {
    PluginSpec sla = plugin("sla");
    if (rng.chance(0.7)) sla.arguments["sla-waiting-time"] = text("30s");
    first.plugins.insert(first.plugins.begin(), std::move(sla));
  }
  if (rng.chance(0.15)) {
    PluginSpec tdm = plugin("tdm");
    tdm.arguments["tdm.revocable-zone.rz1"] = text("22:00-22:30");
    second.plugins.push_back(std::move(tdm));
  }
  for (const std::string_view name : {"task-topology", "nodegroup", "resourcequota", "cdp", "pdb"}) {
    if (rng.chance(0.15)) second.plugins.push_back(plugin(name));
  }
}

PolicySpec assembled(Rng& rng) {
  PolicySpec spec;
  choose_actions(rng, spec);
  TierSpec first;
  TierSpec second;
  for (const std::string_view name : {"priority", "gang", "conformance"}) {
    if (rng.chance(0.92)) first.plugins.push_back(plugin(name));
  }
  if (rng.chance(0.5)) second.plugins.push_back(plugin("overcommit"));
  if (rng.chance(0.9)) second.plugins.push_back(plugin("predicates"));
  choose_queue_plugin(rng, second);
  choose_scores(rng, second);
  choose_extras(rng, first, second);
  const bool has_drf =
      std::any_of(second.plugins.begin(), second.plugins.end(), [](const PluginSpec& p) { return p.name == "drf"; });
  if (!has_drf && rng.chance(0.6)) first.plugins.push_back(plugin("drf"));
  for (TierSpec* tier : {&first, &second}) {
    if (!tier->plugins.empty()) spec.tiers.push_back(std::move(*tier));
  }
  return spec;
}

}  // namespace

bool RandomPolicy::has(std::string_view name) const {
  return std::any_of(built.plugins.begin(), built.plugins.end(), [&](const auto& p) { return p.name == name; });
}

std::string RandomPolicy::text() const {
  std::string line;
  for (const std::string& action : spec.actions) line += action + " ";
  for (const TierSpec& tier : spec.tiers) {
    line += "|";
    for (const PluginSpec& entry : tier.plugins) {
      const bool hierarchy = entry.flags[static_cast<size_t>(engine::PluginFlag::Hierarchy)].value_or(false);
      line += " " + entry.name + (hierarchy ? "+hierarchy" : "");
    }
    line += " ";
  }
  for (const policy::ActionSpec& action : spec.configurations) {
    for (const auto& [key, value] : action.arguments) line += action.name + "." + key + " ";
  }
  return line;
}

RandomPolicy random_policy(Rng& rng) {
  RandomPolicy made;
  made.spec = rng.chance(0.2) ? policy::default_policy_spec() : assembled(rng);
  auto built = policy::build_policy(made.spec);
  check(built.has_value(), built ? "" : built.error().message);
  made.built = std::move(*built);
  return made;
}

}  // namespace basalt::property
