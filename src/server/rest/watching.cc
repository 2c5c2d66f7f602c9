#include "server/rest/watching.h"

#include <algorithm>

#include "server/rest/listing.h"

namespace basalt::server {

api::ApiResult<std::unique_ptr<Watching>> Watching::open(const CallContext& context) {
  if (auto fine = check_list_options(context.call); !fine) return std::unexpected(std::move(fine.error()));
  auto selection = Selection::parse(*context.resource, context.call);
  if (!selection) return std::unexpected(std::move(selection.error()));
  std::unique_ptr<Watching> watching(new Watching());
  watching->store_ = context.store;
  watching->kinds_ = context.kinds;
  watching->resource_ = context.resource;
  watching->storage_name_ = context.resource->storage_name();
  watching->selection_ = std::move(*selection);
  watching->bookmarks_ = context.call.bookmarks;
  if (auto begun = watching->begin(context); !begun) return std::unexpected(std::move(begun.error()));
  return watching;
}

api::ApiResult<void> Watching::begin(const CallContext& context) {
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

api::ApiResult<std::vector<Notice>> Watching::next(size_t limit) {
  std::vector<Notice> notices;
  while (sent_ < present_.size() && notices.size() < limit) {
    notices.push_back({.change = Change::Added, .record = std::move(present_[sent_++])});
  }
  if (sent_ < present_.size()) return notices;
  if (!present_.empty()) {
    present_ = {};
    sent_ = 0;
  }
  if (mark_initial_end_) {
    mark_initial_end_ = false;
    if (bookmarks_) notices.push_back({.change = Change::Bookmark, .revision = seen_, .initial_events_end = true});
  }
  while (notices.size() < limit) {
    auto batch = store_->events(storage_name_, seen_, limit);
    if (!batch) {
      return std::unexpected(
          api::expired("too old resource version: " + std::to_string(seen_) + " (" + batch.error().message + ")"));
    }
    for (const store::Event& event : batch->events) judge(event, notices);
    seen_ = std::max(seen_, batch->complete_to);
    if (batch->events.size() < limit) break;
  }
  return notices;
}

void Watching::judge(const store::Event& event, std::vector<Notice>& notices) const {
  if (!selection_.covers(event.now->key())) return;
  const bool gone = event.now->deleted();
  if (selection_.by_key_only()) {
    const Change change = gone ? Change::Deleted : event.before == nullptr ? Change::Added : Change::Modified;
    notices.push_back({.change = change, .record = event.now});
    return;
  }
  const bool now = !gone && selection_.matches(*resource_, *event.now);
  const bool before = event.before != nullptr && selection_.matches(*resource_, *event.before);
  if (now) {
    notices.push_back({.change = before ? Change::Modified : Change::Added, .record = event.now});
  } else if (before) {
    // The client knew the former state; it leaves with the revision of the change that took it out of sight.
    const store::Record& last = gone ? *event.now : *event.before;
    notices.push_back({.change = Change::Deleted,
                       .record = gone ? event.now
                                      : std::make_shared<const store::Record>(last.key(), event.now->revision(), true,
                                                                              last.bytes(), last.version_at())});
  }
}

std::vector<Notice> Watching::bookmark() const {
  if (!bookmarks_ || mark_initial_end_ || sent_ < present_.size()) return {};
  return {Notice{.change = Change::Bookmark, .revision = seen_}};
}

}  // namespace basalt::server
