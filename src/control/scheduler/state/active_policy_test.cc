#include "control/scheduler/state/active_policy.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace basalt::state {
namespace {

constexpr std::string_view kGood = R"(actions: "enqueue, allocate"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
- plugins:
  - name: binpack
    arguments:
      binpack.weight: 5
)";

bool is_in(const std::vector<std::string_view>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string error_of(std::string_view yaml) {
  const auto loaded = load_conf(yaml);
  return loaded ? "" : loaded.error().message;
}

TEST(Conf, ReadsActionsTiersSwitchesAndArguments) {
  const auto loaded = load_conf(kGood);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_EQ(loaded->spec.actions, (std::vector<std::string>{"enqueue", "allocate"}));
  ASSERT_EQ(loaded->policy.plugins.size(), 3U);
  const engine::Policy::Plugin& gang = loaded->policy.plugins[1];
  EXPECT_FALSE(gang.flags[static_cast<size_t>(engine::PluginFlag::Preemptable)]);
  EXPECT_TRUE(gang.flags[static_cast<size_t>(engine::PluginFlag::JobReady)]);    // absent: on
  EXPECT_FALSE(gang.flags[static_cast<size_t>(engine::PluginFlag::Hierarchy)]);  // absent: off
  EXPECT_EQ(loaded->policy.plugins[2].tier, 1);
  EXPECT_TRUE(loaded->warnings.empty());
}

TEST(Conf, ErrorsNameLineKeyAndRemedy) {
  EXPECT_EQ(error_of("actions: \"enqueue, alocate\"\n"),
            "line 1: actions: unknown action \"alocate\"; did you mean \"allocate\"?");
  EXPECT_EQ(error_of("actions: \"enqueue,\"\n"), "line 1: actions: an action's name is empty; remove the extra comma");
  EXPECT_EQ(error_of("actions: allocate\ntiers:\n- plugins:\n  - name: priority\n  - name: gangg\n"),
            "line 5: tiers[0].plugins[1].name: unknown plugin \"gangg\"; did you mean \"gang\"?");
  EXPECT_EQ(error_of("actions: allocate\ntiers:\n- plugins:\n  - name: gang\n    enableJobOrder: maybe\n"),
            "line 5: tiers[0].plugins[0].enableJobOrder: expected true or false, got string \"maybe\"");
  EXPECT_TRUE(error_of("tiers: []\n").find("actions: is required") != std::string::npos) << error_of("tiers: []\n");
}

TEST(Conf, ErrorsInArgumentsAndCombinationsHaveALineToo) {
  const std::string argument = error_of(
      "actions: allocate\ntiers:\n- plugins:\n  - name: gang\n  - name: binpack\n    arguments: {binpack.weight: x}\n");
  EXPECT_TRUE(argument.starts_with("line 6: tiers[0].plugins[1]: binpack: arguments.binpack.weight")) << argument;
  const std::string both = error_of(
      "actions: allocate\ntiers:\n- plugins:\n  - name: drf\n    enableHierarchy: true\n  - name: proportion\n");
  EXPECT_TRUE(both.starts_with("line 3: tiers[0]: drf")) << both;
}

TEST(Conf, WhatIsMisspeltIsRefusedWithLineKeyAndNearestName) {
  EXPECT_EQ(error_of("actions: allocate\ntires: []\n"),
            "line 2: tires: unknown key \"tires\"; did you mean \"tiers\"?");
  EXPECT_EQ(error_of("actions: allocate\ntiers:\n- plugin: []\n"),
            "line 3: tiers[0].plugin: unknown key \"plugin\"; did you mean \"plugins\"?");
  EXPECT_EQ(error_of("actions: allocate\ntiers:\n- plugins:\n  - name: gang\n    enabledJobOrder: false\n"),
            "line 5: tiers[0].plugins[0].enabledJobOrder: unknown key \"enabledJobOrder\"; did you mean "
            "\"enableJobOrder\"?");
  EXPECT_EQ(error_of("actions: allocate\ntiers:\n- plugins:\n  - name: binpack\n    arguments:\n"
                     "      binpack.cpu: 1\n      binpack.weigth: 10\n"),
            "line 7: tiers[0].plugins[0]: binpack: arguments.binpack.weigth: unknown argument; did you mean "
            "\"binpack.weight\"?");
  EXPECT_EQ(error_of("actions: allocate\ntiers:\n- plugins:\n  - name: gang\n    arguments: {strict: true}\n"),
            "line 5: tiers[0].plugins[0]: gang: arguments.strict: unknown argument; there are none here");
  EXPECT_EQ(error_of("actions: allocate\nconfigurations:\n- name: alocate\n"),
            "line 3: configurations[0].name: unknown action \"alocate\"; did you mean \"allocate\"?");
}

// Also of actions that are not in the list: the day they are added is too late.
TEST(Conf, ArgumentsOfActionsAreCheckedLikeThoseOfPlugins) {
  const std::string conf = "actions: allocate\nconfigurations:\n- name: allocate\n- name: preempt\n  arguments:\n";
  EXPECT_EQ(error_of(conf + "    victimrule: firstTier\n"),
            "line 6: configurations[1]: preempt: arguments.victimrule: unknown argument; did you mean \"victimRule\"?");
  EXPECT_EQ(error_of(conf + "    victimRule: lastTier\n"),
            "line 6: configurations[1]: preempt: arguments.victimRule: unknown rule \"lastTier\"; write everyTier or "
            "firstTier");
  EXPECT_EQ(error_of(conf + "    minCandidateNodesPercentage: 500\n"),
            "line 6: configurations[1]: preempt: arguments.minCandidateNodesPercentage: must be between 0 and 100");
  EXPECT_EQ(error_of("actions: allocate\nconfigurations: [{name: allocate}, {name: allocate}]\n"),
            "line 2: configurations[1]: a second entry for \"allocate\"; only the first counts");
}

TEST(Conf, NumbersOutOfRangeAreRefused) {
  const auto with = [](const std::string& plugin, const std::string& argument) {
    return error_of("actions: allocate\ntiers:\n- plugins:\n  - name: " + plugin + "\n    arguments: {" + argument +
                    "}\n");
  };
  EXPECT_EQ(with("overcommit", "overcommit-factor: 0.8"),
            "line 5: tiers[0].plugins[0]: overcommit: arguments.overcommit-factor: must be at least 1");
  EXPECT_EQ(with("binpack", "binpack.cpu: -1"),
            "line 5: tiers[0].plugins[0]: binpack: arguments.binpack.cpu: must be not negative");
  EXPECT_EQ(with("capacity", "ancestorReclaimLevel: -1"),
            "line 5: tiers[0].plugins[0]: capacity: arguments.ancestorReclaimLevel: must be not negative");
  EXPECT_EQ(with("overcommit", "overcommit-factor: 1"), "");
}

TEST(Conf, NumbersThatNobodyCanMeanAreRefused) {
  const auto with = [](const std::string& plugin, const std::string& argument) {
    return error_of("actions: allocate\ntiers:\n- plugins:\n  - name: " + plugin + "\n    arguments:\n      " +
                    argument + "\n");
  };
  EXPECT_EQ(with("nodeorder", "leastrequested.weight: -5"),
            "line 6: tiers[0].plugins[0]: nodeorder: arguments.leastrequested.weight: must be not negative");
  EXPECT_EQ(with("nodeorder", "podtopologyspread.weight: -1"),
            "line 6: tiers[0].plugins[0]: nodeorder: arguments.podtopologyspread.weight: must be not negative");
  EXPECT_EQ(with("task-topology", "task-topology.weight: -5"),
            "line 6: tiers[0].plugins[0]: task-topology: arguments.task-topology.weight: must be not negative");
  EXPECT_EQ(with("tdm", "tdm.evict.period: 0s"),
            "line 6: tiers[0].plugins[0]: tdm: arguments.tdm.evict.period: must be above 0, for example \"1m\"");
  EXPECT_EQ(with("nodeorder", "leastrequested.weight: 0"), "");
}

TEST(Conf, AMisspeltArgumentThatTakesANameIsOfferedWithIt) {
  const auto with = [](const std::string& key) {
    return error_of("actions: allocate\ntiers:\n- plugins:\n  - name: tdm\n    arguments:\n      " + key + "\n");
  };
  EXPECT_EQ(with("tdm.revocable-zones.rz1: 10:00-21:00"),
            "line 6: tiers[0].plugins[0]: tdm: arguments.tdm.revocable-zones.rz1: unknown argument; did you mean "
            "\"tdm.revocable-zone.rz1\"?");
  EXPECT_EQ(with("tdm.evict.perid: 1m"),
            "line 6: tiers[0].plugins[0]: tdm: arguments.tdm.evict.perid: unknown argument; did you mean "
            "\"tdm.evict.period\"?");
}

constexpr std::string_view kWithIdleArguments = R"(actions: "enqueue, allocate"
tiers:
- plugins:
  - name: predicates
    arguments:
      predicate.GPUSharingEnable: true
      predicate.VolumeZoneEnable: true
      predicate.resources.nvidia.com/gpu.cpu: 4
      predicate.CacheEnable: true
      volumebinding.shape: [{utilization: 0, score: 0}]
configurations:
- name: enqueue
  arguments: {overcommit-factor: 1.5}
)";

