#include "server/store/object_table.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/rng.h"
#include "server/store/store_fixture.h"

namespace basalt::store {
namespace {

// Orders and commits; answers the revision.
Revision apply(ObjectTable& table, StoreWrite write) {
  const auto ordered = table.order(std::move(write));
  if (!ordered) {
    ADD_FAILURE() << ordered.error().message;
    return 0;
  }
  table.commit(*ordered);
  return ordered->record->revision();
}

using State = std::map<std::string, std::string>;

// One random write; `state` follows.
void random_write(Rng& rng, ObjectTable& table, State& state) {
  const std::string key = (rng.chance(0.5) ? "a/" : "b/") + std::to_string(rng.below(60));
  const RecordPtr latest = table.latest("pods", key);
  if (latest != nullptr && rng.chance(0.4)) {
    apply(table, removal("pods", key, latest->revision()));
    state.erase(key);
    return;
  }
  apply(table, put("pods", key, latest == nullptr ? 0 : latest->revision(), std::to_string(rng.below(1000))));
  state[key] = text_of(*table.get("pods", key));
  if (rng.chance(0.2)) apply(table, put("nodes", std::to_string(table.highest()), 0, "noise"));
}

// Every page of a list, put together, is the state of that revision.
void expect_pages(const ObjectTable& table, Revision at, std::string_view prefix, size_t limit, const State& state) {
  State wanted;
  for (const auto& [key, text] : state) {
    if (key.starts_with(prefix)) wanted[key] = text;
  }
  size_t left = wanted.size();
  std::string after;
  State seen;
  for (bool more = true; more;) {
    const auto page = table.list({.resource = "pods", .prefix = prefix, .after = after, .at = at, .limit = limit});
    ASSERT_TRUE(page) << page.error().message;
    ASSERT_EQ(page->revision, at);
    if (limit != 0) {
      ASSERT_LE(page->records.size(), limit);
    }
    for (const RecordPtr& record : page->records) {
      ASSERT_GT(record->key(), after);
      after = record->key();
      seen[after] = text_of(*record);
    }
    left -= page->records.size();
    ASSERT_EQ(page->remaining, left);
    more = page->more;
    ASSERT_EQ(more, left > 0);
  }
  ASSERT_EQ(seen, wanted);
}

TEST(ObjectTable, ListsAnyKeptRevisionInPages) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    Rng rng(seed);
    ObjectTable table({.history_events = 300});
    State state;
    std::map<Revision, State> past;
    for (int i = 0; i < 800; ++i) {
      random_write(rng, table, state);
      past[table.committed()] = state;
    }
    for (const auto& [revision, then] : past) {
      const auto page = table.list({.resource = "pods", .at = revision, .limit = 1});
      if (!page) {
        EXPECT_EQ(page.error().why, StoreErrorCode::Expired);
        EXPECT_LT(revision, table.history().compacted());
        continue;
      }
      expect_pages(table, revision, "", 7, then);
      expect_pages(table, revision, "a/", 1 + rng.below(9), then);
      expect_pages(table, revision, "", 0, then);
      if (HasFatalFailure()) FAIL() << "seed " << seed << " revision " << revision;
    }
  }
}

TEST(ObjectTable, PrefixesEndWhereTheyShould) {
  ObjectTable table({});
  for (const char* key : {"a", "a/", "a/x", "a0", "a\xff", "a\xff\xff z", "b/x"})
    apply(table, put("pods", key, 0, "v"));
  const auto keys = [&table](std::string_view prefix, std::string_view after = "") {
    std::vector<std::string> found;
    const auto page = table.list({.resource = "pods", .prefix = prefix, .after = after});
    for (const RecordPtr& record : page->records) found.push_back(record->key());
    return found;
  };
  EXPECT_EQ(keys("a/"), (std::vector<std::string>{"a/", "a/x"}));
  EXPECT_EQ(keys("a\xff"), (std::vector<std::string>{"a\xff", "a\xff\xff z"}));
  EXPECT_EQ(keys("\xff"), std::vector<std::string>{});
  EXPECT_EQ(keys("a/", "a"), (std::vector<std::string>{"a/", "a/x"}));
  EXPECT_EQ(keys("a/", "a/"), (std::vector<std::string>{"a/x"}));
  EXPECT_EQ(keys("a/", "b"), std::vector<std::string>{});
}

TEST(ObjectTable, OrderedWritesShowOnlyAsLatest) {
  ObjectTable table({});
  const auto create = table.order(put("pods", "a", 0, "1"));
  EXPECT_EQ(table.get("pods", "a"), nullptr);
  EXPECT_EQ(table.latest("pods", "a"), create->record);
  const auto gone = table.order(removal("pods", "a", create->record->revision()));
  EXPECT_EQ(table.latest("pods", "a"), nullptr);
  EXPECT_EQ(refusal(table.order(put("pods", "a", create->record->revision(), "2"))), StoreErrorCode::Conflict);
  const auto again = table.order(put("pods", "a", 0, "3"));
  EXPECT_EQ(table.list({.resource = "pods"})->records.size(), 0U);
  EXPECT_EQ(table.list({.resource = "pods", .latest = true})->records, std::vector{again->record});
  table.commit(*create);
  EXPECT_EQ(table.get("pods", "a"), create->record);
  table.commit(*gone);
  EXPECT_EQ(table.get("pods", "a"), nullptr);
  EXPECT_EQ(table.count("pods"), 0U);
  table.roll_back(*again);
  EXPECT_EQ(table.latest("pods", "a"), nullptr);
  EXPECT_EQ(table.objects(), 0U);
  EXPECT_EQ(table.object_bytes(), 0U);
}

