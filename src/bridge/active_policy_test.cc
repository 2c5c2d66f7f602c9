#include "bridge/active_policy.h"

#include <gtest/gtest.h>

namespace basalt::bridge {
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
  EXPECT_FALSE(gang.flags[static_cast<size_t>(engine::Flag::Preemptable)]);
  EXPECT_TRUE(gang.flags[static_cast<size_t>(engine::Flag::JobReady)]);    // absent: on
  EXPECT_FALSE(gang.flags[static_cast<size_t>(engine::Flag::Hierarchy)]);  // absent: off
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
  EXPECT_TRUE(argument.starts_with("line 5: tiers[0].plugins[1]: binpack")) << argument;
  const std::string both = error_of(
      "actions: allocate\ntiers:\n- plugins:\n  - name: drf\n    enableHierarchy: true\n  - name: proportion\n");
  EXPECT_TRUE(both.starts_with("line 3: tiers[0]: drf")) << both;
}

TEST(Conf, UnknownKeysAreIgnoredButAMisspeltSwitchWarns) {
  const auto loaded = load_conf(
      "actions: allocate\nfuture: 1\ntiers:\n- plugins:\n  - name: gang\n    enabledJobOrder: false\n    note: "
      "hello\n");
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  ASSERT_EQ(loaded->warnings.size(), 1U);
  EXPECT_EQ(loaded->warnings[0],
            "line 6: tiers[0].plugins[0].enabledJobOrder: unknown switch, ignored; did you mean \"enableJobOrder\"?");
}

TEST(ActivePolicy, StartsWithTheBuiltInOne) {
  const ActivePolicy active;
  EXPECT_EQ(active.spec().actions, (std::vector<std::string>{"enqueue", "allocate", "backfill"}));
  EXPECT_EQ(active.policy().plugins.size(), 8U);
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
  EXPECT_TRUE(active.policy().plugins[0].flags[static_cast<size_t>(engine::Flag::Preemptable)]);
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
}  // namespace basalt::bridge