TEST(Conf, ArgumentsOfVolcanosThatDoNothingHereAreSkippedWithAWarningOrRefused) {
  const auto loaded = load_conf(kWithIdleArguments);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  const std::string end = " is not supported and skipped; the rest is in force";
  const std::string place = "tiers[0].plugins[0].arguments";
  ASSERT_EQ(loaded->warnings.size(), 5U);
  EXPECT_TRUE(loaded->warnings[0].starts_with("line 6: " + place)) << loaded->warnings[0];
  EXPECT_TRUE(loaded->warnings[0].ends_with("Volcano's argument \"predicate.GPUSharingEnable\"" + end));
  EXPECT_TRUE(loaded->warnings[1].ends_with("Volcano's argument \"predicate.VolumeZoneEnable\"" + end));
  EXPECT_TRUE(loaded->warnings[2].ends_with("Volcano's argument \"predicate.resources.nvidia.com/gpu.cpu\"" + end));
  EXPECT_TRUE(loaded->warnings[3].ends_with("Volcano's argument \"volumebinding.shape\"" + end));
  EXPECT_TRUE(loaded->warnings[4].starts_with("line 13: configurations[0].arguments")) << loaded->warnings[4];
  EXPECT_EQ(loaded->skipped[0].kind, "argument");
  const auto refused = load_conf(kWithIdleArguments, Unsupported::Refuse);
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().message.ends_with(
      "Volcano's argument \"predicate.GPUSharingEnable\" is not supported; remove it"))
      << refused.error().message;
  // Of the wrong type it is wrong all the same.
  EXPECT_NE(error_of("actions: allocate\ntiers: [{plugins: [{name: predicates, arguments: "
                     "{predicate.VolumeZoneEnable: 7}}]}]\n"),
            "");
}

