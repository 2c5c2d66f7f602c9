#include "programs/lease/lease_rules.h"

#include <gmock/gmock.h>

#include "kube/text/json.h"
#include "programs/lease/election_simulator.h"

namespace basalt::lease {
namespace {

using Kind = LeaseStep::Kind;
using ::testing::HasSubstr;

constexpr Instant kWall = Instant::from_unix_seconds(1'700'000'000);

Instant at(int64_t seconds) { return Instant::from_unix_seconds(1'000 + seconds); }

client::ObjectPtr lease(const std::string& json) {
  return std::make_shared<const text::Value>(text::parse_json(json).value());
}
client::ObjectPtr held(const std::string& holder, int seconds,
                       const std::string& renewed = "2020-01-01T00:00:00.000000Z") {
  return lease(R"({"metadata":{"name":"volcano","resourceVersion":"7","labels":{"a":"b"}},"spec":{"holderIdentity":")" +
               holder + R"(","leaseDurationSeconds":)" + std::to_string(seconds) +
               R"(,"acquireTime":"2019-01-01T00:00:00.000000Z","renewTime":")" + renewed +
               R"(","leaseTransitions":4}})");
}

Candidate me() { return {"volcano-system", "volcano", "me", {}}; }

std::string spec(const LeaseStep& step) { return text::to_json(step.body.at("spec")); }

// Someone who leads since second 0.
Candidate leader() {
  Candidate candidate = me();
  EXPECT_EQ(candidate.next(at(0), kWall).kind, Kind::Read);
  candidate.has_read(nullptr, at(0));
  const LeaseStep step = candidate.next(at(0), kWall);
  EXPECT_EQ(step.kind, Kind::Create);
  candidate.has_written(std::make_shared<const text::Value>(step.body), at(0), at(1));
  return candidate;
}

TEST(LeaseRules, MakesAnAbsentLease) {
  Candidate candidate = me();
  EXPECT_EQ(candidate.next(at(0), kWall).kind, Kind::Read);
  candidate.has_read(nullptr, at(0));
  const LeaseStep step = candidate.next(at(0), kWall);
  ASSERT_EQ(step.kind, Kind::Create);
  EXPECT_EQ(text::to_json(step.body),
            R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",)"
            R"("metadata":{"namespace":"volcano-system","name":"volcano"},)"
            R"("spec":{"holderIdentity":"me","leaseDurationSeconds":15,"acquireTime":"2023-11-14T22:13:20.000000Z",)"
            R"("renewTime":"2023-11-14T22:13:20.000000Z","leaseTransitions":0}})");
  EXPECT_EQ(candidate.leads_until(), kNever);
  candidate.has_written(std::make_shared<const text::Value>(step.body), at(3), at(5));
  EXPECT_EQ(candidate.leads_until(), at(13)) << "counted from when it was sent";
  EXPECT_EQ(candidate.holder(), "me");
}

TEST(LeaseRules, RenewsWithoutReading) {
  Candidate candidate = leader();
  const LeaseStep wait = candidate.next(at(1), kWall);
  ASSERT_EQ(wait.kind, Kind::Wait);
  EXPECT_EQ(wait.until, at(2));
  const LeaseStep step = candidate.next(at(2), kWall + Duration::seconds(2));
  ASSERT_EQ(step.kind, Kind::Update);
  EXPECT_EQ(spec(step),
            R"({"holderIdentity":"me","leaseDurationSeconds":15,"acquireTime":"2023-11-14T22:13:20.000000Z",)"
            R"("renewTime":"2023-11-14T22:13:22.000000Z","leaseTransitions":0})");
  candidate.has_written(std::make_shared<const text::Value>(step.body), at(2), at(3));
  EXPECT_EQ(candidate.leads_until(), at(12));
}

TEST(LeaseRules, AClockThatStandsStillStillRenews) {
  Candidate candidate = leader();
  const LeaseStep step = candidate.next(at(2), kWall);
  EXPECT_THAT(spec(step), HasSubstr(R"("renewTime":"2023-11-14T22:13:20.000001Z")"));
}

