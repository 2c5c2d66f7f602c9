// A watch as a cursor: what a client has seen so far, and what comes next.
//
// A WatchCursor holds no queue. It is a revision and a selection; next() reads the store's shared history from there. A
// watcher that falls behind the kept history gets 410 and starts again with a list: slow readers cost nothing.
//
// The start: resourceVersion "" or "0" (or sendInitialEvents) sends the present state first, as ADDED; a number goes on
// from that revision. With sendInitialEvents a bookmark marks the end of the present state.
//
// Threads: one caller at a time.
#pragma once

#include <memory>
#include <vector>

#include "server/rest/call_context.h"
#include "server/rest/selection.h"

namespace basalt::server {

enum class CursorEventType : uint8_t { Added, Modified, Deleted, Bookmark };

struct CursorEvent {
  CursorEventType change = CursorEventType::Bookmark;
  store::RecordPtr record;          // null for a bookmark
  store::Revision revision = 0;     // of a bookmark
  bool initial_events_end = false;  // the bookmark after the present state
};

class WatchCursor {
 public:
  // Refusals of options, selectors and of a revision that lies ahead. An expired revision is told by the first next().
  static api::ApiResult<std::unique_ptr<WatchCursor>> open(const CallContext& context);

  // Up to about `limit` cursor_events; empty: nothing new. An error (410) ends the watch.
  [[nodiscard]] api::ApiResult<std::vector<CursorEvent>> next(size_t limit);

  // A bookmark at the revision up to which everything was seen; nothing when the client does not want them.
  [[nodiscard]] std::vector<CursorEvent> bookmark() const;

  [[nodiscard]] const api::ApiResource& resource() const { return *resource_; }

 private:
  WatchCursor() = default;
  [[nodiscard]] api::ApiResult<void> begin(const CallContext& context);
  void judge(const store::StoreEvent& event, std::vector<CursorEvent>& cursor_events) const;

  store::Store* store_ = nullptr;
  std::shared_ptr<const api::ApiResourceTable> kinds_;
  const api::ApiResource* resource_ = nullptr;
  std::string storage_name_;
  Selection selection_;
  std::vector<store::RecordPtr> present_;  // still to be sent as ADDED
  size_t sent_ = 0;
  store::Revision seen_ = 0;
  bool bookmarks_ = false;
  bool mark_initial_end_ = false;
};

}  // namespace basalt::server
