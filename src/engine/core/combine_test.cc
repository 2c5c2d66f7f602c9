#include "engine/core/combine.h"

#include <gtest/gtest.h>

#include <list>

namespace basalt::engine {
namespace {

// A hook that answers what it was told, and counts how often it was asked.
template <class Answer>
struct Fixed {
  Answer answer;
  int asked = 0;
  Answer one(JobId /*job*/) {
    ++asked;
    return answer;
  }
  Answer two(JobId /*a*/, JobId /*b*/) {
    ++asked;
    return answer;
  }
};

template <class Answer, class Rule>
class OneJobSlot {
 public:
  void add(uint16_t tier, Answer answer) {
    plugins_.push_back({.answer = answer});
    slot.entries.push_back(
        {.hook = Hook<Answer(JobId)>::template to<&Fixed<Answer>::one>(plugins_.back()), .tier = tier});
  }
  [[nodiscard]] std::vector<int> asked() const {
    std::vector<int> times;
    for (const auto& plugin : plugins_) times.push_back(plugin.asked);
    return times;
  }
  Slot<Answer(JobId), Rule> slot;

 private:
  std::list<Fixed<Answer>> plugins_;
};

const JobId kJob(uint32_t{0});

TEST(FirstNonzero, TheFirstThatDistinguishesDecides) {
  std::list<Fixed<Order>> plugins = {{Order::equivalent}, {Order::greater}, {Order::less}};
  Slot<Order(JobId, JobId), FirstNonzero> slot;
  EXPECT_TRUE(first_nonzero(slot, kJob, kJob) == 0);
  for (auto& plugin : plugins)
    slot.entries.push_back({.hook = Hook<Order(JobId, JobId)>::to<&Fixed<Order>::two>(plugin)});
  EXPECT_TRUE(first_nonzero(slot, kJob, kJob) > 0);
  EXPECT_EQ(plugins.back().asked, 0);
}

TEST(AllOf, NobodyMeansYes) {
  OneJobSlot<bool, AllOf> ready;
  EXPECT_TRUE(all_of(ready.slot, kJob));
  ready.add(0, true);
  EXPECT_TRUE(all_of(ready.slot, kJob));
  ready.add(1, false);
  EXPECT_FALSE(all_of(ready.slot, kJob));
}

TEST(AnyOf, NobodyMeansNo) {
  OneJobSlot<bool, AnyOf> overused;
  EXPECT_FALSE(any_of(overused.slot, kJob));
  overused.add(0, false);
  EXPECT_FALSE(any_of(overused.slot, kJob));
  overused.add(1, true);
  EXPECT_TRUE(any_of(overused.slot, kJob));
}

TEST(VoteByTier, NobodyOrOnlyAbstentionsMeanYes) {
  OneJobSlot<Vote, VoteByTier> votes;
  EXPECT_TRUE(vote_by_tier(votes.slot, kJob));
  votes.add(0, Vote::Abstain);
  votes.add(1, Vote::Abstain);
  EXPECT_TRUE(vote_by_tier(votes.slot, kJob));
}

TEST(VoteByTier, ARejectInTheSameTierBeatsAPermit) {
  OneJobSlot<Vote, VoteByTier> votes;
  votes.add(0, Vote::Permit);
  votes.add(0, Vote::Reject);
  EXPECT_FALSE(vote_by_tier(votes.slot, kJob));
}

TEST(VoteByTier, APermitEndsTheVoteWithItsTier) {
  OneJobSlot<Vote, VoteByTier> votes;
  votes.add(0, Vote::Permit);
  votes.add(0, Vote::Abstain);
  votes.add(1, Vote::Reject);
  EXPECT_TRUE(vote_by_tier(votes.slot, kJob));
  EXPECT_EQ(votes.asked(), (std::vector<int>{1, 1, 0}));
}

TEST(VoteByTier, AnAbstainingTierLeavesItToTheNext) {
  OneJobSlot<Vote, VoteByTier> votes;
  votes.add(0, Vote::Abstain);
  votes.add(1, Vote::Reject);
  EXPECT_FALSE(vote_by_tier(votes.slot, kJob));
}

TEST(FirstTierAll, OnlyTheFirstTierIsAsked) {
  OneJobSlot<bool, FirstTierAll> starving;
  EXPECT_FALSE(first_tier_all(starving.slot, kJob));  // nobody: no
  starving.add(2, true);
  EXPECT_TRUE(first_tier_all(starving.slot, kJob));
  starving.add(2, false);
  EXPECT_FALSE(first_tier_all(starving.slot, kJob));

  OneJobSlot<bool, FirstTierAll> two_tiers;
  two_tiers.add(0, true);
  two_tiers.add(1, false);
  EXPECT_TRUE(first_tier_all(two_tiers.slot, kJob));
  EXPECT_EQ(two_tiers.asked(), (std::vector<int>{1, 0}));
}

// ---- victims ----------------------------------------------------------------------------------------------------

struct Protector {
  Vote vote = Vote::Permit;
  std::vector<uint32_t> gives;  // those of the candidates it would give
  std::vector<uint32_t> was_asked_about;

