#include "server/store/object_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "server/store/page_reader.h"

namespace basalt::store {

namespace {

RecordPtr live(const RecordPtr& record) { return record != nullptr && !record->deleted() ? record : nullptr; }

// Why a write that expects `expected` does not fit the latest state; empty: it does.
std::string mismatch(const StoreWrite& write, const RecordPtr& latest) {
  if (write.expected == 0) {
    if (write.remove) return "a removal must say which revision it removes";
    return latest == nullptr ? "" : fmt::format("it exists already, at revision {}", latest->revision());
  }
  if (latest == nullptr) return fmt::format("it does not exist, revision {} was expected", write.expected);
  if (latest->revision() == write.expected) return "";
  return fmt::format("it is at revision {}, not {}", latest->revision(), write.expected);
}

}  // namespace

ObjectTable::ResourceState& ObjectTable::resource_state(std::string_view resource) {
  const auto found = resources_.find(resource);
  if (found != resources_.end()) return *found->second;
  auto made = std::make_unique<ResourceState>();
  made->resource = resource;
  return *resources_.emplace(resource, std::move(made)).first->second;
}

const ObjectTable::ResourceState* ObjectTable::find_resource_state(std::string_view resource) const {
  const auto found = resources_.find(resource);
  return found == resources_.end() ? nullptr : found->second.get();
}

void ObjectTable::count_change(const RecordPtr& before, const Record& now) {
  if (before != nullptr) --objects_, object_bytes_ -= before->bytes().size();
  if (!now.deleted()) ++objects_, object_bytes_ += now.bytes().size();
}

void ObjectTable::load_bounds(Revision compacted, Revision highest) {
  committed_ = highest_ = std::max(compacted, highest);
  history_.raise_floor(compacted);
}

void ObjectTable::load(std::string_view resource, RecordPtr record) {
  ResourceState& home = resource_state(resource);
  const KeyIndex::Slot* slot = home.index.find(record->key());
  const RecordPtr before = slot == nullptr ? nullptr : slot->committed;
  count_change(before, *record);
  home.index.load(record);
  committed_ = highest_ = std::max(committed_, record->revision());
  if (record->revision() > history_.compacted()) {
    history_.add(home.resource_events, StoreEvent{.now = std::move(record), .before = before});
    return;
  }
  if (before != nullptr) history_.garbage().push_back(before->revision());
  if (record->deleted()) history_.garbage().push_back(record->revision());
}

StoreResult<ObjectTable::Ordered> ObjectTable::order(StoreWrite write) {
  check(write.version_at <= write.bytes.size(), "the version goes into the bytes");
  ResourceState& home = resource_state(write.address.resource);
  const KeyIndex::Slot* slot = home.index.find(write.address.key);
  if (const std::string why = mismatch(write, slot == nullptr ? nullptr : live(slot->latest)); !why.empty()) {
    return refuse(StoreErrorCode::Conflict,
                  fmt::format("{} \"{}\": {}", write.address.resource, write.address.key, why));
  }
  auto record = std::make_shared<const Record>(std::move(write.address.key), ++highest_, write.remove,
                                               std::move(write.bytes), write.version_at);
  home.index.order(record);
  home.ordered.push_back(record);
  return Ordered{.resource_state = &home, .record = std::move(record)};
}

StoreResult<std::vector<ObjectTable::Ordered>> ObjectTable::order_steps(std::span<StoreWrite> steps) {
  std::vector<Ordered> all;
  all.reserve(steps.size());
  for (StoreWrite& step : steps) {
    if (!all.empty()) step.expected = all.back().record->revision();
    StoreResult<Ordered> ordered = order(std::move(step));
    check(ordered || all.empty(), "a step is right when it follows its predecessor");
    if (!ordered) return std::unexpected(std::move(ordered.error()));
    all.push_back(std::move(*ordered));
  }
  return all;
}

void ObjectTable::commit(const Ordered& ordered) {
  ResourceState& home = *ordered.resource_state;
  const RecordPtr& record = ordered.record;
  check(record->revision() > committed_, "commits come in revision order");
  const KeyIndex::Slot* slot = home.index.find(record->key());
  const RecordPtr before = slot == nullptr ? nullptr : slot->committed;
  count_change(before, *record);
  check(!home.ordered.empty() && home.ordered.front() == record, "the oldest ordered write is committed first");
  home.ordered.pop_front();
  home.index.commit(record);
  committed_ = record->revision();
  history_.add(home.resource_events, StoreEvent{.now = record, .before = before});
}

RecordPtr ObjectTable::get(std::string_view resource, std::string_view key) const {
  const ResourceState* home = find_resource_state(resource);
  const KeyIndex::Slot* slot = home == nullptr ? nullptr : home->index.find(key);
  return slot == nullptr ? nullptr : slot->committed;
}

RecordPtr ObjectTable::latest(std::string_view resource, std::string_view key) const {
  const ResourceState* home = find_resource_state(resource);
  const KeyIndex::Slot* slot = home == nullptr ? nullptr : home->index.find(key);
  return slot == nullptr ? nullptr : live(slot->latest);
}

size_t ObjectTable::count(std::string_view resource) const {
  const ResourceState* home = find_resource_state(resource);
  return home == nullptr ? 0 : home->index.committed_count();
}

StoreResult<void> ObjectTable::reaches(std::string_view resource, Revision revision) const {
  static const History::ResourceEvents kNone;
  if (revision > committed_) {
    return refuse(StoreErrorCode::Future,
                  fmt::format("revision {} has not been reached; the last is {}", revision, committed_));
  }
  const ResourceState* home = find_resource_state(resource);
  const Revision horizon = history_.horizon(home == nullptr ? kNone : home->resource_events);
  if (revision >= horizon) return {};
  return refuse(StoreErrorCode::Expired,
                fmt::format("revision {} is too old: history of {} begins at {}", revision, resource, horizon));
}

StoreResult<ListPage> ObjectTable::list(const ListRequest& request) const {
  const Revision at = request.at == 0 ? committed_ : request.at;
  if (const auto reached = reaches(request.resource, at); !reached) return std::unexpected(reached.error());
  const ResourceState* home = find_resource_state(request.resource);
  ListPage page;
  if (home != nullptr) {
    page =
        request.latest ? read_latest(home->index, request) : read_page(home->index, home->resource_events, request, at);
  }
  page.revision = at;
  return page;
}

StoreResult<Store::Events> ObjectTable::events(std::string_view resource, Revision after, size_t limit) const {
  if (const auto reached = reaches(resource, after); !reached) return std::unexpected(reached.error());
  Store::Events answer{.complete_to = committed_};
  const ResourceState* home = find_resource_state(resource);
  if (home == nullptr) return answer;
  const auto first = home->resource_events.first_after(after);
  const auto there = static_cast<size_t>(home->resource_events.events().end() - first);
  const size_t taken = std::min(limit, there);
  answer.events.assign(first, first + static_cast<ptrdiff_t>(taken));
  if (taken < there) answer.complete_to = taken == 0 ? after : answer.events.back().now->revision();
  return answer;
}

StoreResult<Store::Changes> ObjectTable::changes(std::string_view resource, Revision after, size_t limit) const {
  Store::Changes answer{.given_up = given_up_};
  if (after < committed_) {
    const StoreResult<Store::Events> past = events(resource, after, limit);
    if (!past) return std::unexpected(past.error());
    answer.records.reserve(past->events.size());
    for (const StoreEvent& event : past->events) answer.records.push_back(event.now);
  }
  const ResourceState* home = find_resource_state(resource);
  if (home == nullptr) return answer;
  auto waiting =
      std::ranges::partition_point(home->ordered, [after](const auto& one) { return one->revision() <= after; });
  for (; waiting != home->ordered.end() && answer.records.size() < limit; ++waiting) {
    answer.records.push_back(*waiting);
  }
  return answer;
}

void ObjectTable::roll_back(const Ordered& ordered) {
  ordered.resource_state->index.roll_back(ordered.record->key());
  ordered.resource_state->ordered.clear();
  ++given_up_;
}

}  // namespace basalt::store
