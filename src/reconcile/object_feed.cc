#include "reconcile/object_feed.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "reconcile/work_queue.h"

namespace basalt::reconcile {

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

void ObjectFeed::follow(KindId kind, api::ResourceName resource, Instant now, std::string labels, std::string fields) {
  Line& line = lines_[kind];
  line.resource = std::move(resource);
  line.labels = std::move(labels);
  line.fields = std::move(fields);
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

bool ObjectFeed::open(KindId kind, Line& line, const TakeListed& take) {
  api::Call list{.verb = api::Verb::List,
                 .resource = line.resource,
                 .label_selector = line.labels,
                 .field_selector = line.fields,
                 .limit = kPageSize};
  std::string from;
  for (;;) {
    client::Outcome page = client_.call(list);
    if (!page) {
      if (page.error().code != 404 || !from.empty()) return false;
      // Nobody serves this kind here: there are no such objects. Look again later.
      take({.kind = kind, .objects = {}, .first = true, .complete = true});
      synced_.insert(kind);
      return false;
    }
    const bool first = from.empty();
    if (first) from = page->resource_version;
    list.continue_token = page->continue_token;
    take({.kind = kind, .objects = std::move(page->items), .first = first, .complete = list.continue_token.empty()});
    if (list.continue_token.empty()) break;
  }
  synced_.insert(kind);
  line.epoch = ++epochs_;
  api::Call watch{.verb = api::Verb::Watch,
                  .resource = line.resource,
                  .label_selector = line.labels,
                  .field_selector = line.fields,
                  .resource_version = from};
  line.watch = client_.watch(std::move(watch), [inbox = inbox_, kind, epoch = line.epoch](client::WatchEvent event) {
    inbox->put(kind, epoch, std::move(event));
  });
  return true;
}

void ObjectFeed::open_due(Instant now, const TakeListed& take) {
  constexpr int kPasses = 3;  // definitions bring kinds, which bring nothing more
  for (int pass = 0; pass < kPasses; ++pass) {
    std::vector<KindId> due;  // apart, because taking a list may add kinds
    for (const auto& [kind, line] : lines_) {
      if (line.watch == nullptr && line.open_at <= now) due.push_back(kind);
    }
    if (due.empty()) return;
    for (const KindId kind : due) {
      const auto at = lines_.find(kind);
      if (at == lines_.end() || open(kind, at->second, take)) continue;
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

}  // namespace basalt::reconcile
