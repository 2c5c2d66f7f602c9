#include "control/loop/informer.h"

#include <algorithm>
#include <utility>

#include "control/loop/informer_backoff.h"
#include "control/loop/readable_object.h"
#include "kube/api/object_fields.h"
#include "kube/api/object_view.h"
#include "kube/client/https_object_client.h"
#include "kube/client/response_decoder.h"

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

Informer::~Informer() {
  inbox_->close();
  close();
}

void Informer::follow(KindId kind, api::GroupVersionResource resource, Instant now, std::string labels,
                      std::string fields) {
  KindState& state = states_[kind];
  shut(kind, state);
  state = {.resource = std::move(resource), .labels = std::move(labels), .fields = std::move(fields), .open_at = now};
}

void Informer::leave(KindId kind) {
  const auto at = states_.find(kind);
  if (at != states_.end()) {
    shut(kind, at->second);
    states_.erase(at);
  }
  synced_.erase(kind);
}

void Informer::close() {
  for (auto& [kind, state] : states_) shut(kind, state);
}

// The inbox first: a watch that waits for room there could not end.
std::string Informer::shut(KindId kind, KindState& state) {
  std::string bookmark_version = inbox_->shut(kind);
  state.watch.reset();
  state.phase = Phase::Waiting;
  return bookmark_version;
}

api::Call Informer::call_for(const KindState& state, api::Verb verb) const {
  return {.verb = verb, .resource = state.resource, .label_selector = state.labels, .field_selector = state.fields};
}

void Informer::open(KindId kind, KindState& state, Instant now) {
  state.opening = ++openings_;
  state.opened_at = now;
  state.received_event = false;
  inbox_->open(kind, state.opening);
  if (!state.version.empty()) return open_watch(kind, state);
  state.first_page = true;
  state.continue_token.clear();
  if (client_.streams_lists() && state.can_stream && state.failed_streams < kMaxFailedStreams) {
    return open_stream(kind, state);
  }
  open_list(kind, state);
}

void Informer::open_list(KindId kind, KindState& state) {
  state.phase = Phase::Listing;
  api::Call list = call_for(state, api::Verb::List);
  list.limit = kPageSize;
  list.continue_token = state.continue_token;
  client_.send(std::move(list), [inbox = inbox_, kind, opening = state.opening](client::ReplyOrError outcome) {
    inbox->put_page(kind, opening, std::move(outcome));
  });
}

void Informer::open_watch(KindId kind, KindState& state) {
  state.phase = Phase::Watching;
  api::Call watch = call_for(state, api::Verb::Watch);
  watch.resource_version = state.version;
  watch.bookmarks = true;
  watch.timeout_seconds = watch_seconds(seed_, kind, state.opening);
  state.watch =
      client_.watch(std::move(watch), [inbox = inbox_, kind, opening = state.opening](client::WatchEvent event) {
        inbox->put_event(kind, opening, std::move(event));
      });
}

void Informer::open_stream(KindId kind, KindState& state) {
  state.phase = Phase::Streaming;
  api::Call watch = call_for(state, api::Verb::Watch);
  watch.version_match = api::ResourceVersionMatch::NotOlderThan;
  watch.send_initial_events = true;
  watch.bookmarks = true;
  watch.timeout_seconds = watch_seconds(seed_, kind, state.opening);
  state.watch = client_.watch(std::move(watch), [inbox = inbox_, kind, opening = state.opening,
                                                 initial = InformerInbox::Initial()](client::WatchEvent event) mutable {
    initial.put(*inbox, kind, opening, std::move(event));
  });
}

void Informer::open_due(Instant now, const TakeListed& take) {
  constexpr int kPasses = 3;  // definitions bring kinds, which bring nothing more
  for (int pass = 0; pass < kPasses; ++pass) {
    std::vector<KindId> active;  // apart, because taking a list may add kinds
    bool opened = false;
    for (auto& [kind, state] : states_) {
      if (state.phase == Phase::Waiting && state.open_at <= now) {
        open(kind, state, now);
        opened = true;
      }
      if (state.phase == Phase::Listing || state.phase == Phase::Streaming) active.push_back(kind);
    }
    for (const KindId kind : active) take_parts(kind, now, take);
    if (!opened) return;
  }
}

void Informer::take_parts(KindId kind, Instant now, const TakeListed& take) {
  for (;;) {
    auto at = states_.find(kind);
    if (at == states_.end() || at->second.phase == Phase::Waiting || at->second.phase == Phase::Watching) return;
    std::optional<InformerInbox::Part> part = inbox_->take_part(kind);
    if (!part) return;
    if (!part->outcome) return list_failed(kind, part->outcome.error(), now, take);
    client::Reply& reply = *part->outcome;
    KindState& state = at->second;
    const uint64_t opening = state.opening;
    if (state.version.empty()) state.version = reply.resource_version;
    state.continue_token = reply.continue_token;
    take({.kind = kind,
          .objects = std::move(reply.items),
          .first = std::exchange(state.first_page, false),
          .complete = part->last});
    at = states_.find(kind);  // whoever took it may have left the kind, or followed it anew
    if (at == states_.end() || at->second.opening != opening || at->second.phase == Phase::Waiting) return;
    const bool streaming = at->second.phase == Phase::Streaming;
    if (!part->last) {
      if (!streaming) open_list(kind, at->second);
      continue;
    }
    synced_.insert(kind);
    at->second.failed_streams = 0;
    at->second.unknown_since = kNever;
    if (!streaming) return open_watch(kind, at->second);
    at->second.phase = Phase::Watching;
    at->second.received_event = true;
    at->second.failures = 0;
    return;
  }
}

