#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/rng.h"
#include "lab/scenario/scenario_runner.h"
#include "lab/scenario/scenario_script.h"

namespace basalt::lab::scenario {
namespace {

constexpr std::string_view kGood = R"scn(# demo/one — everything that a line can say, once
priorityclass high 100
tiers    priority gang | predicates nodeorder binpack
plugin   binpack binpack.weight=2 enableNodeOrder=true
actions  enqueue allocate preempt
action   preempt enableTopologyAwarePreemption=true
queue    q weight=2 capability=cpu=8,memory=8Gi
node     n1..n2 cpu=4 memory=8Gi labels=zone=a taints=old=yes:PreferNoSchedule images=app:1=50Mi
pdb      web selector=app=web allowed=1
quota    team hard=cpu=9 used=cpu=1
job      j queue=q min=1 tasks=3 cpu=1 memory=1Gi labels=app=web spread=app=web@zone:2 ports=80 priority=high
job      k min=1
task     k worker count=2 cpu=500m node-affinity="zone in (a,b)" anti-affinity=app=x@node on=n1 age=5m
subgroup k replica size=1 keys=replica
cycle
expect   bind j-0:n1 j-1:n2   # wrong on purpose
advance  10m
finish   k
cycle
)scn";

ScenarioResult play_text(std::string_view text, bool trace = false) {
  const auto script = parse_script("demo.scn", text);
  if (!script) {
    ScenarioResult broken;
    broken.error = script.error();
    return broken;
  }
  return play(*script, trace);
}

std::string error_of(std::string_view text) {
  const ScenarioResult played = play_text(text);
  return played.error ? played.error->message : "no error";
}

TEST(Scenario, ErrorsNameTheLineAndTheRemedy) {
  const struct {
    std::string_view text, message;
  } cases[] = {
      {"nodde n1\n", "demo.scn:1: \"nodde\" begins no line; a line begins with one of: "},
      {"\nnode n1 cpuu=4\n", "demo.scn:2: \"cpuu=4\" is not understood here; this line takes: "},
      {"node n1 cpu=4x\n", "demo.scn:1: cpu: "},
      {"node n1 taints=a=b:Never\n", "taints: \"Never\" is no effect; write NoSchedule"},
      {"job j tasks=1 on=n9\n", "there is no node \"n9\"; write a node line above"},
      {"job j cpu=1\n", "write tasks=1 or more"},
      {"job j tasks=99999\n", "\"99999\" is no whole number from 0 to 20000"},
      {"job j priority=high\n", "there is no priority class \"high\""},
      {"job j tasks=1 affinity=app=x\n", "names no domain; write requirements@label-key"},
      {"task j worker\n", "there is no job \"j\""},
      {"queue q reclaimable=maybe\n", "reclaimable: \"maybe\" is neither true nor false"},
      {"plugin binpack a=1\n", "the plugin \"binpack\" is in no tier"},
      {"tiers gangg\ncycle\n", "demo.scn:2: tiers[0].plugins[0]: unknown plugin \"gangg\"; known plugins are "},
      {"actions\ncycle\n", "demo.scn:2: actions: the list is empty"},
      {"expect none\n", "nothing has happened yet"},
      {"cycle\nexpect bnd a:b\n", "\"bnd\" is nothing to expect; write bind, evict"},
      {"cycle\nexpect bind a\n", "names no node; write pod:node"},
      {"node \"n1\n", "a quote is not closed"},
      {"advance -3m\n", "is no length of time"},
      {"now tomorrow\n", "demo.scn:1: "},
      {"node n5..n1\n", "is no range"},
      {"# nothing\n", "the scenario has no cycle"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_NE(error_of(text).find(message), std::string::npos) << text << " gave: " << error_of(text);
  }
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(Scenario, UpdateRewritesOnlyExpectations) {
  const ScenarioResult before = play_text(kGood);
  ASSERT_FALSE(before.error) << before.error->message;
  ASSERT_FALSE(before.passed());
  const std::string text = joined(before.rewritten);
  const ScenarioResult after = play_text(text);
  EXPECT_TRUE(after.passed()) << text;
  EXPECT_EQ(joined(after.rewritten), text);
  EXPECT_EQ(text.substr(0, kGood.find("expect")), kGood.substr(0, kGood.find("expect")));
  EXPECT_NE(text.find("\nadvance  10m\nfinish   k\ncycle\n"), std::string::npos) << text;
}

TEST(Scenario, TracingChangesNoDecision) {
  const ScenarioResult plain = play_text(kGood, /*trace=*/false);
  const ScenarioResult traced = play_text(kGood, /*trace=*/true);
  EXPECT_EQ(plain.rewritten, traced.rewritten);
  EXPECT_NE(traced.trace.find("nodes for j-0"), std::string::npos) << traced.trace;
}

// Damaged files end in an error or a difference, never in a crash. Sanitizers watch.
TEST(Scenario, DamagedFilesAreHarmless) {
  Rng rng(7);
  constexpr std::string_view kAlphabet = "n1 0=-..:@,;()\"#|!<>*jk9\n\t\x01";
  for (int round = 0; round < 400; ++round) {
    std::string text(kGood);
    for (uint64_t change = rng.below(6) + 1; change > 0; --change) {
      const size_t at = rng.below(text.size());
      const char c = kAlphabet[rng.below(kAlphabet.size())];
      if (rng.chance(0.3)) {
        text.erase(at, rng.below(9) + 1);
      } else if (rng.chance(0.5)) {
        text[at] = c;
      } else {
        text.insert(at, 1, c);
      }
      if (text.empty()) text = " ";
    }
    const ScenarioResult played = play_text(text, /*trace=*/round % 8 == 0);
    EXPECT_LT(played.cycles, 10U);
  }
}

}  // namespace
}  // namespace basalt::lab::scenario
