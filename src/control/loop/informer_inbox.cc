#include "control/loop/informer_inbox.h"

#include <utility>

#include "control/loop/readable_object.h"
#include "kube/api/object_view.h"
#include "kube/client/response_decoder.h"

namespace basalt::loop {
namespace {

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

std::string_view version_of(const client::ObjectPtr& object) {
  if (!is_readable(object)) return "";
  return api::ObjectView(object->get_object()).metadata().resource_version();
}

bool ends_initial_events(const client::ObjectPtr& object) {
  if (!is_readable(object)) return false;
  return api::ObjectView(object->get_object()).metadata().annotations()[kInitialEventsEnd] == "true";
}

api::ApiError error_in(const client::ObjectPtr& status) {
  return status == nullptr ? api::internal_error("the watch ended without a word") : client::error_of_status(*status);
}

}  // namespace

InformerInbox::Opening* InformerInbox::find(KindId kind, uint64_t opening) {
  const auto at = openings_.find(kind);
  return at == openings_.end() || at->second.number != opening || wake_up_ == nullptr ? nullptr : &at->second;
}

void InformerInbox::open(KindId kind, uint64_t opening) {
  const std::lock_guard lock(mutex_);
  openings_[kind] = {.number = opening};
}

std::string InformerInbox::shut(KindId kind) {
  std::string bookmark_version;
  {
    const std::lock_guard lock(mutex_);
    const auto at = openings_.find(kind);
    if (at == openings_.end()) return "";
    bookmark_version = std::move(at->second.bookmark_version);
    openings_.erase(at);
  }
  room_.notify_all();
  return bookmark_version;
}

void InformerInbox::close() {
  {
    const std::lock_guard lock(mutex_);
    wake_up_ = nullptr;
  }
  room_.notify_all();
}

void InformerInbox::put_page(KindId kind, uint64_t opening, client::ReplyOrError outcome) {
  const std::lock_guard lock(mutex_);
  Opening* at = find(kind, opening);
  if (at == nullptr) return;
  const bool last = outcome.has_value() && outcome->continue_token.empty();
  at->part = Part{.outcome = std::move(outcome), .last = last};
  wake_up_->notify();
}

void InformerInbox::put_event(KindId kind, uint64_t opening, client::WatchEvent event) {
  const std::lock_guard lock(mutex_);
  Opening* at = find(kind, opening);
  if (at == nullptr || at->lost) return;
  if (event.type == client::WatchEventType::Bookmark) {
    if (const std::string_view version = version_of(event.object); !version.empty()) at->bookmark_version = version;
    return;
  }
  if (events_.size() >= kMaxInbox) {
    at->lost = true;
    overrun_[kind] = opening;
  } else {
    events_.push_back({.kind = kind, .opening = opening, .event = std::move(event)});
  }
  if (!std::exchange(notified_, true) || at->lost) wake_up_->notify();
}

void InformerInbox::Initial::put(InformerInbox& inbox, KindId kind, uint64_t opening, client::WatchEvent event) {
  if (complete_) return inbox.put_event(kind, opening, std::move(event));
  if (event.type == client::WatchEventType::Error) {
    return inbox.end_initial(kind, opening, std::unexpected(error_in(event.object)));
  }
  if (event.type == client::WatchEventType::Bookmark) {
    if (!ends_initial_events(event.object)) return;
    complete_ = true;
    return inbox.end_initial(kind, opening, client::Reply{.resource_version = std::string(version_of(event.object))});
  }
  only_events_ = only_events_ || event.type == client::WatchEventType::Deleted;
  if (only_events_) return inbox.put_event(kind, opening, std::move(event));
  inbox.put_initial(kind, opening, std::move(event.object));
}

void InformerInbox::put_initial(KindId kind, uint64_t opening, client::ObjectPtr object) {
  std::unique_lock lock(mutex_);
  Opening* at = nullptr;
  room_.wait(lock, [&] {
    at = find(kind, opening);
    return at == nullptr || !at->part || at->part->outcome->items.size() < static_cast<size_t>(kPageSize);
  });
  if (at == nullptr) return;
  if (!at->part) {
    at->part = Part{.outcome = client::Reply{}};
    wake_up_->notify();
  }
  at->part->outcome->items.push_back(std::move(object));
}

// Requires: parts that wait have not failed, for nothing follows a failure.
void InformerInbox::end_initial(KindId kind, uint64_t opening, client::ReplyOrError outcome) {
  const std::lock_guard lock(mutex_);
  Opening* at = find(kind, opening);
  if (at == nullptr) return;
  if (outcome && at->part && at->part->outcome) outcome->items = std::move(at->part->outcome->items);
  const bool last = outcome.has_value();
  at->part = Part{.outcome = std::move(outcome), .last = last};
  wake_up_->notify();
}

std::optional<InformerInbox::Part> InformerInbox::take_part(KindId kind) {
  std::optional<Part> part;
  {
    const std::lock_guard lock(mutex_);
    const auto at = openings_.find(kind);
    if (at == openings_.end()) return std::nullopt;
    part = std::exchange(at->second.part, std::nullopt);
  }
  if (part) room_.notify_all();
  return part;
}

}  // namespace basalt::loop