TEST(LeaseRules, WaitsForTheHoldersOwnLengthFromWhenItWasSeen) {
  Candidate candidate = me();
  candidate.has_read(held("other", 7), at(0));  // years old by its own time: that does not count
  const LeaseStep wait = candidate.next(at(0), kWall);
  ASSERT_EQ(wait.kind, Kind::Wait);
  EXPECT_EQ(wait.until, at(2));
  EXPECT_EQ(candidate.next(at(2), kWall).kind, Kind::Read);
  candidate.has_read(held("other", 7), at(6));
  EXPECT_EQ(candidate.next(at(6), kWall).until, at(7)) << "not longer than it lasts";
  candidate.has_read(held("other", 7), at(7));
  const LeaseStep step = candidate.next(at(7), kWall);
  ASSERT_EQ(step.kind, Kind::Update);
  EXPECT_EQ(spec(step),
            R"({"holderIdentity":"me","leaseDurationSeconds":15,"acquireTime":"2023-11-14T22:13:20.000000Z",)"
            R"("renewTime":"2023-11-14T22:13:20.000000Z","leaseTransitions":5})");
  EXPECT_EQ(text::to_json(step.body.at("metadata")), R"({"name":"volcano","resourceVersion":"7","labels":{"a":"b"}})");
}

TEST(LeaseRules, ARenewalSeenBeginsTheWaitAnew) {
  Candidate candidate = me();
  candidate.has_read(held("other", 3), at(0));
  EXPECT_NE(candidate.next(at(0), kWall).kind, Kind::Lost);
  candidate.has_read(held("other", 3, "2018-01-01T00:00:00.000000Z"), at(2));  // set back, but changed
  EXPECT_EQ(candidate.next(at(4), kWall).kind, Kind::Wait);
  candidate.has_read(held("other", 3, "2018-01-01T00:00:00.000000Z"), at(5));
  EXPECT_EQ(candidate.next(at(5), kWall).kind, Kind::Update);
}

TEST(LeaseRules, AReleasedLeaseIsTakenAtOnce) {
  Candidate candidate = me();
  candidate.has_read(held("", 1), at(0));
  EXPECT_EQ(candidate.next(at(0), kWall).kind, Kind::Update);
}

TEST(LeaseRules, WithoutAnAnswerItReadsAndCountsNothing) {
  Candidate candidate = me();
  candidate.has_read(held("", 1), at(0));
  EXPECT_EQ(candidate.next(at(0), kWall).kind, Kind::Update);
  candidate.failed(at(5));
  EXPECT_EQ(candidate.leads_until(), kNever);
  EXPECT_EQ(candidate.next(at(5), kWall).until, at(7));
  EXPECT_EQ(candidate.next(at(7), kWall).kind, Kind::Read);
  candidate.has_read(held("me", 15), at(7));
  EXPECT_EQ(candidate.leads_until(), kNever) << "only a write with an answer counts";
  const LeaseStep step = candidate.next(at(7), kWall);
  ASSERT_EQ(step.kind, Kind::Update);
  EXPECT_THAT(spec(step), HasSubstr(R"("acquireTime":"2019-01-01T00:00:00.000000Z")")) << "it was taken then";
  EXPECT_THAT(spec(step), HasSubstr(R"("leaseTransitions":4)"));
}

