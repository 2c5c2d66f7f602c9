// Schedulers that see the same world in different ways decide the same, and every cycle keeps its promises.
//
//   plain      as in production
//   forgetful  no memory of earlier cycles: every shortcut off
//   shuffled   objects and events arrive in another order
//   reborn     the state is built anew before every cycle
//   audited    as plain, with audits between the actions (audits.h)
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/property/audits.h"
#include "tests/property/invariants.h"
#include "tests/property/random_cluster.h"
#include "tests/property/replica.h"
#include "tests/property/seeds.h"
#include "tests/property/state_digest.h"

namespace basalt::property {
namespace {

constexpr uint64_t kSeeds = 340;
constexpr int kCycles = 7;

struct Story {
  explicit Story(uint64_t seed) : chance(seed * 977), policy(random_policy(chance)), world(seed) {}
  Rng chance;
  RandomPolicy policy;
  RandomCluster world;
};

std::string with_context(const std::string& wrong, int cycle, const Story& story, const NamedDecisions& decided) {
  return "cycle " + std::to_string(cycle) + ": " + wrong + "\n  policy: " + story.policy.text() + "\n" + decided.text();
}

// Runs the story with `plain` and one other replica; "" if they decide the same in every cycle.
std::string compare_with(Replica::Ways ways, uint64_t seed) {
  Story story(seed);
  Replica plain({});
  Replica other(ways, seed);
  plain.start(story.world.plan());
  other.start(story.world.plan());
  for (int cycle = 0; cycle < kCycles; ++cycle) {
    const NamedDecisions expected = plain.cycle(story.world.plan(), story.policy.built, story.world.now());
    const NamedDecisions got = other.cycle(story.world.plan(), story.policy.built, story.world.now());
    if (const auto wrong = first_difference(expected.text(), got.text()); !wrong.empty()) {
      return with_context("decisions differ:" + wrong, cycle, story, expected);
    }
    const std::string same = first_difference(digest(plain.state()), digest(other.state()));
    if (!same.empty()) return with_context("states differ:" + same, cycle, story, expected);
    story.world.settle(expected);
    const std::vector<PlanChange> changes = story.world.next_events();
    plain.tell(story.world.plan(), changes);
    other.tell(story.world.plan(), changes);
  }
  return "";
}

TEST(Cycles, DecideTheSameWithoutMemory) {
  for_seeds(kSeeds, [](uint64_t seed) { return compare_with({.use_memory = false}, seed); });
}

TEST(Cycles, DecideTheSameWhenObjectsArriveInAnotherOrder) {
  for_seeds(kSeeds, [](uint64_t seed) { return compare_with({.shuffled = true}, seed); });
}

TEST(Cycles, DecideTheSameOnAStateBuiltAnew) {
  for_seeds(kSeeds, [](uint64_t seed) { return compare_with({.shuffled = true, .always_fresh = true}, seed); });
}

TEST(Cycles, DecideTheSameTwice) {
  for_seeds(kSeeds / 5, [](uint64_t seed) { return compare_with({}, seed); });
}

TEST(Cycles, KeepTheirPromises) {
  for_seeds(kSeeds, [](uint64_t seed) -> std::string {
    Story story(seed);
    Replica plain({});
    plain.start(story.world.plan());
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      const NamedDecisions decided = plain.cycle(story.world.plan(), story.policy.built, story.world.now());
      const AfterCycle after{.state = plain.state(), .result = plain.last_result(), .policy = story.policy};
      if (const auto wrong = broken_invariant(after); !wrong.empty()) return with_context(wrong, cycle, story, decided);
      story.world.settle(decided);
      plain.tell(story.world.plan(), story.world.next_events());
      if (const auto wrong = plain.state().verify(); !wrong.empty()) {
        return with_context("verify after events: " + wrong, cycle, story, decided);
      }
    }
    return "";
  });
}

TEST(Cycles, AuditsFindNothingAndChangeNothing) {
  for_seeds(kSeeds / 4, [](uint64_t seed) -> std::string {
    Story story(seed);
    Replica plain({});
    Replica audit({});
    plain.start(story.world.plan());
    audit.start(story.world.plan());
    std::string wrong;
    const engine::Policy policy = audited(story.policy.built, story.chance, wrong);
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      const NamedDecisions expected = plain.cycle(story.world.plan(), story.policy.built, story.world.now());
      const NamedDecisions got = audit.cycle(story.world.plan(), policy, story.world.now());
      if (wrong.empty()) wrong = first_difference(expected.text(), got.text());
      if (!wrong.empty()) return with_context(wrong, cycle, story, expected);
      story.world.settle(expected);
      const std::vector<PlanChange> changes = story.world.next_events();
      plain.tell(story.world.plan(), changes);
      audit.tell(story.world.plan(), changes);
    }
    return "";
  });
}

// When the world stands still, evictions end, and the room they made is used: by the job for which it was made, or by
// one that comes before it in line (a nomination reserves nothing).
TEST(Cycles, EvictionsAreNotInVain) {
  constexpr int kCalmCycles = 12;
  for_seeds(kSeeds, [](uint64_t seed) -> std::string {
    Story story(seed);
    // Nobody to bind best-effort pods; nobody to count pods or protect gangs; a rule that may break the preemptor's own
    // gang; an allocate that takes idle room from under the place that an earlier action promised.
    if (!story.policy.built.has_action("backfill")) return "";
    if (!story.policy.has("gang") || !story.policy.has("predicates")) return "";
    if (story.policy.built.uses_first_tier()) return "";
    if (binds_after_evicting(story.policy)) return "";
    Replica plain({});
    plain.start(story.world.plan());
    std::map<std::string, std::set<std::string>> waiting;  // job → nodes on which pods were evicted for its pods
    std::string wrong;
    for (int cycle = 0; cycle < kCalmCycles; ++cycle) {
      const NamedDecisions decided = plain.cycle(story.world.plan(), story.policy.built, story.world.now());
      for (const NamedDecisions::Bind& bind : decided.binds) {
        const std::string group = story.world.plan().pods.at(bind.pod).group;
        std::erase_if(waiting, [&](const auto& job) { return job.first == group || job.second.contains(bind.node); });
      }
      for (const NamedDecisions::Evict& evict : decided.evicts) {
        const auto& pods = story.world.plan().pods;
        waiting[pods.at(evict.preemptor).group].insert(pods.at(evict.victim).node);
      }
      if (cycle + 1 == kCalmCycles && !decided.evicts.empty()) wrong += "\n  evictions do not end";
      story.world.settle(decided);
      plain.tell(story.world.plan(), story.world.calm_events());
    }
    for (const auto& [job, nodes] : waiting) {
      wrong += "\n  pods were evicted for job " + job + " on " + *nodes.begin() + ", but nobody came there";
    }
    return wrong.empty() ? "" : wrong + "\n  policy: " + story.policy.text();
  });
}

}  // namespace
}  // namespace basalt::property