void Informer::list_failed(KindId kind, const api::ApiError& error, Instant now, const TakeListed& take) {
  KindState& state = states_.at(kind);
  const bool streaming = state.phase == Phase::Streaming;
  const bool unknown_kind = error.code == 404 && state.first_page;
  if (!unknown_kind) state.unknown_since = kNever;
  if (unknown_kind && !state.unknown_since.is_set()) state.unknown_since = now;
  shut(kind, state);
  state.version.clear();
  if (streaming && refuses_streams(error)) {
    state.can_stream = false;
    state.open_at = now;
    return;
  }
  if (streaming && !unknown_kind && !was_not_reached(error)) ++state.failed_streams;
  state.failures = std::max(state.failures, 1);
  // A server that is just starting may not know yet what it will serve: what is known is not given up for that.
  const bool believed = unknown_kind && (!synced_.contains(kind) || now - state.unknown_since >= kUnknownBeforeGone);
  open_later(kind, state, now, error, believed ? kLastRetry : kLongestReopen);
  if (!believed) return;
  // Nobody serves this kind here: there are no such objects. Look again later.
  synced_.insert(kind);
  take({.kind = kind, .objects = {}, .first = true, .complete = true});
}

std::vector<Informer::Change> Informer::take(Instant now) {
  InformerInbox::Taken taken = inbox_->take_events([this](KindId kind) {
    const auto at = states_.find(kind);
    return at != states_.end() && at->second.phase == Phase::Streaming;
  });
  std::vector<Change> changes;
  changes.reserve(taken.events.size());
  for (InformerInbox::QueuedEvent& queued : taken.events) {
    const auto at = states_.find(queued.kind);
    if (at == states_.end() || at->second.opening != queued.opening || at->second.phase != Phase::Watching) continue;
    KindState& state = at->second;
    const bool readable = is_readable(queued.event.object);
    std::string_view version;
    if (readable) version = api::ObjectView(queued.event.object->get_object()).metadata().resource_version();
    if (queued.event.type == client::WatchEventType::Error || version.empty()) {
      watch_ended(queued.kind, state, queued.event, now);
      continue;
    }
    state.version = version;
    state.received_event = true;
    state.failures = state.failed_watches = 0;
    changes.push_back({.kind = queued.kind, .event = std::move(queued.event)});
  }
  for (const auto& [kind, opening] : taken.overrun) {
    const auto at = states_.find(kind);
    if (at != states_.end() && at->second.opening == opening) watch_overran(kind, at->second, now);
  }
  return changes;
}

void Informer::watch_ended(KindId kind, KindState& state, const client::WatchEvent& end, Instant now) {
  api::ApiError error{.code = 0, .reason = std::string(client::kReasonUnreadable)};
  const bool is_status = end.type == client::WatchEventType::Error && end.object != nullptr;
  if (is_status) error = client::error_of_status(*end.object);
  const std::string bookmark_version = shut(kind, state);
  if (!bookmark_version.empty() && api::is_later_version(bookmark_version, state.version))
    state.version = bookmark_version;
  if (state.received_event || !bookmark_version.empty() || now - state.opened_at >= kSteadyWatch) {
    state.failures = state.failed_watches = 0;
  } else if (!was_not_reached(error) && ++state.failed_watches >= kMaxFailedWatches) {
    state.failed_watches = 0;
    state.version.clear();
  }
  if (needs_a_list(error)) state.version.clear();
  open_later(kind, state, now, error, kLongestReopen);
}

void Informer::watch_overran(KindId kind, KindState& state, Instant now) {
  const bool streaming = state.phase == Phase::Streaming;
  shut(kind, state);  // a bookmark stands before what was lost, so it says nothing that the last event does not
  if (streaming) state.version.clear();
  state.open_at = now;
}

void Informer::open_later(KindId kind, KindState& state, Instant now, const api::ApiError& why, Duration longest) {
  const Duration delay = reopen_delay(seed_, kind, state.failures++, longest);
  const Duration asked = std::min(Duration::seconds(why.retry_after_seconds), kLastRetry);
  state.open_at = now + std::max(delay, asked);
}

std::optional<Instant> Informer::next_due() const {
  std::optional<Instant> next;
  for (const auto& [kind, state] : states_) {
    if (state.phase == Phase::Waiting && (!next || state.open_at < *next)) next = state.open_at;
  }
  return next;
}

}  // namespace basalt::loop