TEST(LeaseRules, AFailedRenewalReadsAtOnceThenWaits) {
  Candidate candidate = leader();
  EXPECT_EQ(candidate.next(at(2), kWall).kind, Kind::Update);
  candidate.failed(at(2));
  EXPECT_EQ(candidate.next(at(2), kWall).kind, Kind::Read);
  candidate.failed(at(2));
  EXPECT_EQ(candidate.next(at(2), kWall).until, at(4));
  EXPECT_EQ(candidate.leads_until(), at(10)) << "it leads on until its time is up";
  EXPECT_EQ(candidate.next(at(4), kWall).kind, Kind::Read);
  candidate.failed(at(9));
  EXPECT_EQ(candidate.next(at(9), kWall).until, at(10));
  EXPECT_EQ(candidate.next(at(10), kWall).kind, Kind::Lost);
  EXPECT_EQ(candidate.leads_until(), kNever);
  EXPECT_EQ(candidate.next(at(11), kWall).kind, Kind::Lost);
  EXPECT_THAT(candidate.why_lost(), HasSubstr("10s"));
}

TEST(LeaseRules, AnotherNameInTheLeaseIsTheEnd) {
  for (const auto& [seen, why] : {std::pair{held("other", 15), "other"}, std::pair{held("", 1), "no holder"}}) {
    Candidate candidate = leader();
    EXPECT_NE(candidate.next(at(2), kWall).kind, Kind::Lost);
    candidate.failed(at(2));
    candidate.has_read(seen, at(2));
    EXPECT_EQ(candidate.next(at(2), kWall).kind, Kind::Lost);
    EXPECT_EQ(candidate.leads_until(), kNever);
    EXPECT_THAT(candidate.why_lost(), HasSubstr(why));
  }
}

TEST(LeaseRules, ALeaderMakesADeletedLeaseAnew) {
  Candidate candidate = leader();
  EXPECT_NE(candidate.next(at(2), kWall).kind, Kind::Lost);
  candidate.failed(at(2));
  candidate.has_read(nullptr, at(2));
  EXPECT_EQ(candidate.next(at(2), kWall).kind, Kind::Create);
}

TEST(LeaseRules, LeavesCoordinatedLeasesAlone) {
  const auto coordinated = lease(R"({"metadata":{},"spec":{"holderIdentity":"","strategy":"OldestEmulationVersion"}})");
  Candidate candidate = me();
  candidate.has_read(coordinated, at(0));
  EXPECT_EQ(candidate.next(at(0), kWall).kind, Kind::Wait);
  EXPECT_TRUE(candidate.is_coordinated());
  EXPECT_FALSE(candidate.released(*lease(R"({"spec":{"holderIdentity":"me","strategy":"x"}})"), kWall));
}

TEST(LeaseRules, ReleasesOnlyItsOwn) {
  const Candidate candidate = me();
  EXPECT_FALSE(candidate.released(*held("other", 15), kWall));
  EXPECT_FALSE(candidate.released(*held("", 15), kWall));
  const auto body = candidate.released(*held("me", 15), kWall);
  ASSERT_TRUE(body);
  EXPECT_EQ(text::to_json(body->at("spec")),
            R"({"holderIdentity":"","leaseDurationSeconds":1,"acquireTime":"2023-11-14T22:13:20.000000Z",)"
            R"("renewTime":"2023-11-14T22:13:20.000000Z","leaseTransitions":4})");
}

TEST(LeaseRules, StrangeLeasesAreFreeAndHarmless) {
  for (const char* json : {"5", "[]", "{}", R"({"spec":[]})", R"({"spec":{"holderIdentity":5,"leaseTransitions":"x"}})",
                           R"({"spec":{"holderIdentity":"x","leaseDurationSeconds":-9223372036854775808}})"}) {
    Candidate candidate = me();
    candidate.has_read(lease(json), at(0));
    const LeaseStep step = candidate.next(at(0), kWall);
    EXPECT_TRUE(step.kind == Kind::Update || step.kind == Kind::Create) << json;
    EXPECT_FALSE(candidate.released(*lease(json), kWall));
  }
  Candidate candidate = me();
  candidate.has_read(
      lease(R"({"spec":{"leaseDurationSeconds":9223372036854775807,"leaseTransitions":9223372036854775807}})"), at(0));
  EXPECT_THAT(spec(candidate.next(at(0), kWall)), HasSubstr(R"("leaseTransitions":2147483647)"));
}

