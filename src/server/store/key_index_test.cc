#include "server/store/key_index.h"

#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"

namespace basalt::store {
namespace {

RecordPtr record(std::string key, Revision revision, bool deleted = false) {
  return std::make_shared<const Record>(std::move(key), revision, deleted, "{}", 0);
}

// The reference: what KeyIndex must look like.
struct Twin {
  struct Entry {
    RecordPtr committed;
    std::vector<RecordPtr> pending;
  };
  std::map<std::string, Entry> entries;

  void drop_if_gone(const std::string& key) {
    if (entries[key].committed == nullptr && entries[key].pending.empty()) entries.erase(key);
  }
};

void expect_same(const KeyIndex& index, const Twin& twin) {
  KeyIndex::Position position = index.lower_bound("");
  size_t committed = 0;
  for (const auto& [key, entry] : twin.entries) {
    ASSERT_NE(position, index.end());
    const KeyIndex::Slot& slot = index.at(position);
    ASSERT_EQ(slot.key(), key);
    ASSERT_EQ(slot.committed, entry.committed);
    ASSERT_EQ(slot.latest, entry.pending.empty() ? entry.committed : entry.pending.back());
    ASSERT_EQ(slot.pending, entry.pending.size());
    ASSERT_EQ(index.find(key), &slot);
    ASSERT_EQ(index.committed_between(position, index.end()) + committed, index.committed_count());
    committed += entry.committed != nullptr ? 1 : 0;
    position = index.next(position);
  }
  ASSERT_EQ(position, index.end());
  ASSERT_EQ(index.committed_count(), committed);
}

// One random step for both.
void step(Rng& rng, uint64_t keys, Revision revision, KeyIndex& index, Twin& twin) {
  const std::string key = "k" + std::to_string(rng.below(keys));
  const auto found = twin.entries.find(key);
  const bool waiting = found != twin.entries.end() && !found->second.pending.empty();
  switch (rng.below(4)) {
    case 0:
    case 1: {
      const RecordPtr made = record(key, revision, rng.chance(0.3));
      index.order(made);
      twin.entries[key].pending.push_back(made);
      break;
    }
    case 2:
      if (waiting) {
        const RecordPtr oldest = found->second.pending.front();
        index.commit(oldest);
        found->second.pending.erase(found->second.pending.begin());
        found->second.committed = oldest->deleted() ? nullptr : oldest;
        twin.drop_if_gone(key);
      }
      break;
    default:
      if (rng.chance(0.9)) break;  // rare, as in life
      index.roll_back(key);
      if (!waiting) break;
      found->second.pending.clear();
      twin.drop_if_gone(key);
  }
}

TEST(KeyIndex, BehavesLikeAMap) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    Rng rng(seed);
    KeyIndex index;
    Twin twin;
    const uint64_t keys = seed % 2 == 0 ? 3000 : 40;
    for (Revision revision = 1; revision <= 12000; ++revision) {
      step(rng, keys, revision, index, twin);
      if (revision % 1000 == 0) expect_same(index, twin);
      if (HasFatalFailure()) FAIL() << "seed " << seed << " step " << revision;
    }
  }
}

TEST(KeyIndex, FindsBoundsAcrossChunks) {
  KeyIndex index;
  for (int i = 0; i < 2000; i += 2) index.load(record("k" + std::to_string(10000 + i), 1));
  EXPECT_EQ(index.at(index.lower_bound("k10501")).key(), "k10502");
  EXPECT_EQ(index.at(index.upper_bound("k10502")).key(), "k10504");
  EXPECT_EQ(index.upper_bound("k11998"), index.end());
  EXPECT_EQ(index.committed_between(index.lower_bound("k10500"), index.lower_bound("k11500")), 500U);
  EXPECT_EQ(index.committed_between(index.lower_bound("k11500"), index.lower_bound("k10500")), 0U);
  for (int i = 0; i < 2000; i += 2) index.load(record("k" + std::to_string(10000 + i), 2, true));
  EXPECT_EQ(index.lower_bound(""), index.end());
  EXPECT_EQ(index.committed_count(), 0U);
}

}  // namespace
}  // namespace basalt::store
