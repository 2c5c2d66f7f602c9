#include "control/loop/feed_inbox.h"

#include <utility>

#include "kube/api/object_fields.h"
#include "kube/client/answer_text.h"

namespace basalt::loop {
namespace {

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

std::string_view version_of(const client::ObjectPtr& object) {
  if (object == nullptr || !object->is_object()) return "";
  return api::string_at(object->get_object(), {"metadata", "resourceVersion"});
}

bool ends_initial_events(const client::ObjectPtr& object) {
  if (object == nullptr || !object->is_object()) return false;
  return api::string_at(object->get_object(), {"metadata", "annotations", kInitialEventsEnd}) == "true";
}

api::ApiError error_in(const client::ObjectPtr& status) {
  return status == nullptr ? api::internal_error("the watch ended without a word") : client::error_of_status(*status);
}

}  // namespace

FeedInbox::Opening* FeedInbox::find(KindId kind, uint64_t opening) {
  const auto at = openings_.find(kind);
  return at == openings_.end() || at->second.number != opening || bell_ == nullptr ? nullptr : &at->second;
}

void FeedInbox::open(KindId kind, uint64_t opening) {
  const std::lock_guard lock(mutex_);
  openings_[kind] = {.number = opening};
}

std::string FeedInbox::shut(KindId kind) {
  std::string mark;
  {
    const std::lock_guard lock(mutex_);
    const auto at = openings_.find(kind);
    if (at == openings_.end()) return "";
    mark = std::move(at->second.mark);
    openings_.erase(at);
  }
  room_.notify_all();
  return mark;
}

void FeedInbox::close() {
  {
    const std::lock_guard lock(mutex_);
    bell_ = nullptr;
  }
  room_.notify_all();
}

void FeedInbox::put_page(KindId kind, uint64_t opening, client::Outcome outcome) {
  const std::lock_guard lock(mutex_);
  Opening* at = find(kind, opening);
  if (at == nullptr) return;
  const bool last = outcome.has_value() && outcome->continue_token.empty();
  at->part = Part{.outcome = std::move(outcome), .last = last};
  bell_->ring();
}

void FeedInbox::put_event(KindId kind, uint64_t opening, client::WatchEvent event) {
  const std::lock_guard lock(mutex_);
  Opening* at = find(kind, opening);
  if (at == nullptr || at->lost) return;
  if (event.type == client::EventType::Bookmark) {
    if (const std::string_view version = version_of(event.object); !version.empty()) at->mark = version;
    return;
  }
  if (letters_.size() >= kMaxInbox) {
    at->lost = true;
    overrun_[kind] = opening;
  } else {
    letters_.push_back({.kind = kind, .opening = opening, .event = std::move(event)});
  }
  if (!std::exchange(rung_, true) || at->lost) bell_->ring();
}

void FeedInbox::Initial::put(FeedInbox& inbox, KindId kind, uint64_t opening, client::WatchEvent event) {
  if (complete_) return inbox.put_event(kind, opening, std::move(event));
  if (event.type == client::EventType::Error) {
    return inbox.end_initial(kind, opening, std::unexpected(error_in(event.object)));
  }
  if (event.type == client::EventType::Bookmark) {
    if (!ends_initial_events(event.object)) return;
    complete_ = true;
    return inbox.end_initial(kind, opening, client::Reply{.resource_version = std::string(version_of(event.object))});
  }
  only_letters_ = only_letters_ || event.type == client::EventType::Deleted;
  if (only_letters_) return inbox.put_event(kind, opening, std::move(event));
  inbox.put_initial(kind, opening, std::move(event.object));
}

void FeedInbox::put_initial(KindId kind, uint64_t opening, client::ObjectPtr object) {
  std::unique_lock lock(mutex_);
  Opening* at = nullptr;
  room_.wait(lock, [&] {
    at = find(kind, opening);
    return at == nullptr || !at->part || at->part->outcome->items.size() < static_cast<size_t>(kPageSize);
  });
  if (at == nullptr) return;
  if (!at->part) {
    at->part = Part{.outcome = client::Reply{}};
    bell_->ring();
  }
  at->part->outcome->items.push_back(std::move(object));
}

// Requires: parts that wait have not failed, for nothing follows a failure.
void FeedInbox::end_initial(KindId kind, uint64_t opening, client::Outcome outcome) {
  const std::lock_guard lock(mutex_);
  Opening* at = find(kind, opening);
  if (at == nullptr) return;
  if (outcome && at->part && at->part->outcome) outcome->items = std::move(at->part->outcome->items);
  const bool last = outcome.has_value();
  at->part = Part{.outcome = std::move(outcome), .last = last};
  bell_->ring();
}

std::optional<FeedInbox::Part> FeedInbox::take_part(KindId kind) {
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