TEST(Conf, TheConfigurationsThatAreKnownIncludeInitParams) {
  EXPECT_EQ(error_of("actions: allocate\nconfigurations:\n- name: init-param\n"),
            "line 3: configurations[0].name: unknown action \"init-param\"; did you mean \"init-params\"?");
}

constexpr std::string_view kWithUnsupported = R"(actions: "enqueue, allocate, shuffle"
tiers:
- plugins:
  - name: gang
  - name: numa-aware
    arguments: {weight: 10}
metrics: {type: prometheus}
configurations:
- name: gangpreempt
  arguments: {maxDomains: 4}
- name: init-params
  arguments: {presetVirtualDevice: "true"}
)";

TEST(Conf, WhatOnlyVolcanoHasIsSkippedWithAWarningOrRefused) {
  const auto loaded = load_conf(kWithUnsupported);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_EQ(loaded->spec.actions, (std::vector<std::string>{"enqueue", "allocate"}));
  EXPECT_EQ(loaded->policy.plugins.size(), 1U);
  ASSERT_EQ(loaded->skipped.size(), 3U);
  EXPECT_EQ(loaded->skipped[1].kind + " " + loaded->skipped[1].name, "plugin numa-aware");
  EXPECT_EQ(loaded->warnings,
            (std::vector<std::string>{
                "line 1: actions: Volcano's action \"shuffle\" is not supported and skipped; the rest is in force",
                "line 5: tiers[0].plugins[1].name: Volcano's plugin \"numa-aware\" is not supported and skipped; the "
                "rest is in force",
                "line 7: metrics: Volcano's key \"metrics\" is not supported and skipped; the rest is in force"}));
  const auto refused = load_conf(kWithUnsupported, Unsupported::Refuse);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "line 1: actions: Volcano's action \"shuffle\" is not supported; remove it");
}

