#include "cluster/object_feed.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "cluster/work_queue.h"
#include "cluster/writes.h"

namespace basalt::cluster {

void Bell::ring() {
  {
    const std::lock_guard lock(mutex_);
    ringing_ = true;
  }
  rung_.notify_one();
}

bool Bell::wait(Duration longest) {
  std::unique_lock lock(mutex_);
  rung_.wait_for(lock, std::chrono::nanoseconds(longest.nanos), [this] { return ringing_; });
  return std::exchange(ringing_, false);
}

void ObjectFeed::Inbox::put(KindId kind, uint64_t epoch, client::WatchEvent event) {
  if (event.type == client::EventType::Bookmark) return;
  {
    const std::lock_guard lock(mutex);
    const auto at = dropped.find(kind);
    if (at != dropped.end() && at->second == epoch) return;
    if (letters.size() >= kMaxInbox) {
      dropped[kind] = epoch;
    } else {
      letters.push_back({.kind = kind, .epoch = epoch, .event = std::move(event)});
    }
  }
  bell.ring();
}

void ObjectFeed::follow(const Kind& kind, Instant now) {
  Line& line = lines_[kind.id];
  line.watch.reset();
  line.epoch = 0;
  line.open_at = now;
}

void ObjectFeed::leave(KindId kind) {
  lines_.erase(kind);
  synced_.erase(kind);
}

void ObjectFeed::reopen_later(Line& line, Instant now) {
  constexpr int kDoublings = 13;
  line.watch.reset();
  line.epoch = 0;
  const int failures = std::min(line.failures++, kDoublings);
  line.open_at = failures == 0 ? now : now + Duration{std::min(kFirstRetry.nanos << failures, kLastRetry.nanos)};
}

bool ObjectFeed::open(const Kind& kind, Line& line, const TakeListed& take) {
  api::Call list{.verb = api::Verb::List, .resource = kind.resource, .limit = kPageSize};
  std::string from;
  for (;;) {
    client::Outcome page = client_.call(list);
    if (!page) return false;
    const bool first = from.empty();
    if (first) from = page->resource_version;
    list.continue_token = page->continue_token;
    take({.kind = kind.id, .objects = std::move(page->items), .first = first, .complete = list.continue_token.empty()});
    if (list.continue_token.empty()) break;
  }
  synced_.insert(kind.id);
  line.epoch = ++epochs_;
  api::Call watch{.verb = api::Verb::Watch, .resource = kind.resource, .resource_version = from};
  line.watch =
      client_.watch(std::move(watch), [inbox = inbox_, id = kind.id, epoch = line.epoch](client::WatchEvent event) {
        inbox->put(id, epoch, std::move(event));
      });
  return true;
}

void ObjectFeed::open_due(const Kinds& kinds, Instant now, const TakeListed& take) {
  constexpr int kPasses = 3;  // definitions bring kinds, which bring nothing more
  for (int pass = 0; pass < kPasses; ++pass) {
    std::vector<KindId> due;  // apart, because taking a list may add kinds
    for (const auto& [kind, line] : lines_) {
      if (line.watch == nullptr && line.open_at <= now) due.push_back(kind);
    }
    if (due.empty()) return;
    for (const KindId kind : due) {
      const auto at = lines_.find(kind);
      if (at == lines_.end() || open(kinds.at(kind), at->second, take)) continue;
      at->second.failures = std::max(at->second.failures, 1);
      reopen_later(at->second, now);
    }
  }
}

std::vector<ObjectFeed::News> ObjectFeed::take(Instant now) {
  std::vector<Inbox::Letter> letters;
  std::map<KindId, uint64_t> dropped;
  {
    const std::lock_guard lock(inbox_->mutex);
    letters.swap(inbox_->letters);
    dropped.swap(inbox_->dropped);
  }
  std::vector<News> news;
  news.reserve(letters.size());
  for (Inbox::Letter& letter : letters) {
    const auto at = lines_.find(letter.kind);
    if (at == lines_.end() || at->second.epoch != letter.epoch) continue;
    if (letter.event.type == client::EventType::Error) {
      reopen_later(at->second, now);
      continue;
    }
    at->second.failures = 0;
    news.push_back({.kind = letter.kind, .event = std::move(letter.event)});
  }
  for (const auto& [kind, epoch] : dropped) {
    const auto at = lines_.find(kind);
    if (at != lines_.end() && at->second.epoch == epoch) reopen_later(at->second, now);
  }
  return news;
}

std::optional<Instant> ObjectFeed::next_due() const {
  std::optional<Instant> next;
  for (const auto& [kind, line] : lines_) {
    if (line.watch == nullptr && (!next || line.open_at < *next)) next = line.open_at;
  }
  return next;
}

void ObjectFeed::close() {
  for (auto& [kind, line] : lines_) line.watch.reset();
}

}  // namespace basalt::cluster