  Vote victims(TaskId /*preemptor*/, std::span<const TaskId> candidates, std::vector<TaskId>& out) {
    was_asked_about.clear();
    for (const TaskId candidate : candidates) {
      was_asked_about.push_back(candidate.value);
      if (std::find(gives.begin(), gives.end(), candidate.value) != gives.end()) out.push_back(candidate);
    }
    return vote;
  }
};

class Victims : public testing::Test {
 protected:
  Protector& add(uint16_t tier, std::vector<uint32_t> gives, Vote vote = Vote::Permit) {
    plugins.push_back({.vote = vote, .gives = std::move(gives), .was_asked_about = {}});
    slot.entries.push_back({.hook = Hook<VictimHook>::to<&Protector::victims>(plugins.back()), .tier = tier});
    return plugins.back();
  }
  std::vector<uint32_t> ask(VictimRule rule) {
    std::vector<TaskId> candidates;
    for (uint32_t i = 1; i <= 4; ++i) candidates.emplace_back(i);
    std::vector<uint32_t> chosen;
    for (const TaskId task : intersect_by_tier(slot, rule, TaskId(uint32_t{9}), candidates))
      chosen.push_back(task.value);
    return chosen;
  }
  using Ids = std::vector<uint32_t>;
  std::list<Protector> plugins;
  Slot<VictimHook, IntersectByTier> slot;
};

TEST_F(Victims, NobodyGivesNone) {
  EXPECT_EQ(ask(VictimRule::EveryTier), Ids{});
  EXPECT_EQ(ask(VictimRule::FirstTier), Ids{});
  add(0, {1, 2}, Vote::Abstain);  // an abstention is no opinion
  EXPECT_EQ(ask(VictimRule::EveryTier), Ids{});
  EXPECT_EQ(ask(VictimRule::FirstTier), Ids{});
}

TEST_F(Victims, OneTierIntersects) {
  add(0, {1, 2, 3});
  add(0, {}, Vote::Abstain);
  add(0, {2, 3, 4});
  EXPECT_EQ(ask(VictimRule::EveryTier), (Ids{2, 3}));
  EXPECT_EQ(ask(VictimRule::FirstTier), (Ids{2, 3}));
}

TEST_F(Victims, LowerTiersProtectOnlyUnderEveryTier) {
  add(0, {1, 2, 3});
  const Protector& lower = add(1, {3});
  EXPECT_EQ(ask(VictimRule::FirstTier), (Ids{1, 2, 3}));
  EXPECT_TRUE(lower.was_asked_about.empty());
  EXPECT_EQ(ask(VictimRule::EveryTier), (Ids{3}));
}

TEST_F(Victims, UnderEveryTierOneRefusalIsAVeto) {
  add(0, {1, 2});
  add(1, {});
  add(2, {1, 2});
  EXPECT_EQ(ask(VictimRule::EveryTier), Ids{});
}

TEST_F(Victims, UnderFirstTierAnEmptyOfferEndsItsTier) {
  add(0, {1, 2});
  add(0, {});
  add(0, {1, 2});
  EXPECT_EQ(ask(VictimRule::FirstTier), Ids{});
  add(1, {4});
  EXPECT_EQ(ask(VictimRule::FirstTier), (Ids{4}));  // the tier decided nothing: the next one does
}

TEST_F(Victims, UnderFirstTierAnEmptyIntersectionStartsAfresh) {
  add(0, {1, 2});
  add(0, {3, 4});  // the intersection is empty, which counts as no answer yet
  add(0, {2, 4});
  EXPECT_EQ(ask(VictimRule::FirstTier), (Ids{2, 4}));
  EXPECT_EQ(ask(VictimRule::EveryTier), Ids{});
}

}  // namespace
}  // namespace basalt::engine