TEST(Conf, NothingSupportedIsListedAsUnsupported) {
  for (const std::string_view name : unsupported_plugins()) {
    EXPECT_FALSE(is_in(known_plugins(), name)) << name;
  }
  for (const std::string_view name : unsupported_actions()) {
    EXPECT_FALSE(is_in(known_actions(), name)) << name;
  }
}

TEST(Conf, TheVictimRuleIsThatOfItsAction) {
  const auto loaded = load_conf(
      "actions: \"preempt, reclaim\"\nconfigurations:\n- name: reclaim\n  arguments: {victimRule: firstTier}\n");
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_EQ(loaded->policy.preempt_rule, engine::VictimRule::EveryTier);
  EXPECT_EQ(loaded->policy.reclaim_rule, engine::VictimRule::FirstTier);
}

TEST(ActivePolicy, StartsWithTheBuiltInOne) {
  const ActivePolicy active;
  EXPECT_EQ(active.spec().actions, (std::vector<std::string>{"enqueue", "allocate", "backfill"}));
  EXPECT_EQ(active.policy().plugins.size(), 8U);
}

TEST(ActivePolicy, TheBuiltInConfIsTheBuiltInPolicy) {
  ActivePolicy active;
  const uint64_t fingerprint = active.policy().fingerprint;
  ASSERT_TRUE(active.load(kBuiltInConf).has_value());
  EXPECT_EQ(active.policy().fingerprint, fingerprint);
  EXPECT_TRUE(active.warnings().empty());
}

TEST(ActivePolicy, ResetPutsTheBuiltInOneInForceAgain) {
  ActivePolicy active;
  const uint64_t fingerprint = active.policy().fingerprint;
  ASSERT_TRUE(active.load(kWithUnsupported).has_value());
  EXPECT_NE(active.policy().fingerprint, fingerprint);
  active.reset();
  EXPECT_EQ(active.policy().fingerprint, fingerprint);
  EXPECT_TRUE(active.warnings().empty());
  EXPECT_EQ(active.generation(), 3U);
}

TEST(ActivePolicy, ABadConfLeavesTheOldOneInForce) {
  ActivePolicy active;
  ASSERT_TRUE(active.load(kGood).has_value());
  const uint64_t fingerprint = active.policy().fingerprint;
  const uint64_t generation = active.generation();

  for (const char* bad : {"actions: [", "actions: allocate\ntiers: 5\n", "", "actions: nothing-like-it\n"}) {
    const auto refused = active.load(bad);
    ASSERT_FALSE(refused.has_value()) << bad;
    EXPECT_FALSE(refused.error().message.empty());
    EXPECT_EQ(active.policy().fingerprint, fingerprint);
    EXPECT_EQ(active.generation(), generation);
  }

  // A good one replaces everything: what is no longer written goes back to its default.
  ASSERT_TRUE(active.load("actions: allocate\ntiers: [{plugins: [{name: gang}]}]\n").has_value());
  EXPECT_EQ(active.generation(), generation + 1);
  ASSERT_EQ(active.policy().plugins.size(), 1U);
  EXPECT_TRUE(active.policy().plugins[0].flags[static_cast<size_t>(engine::PluginFlag::Preemptable)]);
}

TEST(ActivePolicy, TheQueueAdmissionGateIsAnArgumentOfAllocateThatTheConfMayStillSet) {
  const auto gate = [](const ActivePolicy& policy) -> std::optional<bool> {
    for (const policy::ActionSpec& action : policy.spec().configurations) {
      const auto at = action.arguments.find("schedulingGatesQueueAdmission");
      if (action.name == "allocate" && at != action.arguments.end()) return std::get<bool>(at->second.value);
    }
    return std::nullopt;
  };
  EXPECT_EQ(gate(ActivePolicy()), std::nullopt);
  ActivePolicy gated(true);
  EXPECT_EQ(gate(gated), true);
  ASSERT_TRUE(gated.load(kGood).has_value());
  EXPECT_EQ(gate(gated), true);
  ASSERT_TRUE(gated.load("actions: \"enqueue, backfill\"\n").has_value());
  EXPECT_EQ(gate(gated), std::nullopt);
  ASSERT_TRUE(gated
                  .load("actions: \"allocate\"\nconfigurations:\n- name: allocate\n  arguments:\n"
                        "    schedulingGatesQueueAdmission: false\n")
                  .has_value());
  EXPECT_EQ(gate(gated), false);
}

}  // namespace
}  // namespace basalt::state