TEST(ObjectTable, ChangesTellWhatIsCommittedAndThenWhatIsOrdered) {
  ObjectTable table({.history_events = 3});
  const auto told = [&](Revision after, size_t limit = 100) {
    std::vector<Revision> revisions;
    const auto changes = table.changes("pods", after, limit);
    if (!changes) return revisions;
    for (const RecordPtr& record : changes->records) revisions.push_back(record->revision());
    return revisions;
  };
  apply(table, put("pods", "a", 0, "1"));
  apply(table, put("nodes", "n", 0, "1"));
  const auto second = table.order(put("pods", "b", 0, "1"));
  const auto third = table.order(removal("pods", "a", 1));
  EXPECT_EQ(told(0), (std::vector<Revision>{1, 3, 4}));
  EXPECT_EQ(told(0, 1), (std::vector<Revision>{1}));
  EXPECT_EQ(told(1, 1), (std::vector<Revision>{3}));
  EXPECT_EQ(told(3), (std::vector<Revision>{4})) << "beyond what is committed";
  table.commit(*second);
  EXPECT_EQ(told(1), (std::vector<Revision>{3, 4}));
  EXPECT_EQ(table.changes("pods", 1, 1)->given_up, 0U);
  table.roll_back(*third);
  EXPECT_EQ(told(1), (std::vector<Revision>{3}));
  EXPECT_EQ(table.changes("pods", 1, 1)->given_up, 1U);
  for (const std::string key : {"c", "d", "e"}) apply(table, put("pods", key, 0, "1"));
  EXPECT_EQ(refusal(table.changes("pods", 1, 1)), StoreErrorCode::Expired);
  EXPECT_TRUE(table.changes("jobs", 1, 1)->records.empty());
}

TEST(ObjectTable, HistoryStaysWithinItsBounds) {
  ObjectTable by_count({.history_events = 10});
  Revision revision = 0;
  for (int i = 0; i < 100; ++i) revision = apply(by_count, put("pods", "a", revision, "v"));
  EXPECT_EQ(by_count.history().event_count(), 10U);
  EXPECT_EQ(by_count.history().compacted(), 90U);
  EXPECT_EQ(by_count.history().garbage().size(), 89U);  // of the 90 forgotten events one had created
  EXPECT_TRUE(by_count.events("pods", 90, 100));
  EXPECT_EQ(refusal(by_count.events("pods", 89, 100)), StoreErrorCode::Expired);

  ObjectTable by_bytes({.history_bytes = 100'000});
  revision = 0;
  for (int i = 0; i < 100; ++i) revision = apply(by_bytes, put("pods", "a", revision, std::string(10'000, 'x')));
  EXPECT_LT(by_bytes.history().event_count(), 10U);
  EXPECT_GT(by_bytes.history().event_count(), 5U);
  for (int i = 0; i < 100; ++i) apply(by_bytes, put("pods", std::to_string(i), 0, std::string(10'000, 'x')));
  EXPECT_GT(by_bytes.history().event_count(), 100U) << "live objects are not history's";
}

TEST(ObjectTable, BusyResourcesDoNotExpireOthers) {
  ObjectTable table({.history_events = 10});
  apply(table, put("nodes", "n", 0, "v"));
  for (int i = 0; i < 8; ++i) apply(table, put("pods", std::to_string(i), 0, "v"));
  EXPECT_EQ(table.events("nodes", 0, 10)->events.size(), 1U);
  for (int i = 8; i < 100; ++i) apply(table, put("pods", std::to_string(i), 0, "v"));
  EXPECT_EQ(refusal(table.events("nodes", 0, 10)), StoreErrorCode::Expired);
  EXPECT_EQ(table.events("nodes", 1, 10)->complete_to, table.committed());
  EXPECT_EQ(table.list({.resource = "nodes", .at = 1})->records.size(), 1U);
  EXPECT_EQ(refusal(table.events("pods", 1, 10)), StoreErrorCode::Expired);
  EXPECT_TRUE(table.events("never-written", 0, 10));
  table.compact(50);
  EXPECT_EQ(table.history().compacted(), 91U) << "compaction never goes back";
  table.compact(~Revision{0});
  EXPECT_EQ(refusal(table.events("never-written", table.committed() - 1, 10)), StoreErrorCode::Expired);
  EXPECT_EQ(refusal(table.events("nodes", table.committed() + 1, 10)), StoreErrorCode::Future);
}

}  // namespace
}  // namespace basalt::store
