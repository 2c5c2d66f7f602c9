#include "server/store/page_reader.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace basalt::store {

namespace {

// The first text that sorts after everything with this prefix; empty: there is none.
std::string after_prefix(std::string_view prefix) {
  std::string bound(prefix);
  while (!bound.empty() && bound.back() == '\xff') bound.pop_back();
  if (!bound.empty()) bound.back() = static_cast<char>(static_cast<unsigned char>(bound.back()) + 1);
  return bound;
}

bool wanted(const ListRequest& request, std::string_view key) {
  return key.starts_with(request.prefix) && (request.after.empty() || key > request.after);
}

// What the keys that changed after `at` held then; null: nothing.
using Undone = std::map<std::string_view, RecordPtr, std::less<>>;

Undone undo(const History::ResourceEvents& resource_events, const ListRequest& request, Revision at) {
  Undone undone;
  for (auto event = resource_events.first_after(at); event != resource_events.events().end(); ++event) {
    if (wanted(request, event->now->key())) undone.try_emplace(event->now->key(), event->before);
  }
  return undone;
}

class PageReader {
 public:
  PageReader(const KeyIndex& index, const ListRequest& request, Undone undone)
      : index_(index), limit_(request.limit), undone_(std::move(undone)), changed_(undone_.begin()) {
    const bool continues = !request.after.empty() && request.after >= request.prefix;
    here_ = continues ? index.upper_bound(request.after) : index.lower_bound(request.prefix);
    const std::string bound = after_prefix(request.prefix);
    end_ = bound.empty() ? index.end() : index.lower_bound(bound);
  }

  ListPage read() {
    ListPage page;
    while (limit_ == 0 || page.records.size() < limit_) {
      if (changed_ != undone_.end() && (here_ >= end_ || changed_->first <= index_.at(here_).key())) {
        if (here_ < end_ && changed_->first == index_.at(here_).key()) here_ = index_.next(here_);
        if (changed_->second != nullptr) page.records.push_back(changed_->second);
        ++changed_;
      } else if (here_ < end_) {
        if (const RecordPtr& record = index_.at(here_).committed; record != nullptr) page.records.push_back(record);
        here_ = index_.next(here_);
      } else {
        return page;
      }
    }
    page.remaining = remaining();
    page.more = page.remaining > 0;
    return page;
  }

 private:
  [[nodiscard]] size_t remaining() const {
    size_t count = index_.committed_between(here_, end_);
    for (auto changed = changed_; changed != undone_.end(); ++changed) {
      const KeyIndex::Slot* slot = index_.find(changed->first);
      if (changed->second != nullptr) ++count;
      if (slot != nullptr && slot->committed != nullptr) --count;
    }
    return count;
  }

  const KeyIndex& index_;
  size_t limit_;
  Undone undone_;
  Undone::const_iterator changed_;  // the next of undone_
  KeyIndex::Position here_, end_;
};

}  // namespace

ListPage read_page(const KeyIndex& index, const History::ResourceEvents& resource_events, const ListRequest& request,
                   Revision at) {
  return PageReader(index, request, undo(resource_events, request, at)).read();
}

ListPage read_latest(const KeyIndex& index, const ListRequest& request) {
  ListPage page;
  for (auto at = index.lower_bound(request.prefix); at != index.end(); at = index.next(at)) {
    const KeyIndex::Slot& slot = index.at(at);
    if (!slot.key().starts_with(request.prefix)) break;
    if (!slot.latest->deleted()) page.records.push_back(slot.latest);
  }
  return page;
}

}  // namespace basalt::store
