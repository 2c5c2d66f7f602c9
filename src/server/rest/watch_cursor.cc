#include "server/rest/watch_cursor.h"

#include <algorithm>

#include "server/rest/list_objects.h"

namespace basalt::server {

api::ApiResult<std::unique_ptr<WatchCursor>> WatchCursor::open(const CallContext& context) {
  if (auto fine = check_list_options(context.call); !fine) return std::unexpected(std::move(fine.error()));
  auto selection = Selection::parse(*context.resource, context.call);
  if (!selection) return std::unexpected(std::move(selection.error()));
  std::unique_ptr<WatchCursor> cursor(new WatchCursor());
  cursor->store_ = context.store;
  cursor->kinds_ = context.kinds;
  cursor->resource_ = context.resource;
  cursor->storage_name_ = context.resource->storage_name();
  cursor->selection_ = std::move(*selection);
  cursor->bookmarks_ = context.call.bookmarks;
  if (auto begun = cursor->begin(context); !begun) return std::unexpected(std::move(begun.error()));
  return cursor;
}

api::ApiResult<void> WatchCursor::begin(const CallContext& context) {
  auto from = parse_revision(context.call.resource_version);
  if (!from) return std::unexpected(std::move(from.error()));
  if (*from > store_->revision()) return std::unexpected(api::too_large_resource_version(*from, store_->revision()));
  const bool initial = context.call.send_initial_events.value_or(*from == 0);
  if (!initial) {
    seen_ = *from == 0 ? store_->revision() : *from;
    return {};
  }
  CallContext present = context;
  present.call.resource_version.clear();
  auto listing = list_matching(present);
  if (!listing) return std::unexpected(std::move(listing.error()));
  present_ = std::move(listing->records);
  seen_ = listing->revision;
  mark_initial_end_ = context.call.send_initial_events.value_or(false);
  return {};
}

api::ApiResult<std::vector<CursorEvent>> WatchCursor::next(size_t limit) {
  std::vector<CursorEvent> cursor_events;
  while (sent_ < present_.size() && cursor_events.size() < limit) {
    cursor_events.push_back({.change = CursorEventType::Added, .record = std::move(present_[sent_++])});
  }
  if (sent_ < present_.size()) return cursor_events;
  if (!present_.empty()) {
    present_ = {};
    sent_ = 0;
  }
  if (mark_initial_end_) {
    mark_initial_end_ = false;
    if (bookmarks_)
      cursor_events.push_back({.change = CursorEventType::Bookmark, .revision = seen_, .initial_events_end = true});
  }
  while (cursor_events.size() < limit) {
    auto batch = store_->events(storage_name_, seen_, limit);
    if (!batch) {
      return std::unexpected(
          api::expired("too old resource version: " + std::to_string(seen_) + " (" + batch.error().message + ")"));
    }
    for (const store::StoreEvent& event : batch->events) judge(event, cursor_events);
    seen_ = std::max(seen_, batch->complete_to);
    if (batch->events.size() < limit) break;
  }
  return cursor_events;
}

void WatchCursor::judge(const store::StoreEvent& event, std::vector<CursorEvent>& cursor_events) const {
  if (!selection_.covers(event.now->key())) return;
  const bool gone = event.now->deleted();
  if (selection_.by_key_only()) {
    const CursorEventType change = gone                      ? CursorEventType::Deleted
                                   : event.before == nullptr ? CursorEventType::Added
                                                             : CursorEventType::Modified;
    cursor_events.push_back({.change = change, .record = event.now});
    return;
  }
  const bool now = !gone && selection_.matches(*resource_, *event.now);
  const bool before = event.before != nullptr && selection_.matches(*resource_, *event.before);
  if (now) {
    cursor_events.push_back(
        {.change = before ? CursorEventType::Modified : CursorEventType::Added, .record = event.now});
  } else if (before) {
    // The client knew the former state; it leaves with the revision of the change that took it out of sight.
    const store::Record& last = gone ? *event.now : *event.before;
    cursor_events.push_back(
        {.change = CursorEventType::Deleted,
         .record = gone ? event.now
                        : std::make_shared<const store::Record>(last.key(), event.now->revision(), true, last.bytes(),
                                                                last.version_at())});
  }
}

std::vector<CursorEvent> WatchCursor::bookmark() const {
  if (!bookmarks_ || mark_initial_end_ || sent_ < present_.size()) return {};
  return {CursorEvent{.change = CursorEventType::Bookmark, .revision = seen_}};
}

}  // namespace basalt::server
