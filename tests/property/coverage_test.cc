// The random worlds are worth their time: over some seeds, everything that the properties speak of does happen.
#include <gtest/gtest.h>

#include <map>

#include "tests/property/random_cluster.h"
#include "tests/property/random_policy.h"
#include "tests/property/replica.h"

namespace basalt::property {
namespace {

TEST(RandomWorlds, ShowEverythingThatIsTested) {
  std::map<std::string, int> seen;
  for (uint64_t seed = 1; seed <= 250; ++seed) {
    Rng chance(seed * 977);
    const RandomPolicy policy = random_policy(chance);
    for (const auto& plugin : policy.built.plugins) ++seen["plugin " + plugin.name];
    for (const auto& action : policy.built.actions) ++seen["action " + action.name];
    RandomCluster world(seed);
    Replica replica({});
    replica.start(world.plan());
    for (int cycle = 0; cycle < 7; ++cycle) {
      const NamedDecisions decided = replica.cycle(world.plan(), policy.built, world.now());
      seen["binds"] += static_cast<int>(decided.binds.size());
      seen["pipelined"] += static_cast<int>(decided.pipelined.size());
      for (const NamedDecisions::Evict& evict : decided.evicts) ++seen["evicted by " + evict.reason];
      if (replica.last_result().skipped) ++seen["skipped cycles"];
      seen["jobs without success"] += static_cast<int>(replica.last_result().report.failures.size());
      world.settle(decided);
      for (const PlanChange& change : world.next_events()) {
        apply(world.plan(), change, replica.state());
        ++seen["changes of kind " + std::to_string(static_cast<int>(change.kind))];
      }
    }
  }
  for (const char* name :
       {"binpack", "capacity", "cdp", "conformance", "drf", "gang", "nodegroup", "nodeorder", "overcommit", "pdb",
        "predicates", "priority", "proportion", "resourcequota", "sla", "task-topology", "tdm"}) {
    EXPECT_GE(seen[std::string("plugin ") + name], 5) << name;
  }
  for (const char* name : {"enqueue", "allocate", "backfill", "preempt", "reclaim"}) {
    EXPECT_GE(seen[std::string("action ") + name], 20) << name;
  }
  EXPECT_GE(seen["binds"], 1000);
  EXPECT_GE(seen["pipelined"], 50);
  EXPECT_GE(seen["evicted by preempt"], 10);
  EXPECT_GE(seen["evicted by reclaim"], 10);
  EXPECT_GE(seen["skipped cycles"], 10);
  EXPECT_GE(seen["jobs without success"], 100);
  for (int kind = 0; kind < 5; ++kind) EXPECT_GE(seen["changes of kind " + std::to_string(kind)], 10) << kind;
  if (::testing::Test::HasFailure()) {
    for (const auto& [what, times] : seen) std::printf("%6d %s\n", times, what.c_str());
  }
}

}  // namespace
}  // namespace basalt::property