TEST(LeaseTimes, AreCheckedAsClientGoDoes) {
  const auto wrong = [](Duration lease, Duration renew, Duration retry) {
    const auto checked = check_lease_times({.lease = lease, .renew = renew, .retry = retry});
    return checked ? "" : checked.error().message;
  };
  const auto s = Duration::seconds;
  const auto ms = Duration::millis;
  EXPECT_EQ(wrong(s(15), s(10), s(2)), "");
  EXPECT_EQ(wrong(s(1), ms(700), ms(100)), "");
  EXPECT_THAT(wrong(s(10), s(10), s(2)), HasSubstr("--leader-elect-lease-duration 10s"));
  EXPECT_THAT(wrong(s(15), ms(2400), s(2)), HasSubstr("--leader-elect-renew-deadline 2.4s"));
  EXPECT_EQ(wrong(s(15), ms(2401), s(2)), "");
  EXPECT_THAT(wrong(s(15), s(10), s(0)), HasSubstr("--leader-elect-retry-period 0s"));
  EXPECT_THAT(wrong(s(15), s(-1), s(2)), HasSubstr("--leader-elect-renew-deadline -1s"));
  EXPECT_THAT(wrong(ms(999), ms(500), ms(10)), HasSubstr("--leader-elect-lease-duration 999ms"));
  EXPECT_THAT(wrong(ms(1900), ms(1100), ms(10)), HasSubstr("whole seconds")) << "a Lease would say 1 s";
  EXPECT_THAT(wrong({INT64_MAX}, s(10), s(2)), HasSubstr("too long"));
  EXPECT_THAT(wrong(s(15), s(10), {INT64_MAX}), HasSubstr("1.2 times"));
}

struct WorldCase {
  const char* name;
  int replicas;
  LeaseFaults faults;
  friend void PrintTo(const WorldCase& world, std::ostream* out) { *out << world.name; }
};

class LeaseWorlds : public ::testing::TestWithParam<WorldCase> {};

// At any time at most one leads; and when the trouble is over, one does.
TEST_P(LeaseWorlds, HaveAtMostOneLeader) {
  int terms = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ElectionSimulator world(seed, GetParam().replicas, GetParam().faults);
    world.run_for(Duration::seconds(1800));
    if (HasFatalFailure()) return;
    world.calm();
    world.run_for(Duration::seconds(120));
    EXPECT_EQ(world.leaders(), 1);
    terms += world.terms();
  }
  RecordProperty("terms", terms);
  EXPECT_GE(terms, 60);
}

INSTANTIATE_TEST_SUITE_P(All, LeaseWorlds,
                         ::testing::Values(WorldCase{"Calm", 3, {}},
                                           WorldCase{"Skewed", 3, {.set_clock = 0.2, .speed_spread = 100}},
                                           WorldCase{"Lossy", 2, {.lost = 0.3, .slow = 0.2}},
                                           WorldCase{"Freezing", 3, {.freeze = 0.05, .speed_spread = 50}},
                                           WorldCase{"Crashing", 3, {.lost = 0.05, .crash = 0.02, .release = 0.02}},
                                           WorldCase{"Everything",
                                                     3,
                                                     {.lost = 0.15,
                                                      .slow = 0.1,
                                                      .freeze = 0.03,
                                                      .crash = 0.01,
                                                      .release = 0.02,
                                                      .set_clock = 0.1,
                                                      .speed_spread = 100}}),
                         [](const auto& world) { return world.param.name; });

// That the simulation can fail at all: clocks that differ by more than the rules allow for.
TEST(LeaseWorldItself, FindsTwoLeadersWhereTheRulesCannotHold) {
  bool found = false;
  for (uint64_t seed = 1; seed <= 40 && !found; ++seed) {
    ElectionSimulator world(seed, 3, {.freeze = 0.05, .speed_spread = 600});
    found = world.two_leaders_within(Duration::seconds(1800));
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace basalt::lease
