#include "engine/plugins/sla.h"

#include <gtest/gtest.h>

#include "engine/plugins/plugin_fixture.h"

namespace basalt::plugins {
namespace {

using engine::Argument;
using engine::Vote;
using model::JobId;

Instant at(int64_t seconds) { return Instant::from_unix_seconds(seconds); }

TEST(Sla, earliest_deadline_first_and_permit_once_it_passed) {
  PluginFixture fixture;
  fixture.now = at(1000);
  fixture.queue({.name = "q"});
  const JobId late = fixture.job({.name = "late", .created = at(900)});  // 900 + 300
  const JobId own = fixture.job({.name = "own", .created = at(990), .waiting_time = Duration::seconds(10)});  // 1000
  const JobId forever = fixture.job({.name = "ages", .created = at(1), .waiting_time = Duration{INT64_MAX}});
  fixture.open<Sla>({{"sla-waiting-time", Argument{std::string("5m")}}});
  EXPECT_TRUE(fixture.session().job_before(own, late));
  EXPECT_TRUE(fixture.session().job_before(late, forever));
  const auto& vote = fixture.session().hooks.job_enqueueable.entries.at(0).hook;
  EXPECT_EQ(vote(own), Vote::Permit);  // age 10 s, limit 10 s
  EXPECT_EQ(vote(late), Vote::Abstain);
  EXPECT_EQ(vote(forever), Vote::Abstain);
  EXPECT_TRUE(fixture.session().hooks.depends_on_time);
}

TEST(Sla, jobs_without_a_limit_come_last_and_nothing_waits_for_time) {
  PluginFixture fixture;
  fixture.now = at(1000);
  fixture.queue({.name = "q"});
  const JobId none = fixture.job({.name = "none", .created = at(1)});
  const JobId due = fixture.job({.name = "due", .created = at(900), .waiting_time = Duration::seconds(1)});
  fixture.open<Sla>();
  EXPECT_TRUE(fixture.session().job_before(due, none));
  EXPECT_FALSE(fixture.session().hooks.depends_on_time);  // the only deadline is over
}

TEST(Sla, refuses_a_limit_it_cannot_keep) {
  const auto make = [](Argument value) {
    return Sla::make(engine::Arguments({{"sla-waiting-time", std::move(value)}}));
  };
  EXPECT_FALSE(make(Argument{int64_t{1}}));
  EXPECT_FALSE(make(Argument{std::string("soon")}));
  EXPECT_FALSE(make(Argument{std::string("-1s")}));
  EXPECT_TRUE(make(Argument{std::string("1h2m3s4ms5us6ns")}));
}

}  // namespace
}  // namespace basalt::plugins
