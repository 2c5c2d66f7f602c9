#include "control/loop/object_feed.h"

#include <algorithm>
#include <utility>

#include "control/loop/feed_pace.h"
#include "kube/api/object_fields.h"
#include "kube/client/answer_text.h"
#include "kube/client/https_client.h"

namespace basalt::loop {
namespace {

// The server does not know what a watch with initial events is.
bool refuses_streams(const api::ApiError& error) {
  return error.code == 400 || error.code == 405 || error.code == 406 || error.code == 422 || error.code == 501;
}

// Watching again from the same version would end in the same way.
bool needs_a_list(const api::ApiError& error) {
  return error.code == 410 || error.code == 404 || error.reason == client::kReasonUnreadable;
}

bool was_not_reached(const api::ApiError& error) { return error.reason == client::kReasonNotReached; }

}  // namespace

ObjectFeed::~ObjectFeed() {
  inbox_->close();
  close();
}

void ObjectFeed::follow(KindId kind, api::ResourceName resource, Instant now, std::string labels, std::string fields) {
  Line& line = lines_[kind];
  shut(kind, line);
  line = {.resource = std::move(resource), .labels = std::move(labels), .fields = std::move(fields), .open_at = now};
}

void ObjectFeed::leave(KindId kind) {
  const auto at = lines_.find(kind);
  if (at != lines_.end()) {
    shut(kind, at->second);
    lines_.erase(at);
  }
  synced_.erase(kind);
}

void ObjectFeed::close() {
  for (auto& [kind, line] : lines_) shut(kind, line);
}

// The inbox first: a watch that waits for room there could not end.
std::string ObjectFeed::shut(KindId kind, Line& line) {
  std::string mark = inbox_->shut(kind);
  line.watch.reset();
  line.phase = Phase::Waiting;
  return mark;
}

api::Call ObjectFeed::call_for(const Line& line, api::Verb verb) const {
  return {.verb = verb, .resource = line.resource, .label_selector = line.labels, .field_selector = line.fields};
}

void ObjectFeed::open(KindId kind, Line& line, Instant now) {
  line.opening = ++openings_;
  line.opened_at = now;
  line.heard = false;
  inbox_->open(kind, line.opening);
  if (!line.version.empty()) return open_watch(kind, line);
  line.first_page = true;
  line.continue_token.clear();
  if (client_.streams_lists() && line.can_stream && line.vain_streams < kMaxVainStreams) {
    return open_stream(kind, line);
  }
  open_list(kind, line);
}

void ObjectFeed::open_list(KindId kind, Line& line) {
  line.phase = Phase::Listing;
  api::Call list = call_for(line, api::Verb::List);
  list.limit = kPageSize;
  list.continue_token = line.continue_token;
  client_.send(std::move(list), [inbox = inbox_, kind, opening = line.opening](client::Outcome outcome) {
    inbox->put_page(kind, opening, std::move(outcome));
  });
}

void ObjectFeed::open_watch(KindId kind, Line& line) {
  line.phase = Phase::Watching;
  api::Call watch = call_for(line, api::Verb::Watch);
  watch.resource_version = line.version;
  watch.bookmarks = true;
  watch.timeout_seconds = watch_seconds(seed_, kind, line.opening);
  line.watch =
      client_.watch(std::move(watch), [inbox = inbox_, kind, opening = line.opening](client::WatchEvent event) {
        inbox->put_event(kind, opening, std::move(event));
      });
}

void ObjectFeed::open_stream(KindId kind, Line& line) {
  line.phase = Phase::Streaming;
  api::Call watch = call_for(line, api::Verb::Watch);
  watch.version_match = api::VersionMatch::NotOlderThan;
  watch.send_initial_events = true;
  watch.bookmarks = true;
  watch.timeout_seconds = watch_seconds(seed_, kind, line.opening);
  line.watch = client_.watch(std::move(watch), [inbox = inbox_, kind, opening = line.opening,
                                                initial = FeedInbox::Initial()](client::WatchEvent event) mutable {
    initial.put(*inbox, kind, opening, std::move(event));
  });
}

void ObjectFeed::open_due(Instant now, const TakeListed& take) {
  constexpr int kPasses = 3;  // definitions bring kinds, which bring nothing more
  for (int pass = 0; pass < kPasses; ++pass) {
    std::vector<KindId> active;  // apart, because taking a list may add kinds
    bool opened = false;
    for (auto& [kind, line] : lines_) {
      if (line.phase == Phase::Waiting && line.open_at <= now) {
        open(kind, line, now);
        opened = true;
      }
      if (line.phase == Phase::Listing || line.phase == Phase::Streaming) active.push_back(kind);
    }
    for (const KindId kind : active) take_parts(kind, now, take);
    if (!opened) return;
  }
}

void ObjectFeed::take_parts(KindId kind, Instant now, const TakeListed& take) {
  for (;;) {
    auto at = lines_.find(kind);
    if (at == lines_.end() || at->second.phase == Phase::Waiting || at->second.phase == Phase::Watching) return;
    std::optional<FeedInbox::Part> part = inbox_->take_part(kind);
    if (!part) return;
    if (!part->outcome) return list_failed(kind, part->outcome.error(), now, take);
    client::Reply& reply = *part->outcome;
    Line& line = at->second;
    const uint64_t opening = line.opening;
    if (line.version.empty()) line.version = reply.resource_version;
    line.continue_token = reply.continue_token;
    take({.kind = kind,
          .objects = std::move(reply.items),
          .first = std::exchange(line.first_page, false),
          .complete = part->last});
    at = lines_.find(kind);  // whoever took it may have left the kind, or followed it anew
    if (at == lines_.end() || at->second.opening != opening || at->second.phase == Phase::Waiting) return;
    const bool streaming = at->second.phase == Phase::Streaming;
    if (!part->last) {
      if (!streaming) open_list(kind, at->second);
      continue;
    }
    synced_.insert(kind);
    at->second.vain_streams = 0;
    at->second.unknown_since = kNever;
    if (!streaming) return open_watch(kind, at->second);
    at->second.phase = Phase::Watching;
    at->second.heard = true;
    at->second.failures = 0;
    return;
  }
}

void ObjectFeed::list_failed(KindId kind, const api::ApiError& error, Instant now, const TakeListed& take) {
  Line& line = lines_.at(kind);
  const bool streaming = line.phase == Phase::Streaming;
  const bool unknown_kind = error.code == 404 && line.first_page;
  if (!unknown_kind) line.unknown_since = kNever;
  if (unknown_kind && !line.unknown_since.is_set()) line.unknown_since = now;
  shut(kind, line);
  line.version.clear();
  if (streaming && refuses_streams(error)) {
    line.can_stream = false;
    line.open_at = now;
    return;
  }
  if (streaming && !unknown_kind && !was_not_reached(error)) ++line.vain_streams;
  line.failures = std::max(line.failures, 1);
  // A server that is just starting may not know yet what it will serve: what is known is not given up for that.
  const bool believed = unknown_kind && (!synced_.contains(kind) || now - line.unknown_since >= kUnknownBeforeGone);
  open_later(kind, line, now, error, believed ? kLastRetry : kLongestReopen);
  if (!believed) return;
  // Nobody serves this kind here: there are no such objects. Look again later.
  synced_.insert(kind);
  take({.kind = kind, .objects = {}, .first = true, .complete = true});
}

std::vector<ObjectFeed::News> ObjectFeed::take(Instant now) {
  FeedInbox::Taken taken = inbox_->take_letters([this](KindId kind) {
    const auto at = lines_.find(kind);
    return at != lines_.end() && at->second.phase == Phase::Streaming;
  });
  std::vector<News> news;
  news.reserve(taken.letters.size());
  for (FeedInbox::Letter& letter : taken.letters) {
    const auto at = lines_.find(letter.kind);
    if (at == lines_.end() || at->second.opening != letter.opening || at->second.phase != Phase::Watching) continue;
    Line& line = at->second;
    const bool readable = letter.event.object != nullptr && letter.event.object->is_object();
    std::string_view version;
    if (readable) version = api::string_at(letter.event.object->get_object(), {"metadata", "resourceVersion"});
    if (letter.event.type == client::EventType::Error || version.empty()) {
      watch_ended(letter.kind, line, letter.event, now);
      continue;
    }
    line.version = version;
    line.heard = true;
    line.failures = line.vain_watches = 0;
    news.push_back({.kind = letter.kind, .event = std::move(letter.event)});
  }
  for (const auto& [kind, opening] : taken.overrun) {
    const auto at = lines_.find(kind);
    if (at != lines_.end() && at->second.opening == opening) watch_overran(kind, at->second, now);
  }
  return news;
}

void ObjectFeed::watch_ended(KindId kind, Line& line, const client::WatchEvent& end, Instant now) {
  api::ApiError error{.code = 0, .reason = std::string(client::kReasonUnreadable)};
  const bool is_status = end.type == client::EventType::Error && end.object != nullptr;
  if (is_status) error = client::error_of_status(*end.object);
  const std::string mark = shut(kind, line);
  if (!mark.empty() && api::is_later_version(mark, line.version)) line.version = mark;
  if (line.heard || !mark.empty() || now - line.opened_at >= kSteadyWatch) {
    line.failures = line.vain_watches = 0;
  } else if (!was_not_reached(error) && ++line.vain_watches >= kMaxVainWatches) {
    line.vain_watches = 0;
    line.version.clear();
  }
  if (needs_a_list(error)) line.version.clear();
  open_later(kind, line, now, error, kLongestReopen);
}

void ObjectFeed::watch_overran(KindId kind, Line& line, Instant now) {
  const bool streaming = line.phase == Phase::Streaming;
  shut(kind, line);  // a bookmark stands before what was lost, so it says nothing that the last event does not
  if (streaming) line.version.clear();
  line.open_at = now;
}

void ObjectFeed::open_later(KindId kind, Line& line, Instant now, const api::ApiError& why, Duration longest) {
  const Duration delay = reopen_delay(seed_, kind, line.failures++, longest);
  const Duration asked = std::min(Duration::seconds(why.retry_after_seconds), kLastRetry);
  line.open_at = now + std::max(delay, asked);
}

std::optional<Instant> ObjectFeed::next_due() const {
  std::optional<Instant> next;
  for (const auto& [kind, line] : lines_) {
    if (line.phase == Phase::Waiting && (!next || line.open_at < *next)) next = line.open_at;
  }
  return next;
}

}  // namespace basalt::loop
