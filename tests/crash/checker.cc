#include "tests/crash/checker.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace basalt::crash {

namespace {

uint32_t key_number(const store::Record& record) { return static_cast<uint32_t>(std::stoul(record.key().substr(3))); }

// Key → number of the write that made it.
std::map<uint32_t, uint64_t> state_at(const store::Store& store, store::Revision at) {
  std::map<uint32_t, uint64_t> state;
  for (const char* resource : {"pods", "nodes"}) {
    const auto page = store.list({.resource = resource, .at = at});
    EXPECT_TRUE(page) << page.error().message;
    if (!page) continue;
    for (const store::RecordPtr& record : page->records) {
      state[key_number(*record)] = number_in(key_number(*record), record->bytes());
    }
  }
  return state;
}

}  // namespace

void Checker::hear(const WriterMessage& message) {
  KeyHistory& life = histories_[message.key];
  switch (message.kind) {
    case WriterMessage::Kind::Opened:
      EXPECT_GE(message.revision, highest_seen_) << "revisions go on rising";
      break;
    case WriterMessage::Kind::Issued:
      if (life.issued.empty() && life.start.number == 0) life.start.removes = true;
      life.issued.push_back({.number = message.number, .removes = message.removes != 0});
      break;
    case WriterMessage::Kind::Acknowledged:
      ++acknowledged_;
      ASSERT_LT(life.acknowledged, life.issued.size());
      EXPECT_EQ(life.issued[life.acknowledged].number, message.number) << "acknowledged in order";
      ++life.acknowledged;
      EXPECT_GT(message.revision, highest_seen_) << "acknowledged by rising revision";
      highest_seen_ = message.revision;
      break;
    case WriterMessage::Kind::Refused:
      ADD_FAILURE() << "refused: " << key_text(message.key);
      break;
  }
}

void Checker::check(const store::Store& store) {
  EXPECT_GE(store.revision(), highest_seen_);
  for (uint32_t key = 0; key < kWriters * kKeysOfWriter; ++key) check_key(store, key, histories_[key]);
  check_events(store);
  highest_seen_ = std::max(highest_seen_, store.revision());
}

void Checker::check_key(const store::Store& store, uint32_t key, KeyHistory& life) {
  const store::RecordPtr record = store.get(resource_of(key), key_text(key));
  const uint64_t found = record == nullptr ? 0 : number_in(key, record->bytes());
  if (record != nullptr) {
    EXPECT_NE(found, 0U) << "half an object: " << record->bytes();
  }
  const auto fits = [&](const Op& op) {
    return op.removes ? record == nullptr : record != nullptr && op.number == found;
  };
  bool fitting = false;
  if (life.start.number == 0) life.start.removes = true;
  if (life.acknowledged == 0) fitting = fits(life.start);
  const size_t first = life.acknowledged == 0 ? 0 : life.acknowledged - 1;
  for (size_t i = first; i < life.issued.size() && !fitting; ++i) fitting = fits(life.issued[i]);
  EXPECT_TRUE(fitting) << key_text(key) << " holds " << found << " after " << life.acknowledged << " of "
                       << life.issued.size() << " issued were acknowledged, the last "
                       << (life.acknowledged == 0 ? life.start.number : life.issued[life.acknowledged - 1].number);
  life = KeyHistory{.start = {.number = found, .removes = record == nullptr}};
}

void Checker::check_events(const store::Store& store) {
  const store::Revision start = store.compacted();
  std::map<uint32_t, uint64_t> state;
  if (start > 0) state = state_at(store, start);  // before the first revision there was nothing
  std::vector<store::StoreEvent> all;
  for (const char* resource : {"pods", "nodes"}) {
    const auto events = store.events(resource, start, 1'000'000);
    ASSERT_TRUE(events) << events.error().message;
    EXPECT_EQ(events->complete_to, store.revision());
    all.insert(all.end(), events->events.begin(), events->events.end());
  }
  std::ranges::sort(all, {}, [](const store::StoreEvent& event) { return event.now->revision(); });
  store::Revision last = start;
  for (const store::StoreEvent& event : all) {
    EXPECT_EQ(event.now->revision(), ++last) << "a gap in the revisions";
    last = event.now->revision();
    const uint32_t key = key_number(*event.now);
    const uint64_t number = number_in(key, event.now->bytes());
    EXPECT_NE(number, 0U) << "half an object in history";
    EXPECT_EQ(event.before == nullptr ? 0 : number_in(key, event.before->bytes()), state[key]);
    if (event.now->deleted()) {
      state.erase(key);
    } else {
      state[key] = number;
    }
  }
  EXPECT_EQ(last, store.revision());
  std::erase_if(state, [](const auto& entry) { return entry.second == 0; });
  EXPECT_EQ(state, state_at(store, 0));
}

}  // namespace basalt::crash
