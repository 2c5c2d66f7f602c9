#include "server/chain/quota_tallies.h"

#include <algorithm>
#include <vector>

#include "kube/api/rules/fields.h"

namespace basalt::server::admission {
namespace {

constexpr size_t kChangesPerRead = 1'000;
// A million objects that use less than this cannot reach the bounds of a Quantity together.
constexpr int64_t kLargeUnits = int64_t{1} << 43;

bool is_pods(const api::QuotaKind& kind) { return kind.group.empty() && kind.kind == "Pod"; }

bool is_large(const api::Amounts& amounts) {
  return std::ranges::any_of(
      amounts, [](const auto& one) { return one.second.value() >= kLargeUnits || one.second.value() <= -kLargeUnits; });
}

std::string_view space_of(std::string_view key) { return key.substr(0, key.find('/')); }

}  // namespace

bool QuotaTallies::Usage::operator<(const Usage& other) const {
  if (const auto order = scopes <=> other.scopes; order != 0) return order < 0;
  return api::order_as_written(amounts, other.amounts) < 0;
}

api::Amounts QuotaTallies::used(const api::QuotaKind& kind, std::string_view space, const text::Object& quota,
                                Instant now) {
  const std::lock_guard lock(mutex_);
  Shelf& shelf = shelves_[std::string(kind.storage_name)];
  catch_up(kind, shelf);
  const Book& book = this->book(kind, shelf, space, now);
  api::Amounts total;
  size_t objects = 0;
  const bool scoped = api::has_scopes(quota);
  for (const auto& [scopes, group] : book.groups) {
    if (scoped && (!is_pods(kind) || !api::in_scope(quota, scopes))) continue;
    api::add(total, group.sum);
    objects += group.objects;
    for (const std::string& key : group.large) {
      const Entry& entry = book.entries.at(key);
      if (!is_over(book, entry)) api::add(total, entry.usage->amounts);
    }
  }
  if (is_pods(kind)) total["count/pods"] = text::Quantity::from_units(static_cast<int64_t>(objects));
  return total;
}

void QuotaTallies::catch_up(const api::QuotaKind& kind, Shelf& shelf) {
  if (shelf.books.empty()) {
    shelf.seen = 0;
    return;
  }
  for (;;) {
    const auto changes = store_.changes(kind.storage_name, shelf.seen, kChangesPerRead);
    if (!changes || changes->given_up != shelf.given_up) {
      shelf.books.clear();  // they are made again when they are asked for
      return;
    }
    if (changes->records.empty()) return;
    std::map<std::string_view, const store::Record*> last;  // of each object; what came before does not matter
    for (const store::RecordPtr& record : changes->records) {
      if (shelf.books.contains(space_of(record->key()))) last[record->key()] = record.get();
    }
    for (const auto& [key, record] : last) take(kind, shelf.books.find(space_of(key))->second, *record);
    shelf.seen = changes->records.back()->revision();
    if (changes->records.size() < kChangesPerRead) return;
  }
}

QuotaTallies::Book& QuotaTallies::book(const api::QuotaKind& kind, Shelf& shelf, std::string_view space, Instant now) {
  const auto known = shelf.books.find(space);
  if (known != shelf.books.end()) {
    known->second.asked = ++questions_;
    move_time(known->second, now);
    return known->second;
  }
  make_room();
  if (shelf.books.empty()) {
    // What was given up before is not in the list below; what is given up later moves this.
    shelf.seen = store_.revision();
    const auto changes = store_.changes(kind.storage_name, shelf.seen, 0);
    shelf.given_up = changes ? changes->given_up : 0;
  }
  Book& made = shelf.books[std::string(space)];
  made.asked = ++questions_;
  made.now = now;
  const std::string prefix = std::string(space) + "/";
  const auto page = store_.list({.resource = kind.storage_name, .prefix = prefix, .latest = true});
  if (page) {
    for (const store::RecordPtr& record : page->records) take(kind, made, *record);
  }
  return made;
}

void QuotaTallies::make_room() {
  size_t books = 0;
  Shelf* home = nullptr;
  std::string_view oldest;
  uint64_t asked = 0;
  for (auto& [resource, shelf] : shelves_) {
    books += shelf.books.size();
    for (const auto& [space, book] : shelf.books) {
      if (home != nullptr && book.asked >= asked) continue;
      home = &shelf;
      oldest = space;
      asked = book.asked;
    }
  }
  if (books >= kMaxQuotaBooks) home->books.erase(home->books.find(oldest));
}

void QuotaTallies::take(const api::QuotaKind& kind, Book& book, const store::Record& record) {
  const auto known = book.entries.find(record.key());
  if (known != book.entries.end()) {
    if (known->second.revision >= record.revision()) return;  // the list was ahead of the changes
    count(book, known->first, known->second, false);
    if (record.deleted()) book.entries.erase(known);
  }
  if (record.deleted()) return;
  const auto object = record.object();
  static const text::Object kNothing;
  const text::Object& root = object->is_object() ? object->get_object() : kNothing;
  Entry entry{.revision = record.revision()};
  if (is_pods(kind)) {
    entry.usage = usages_.share({.amounts = api::usage_of_pod(root), .scopes = api::scopes_of(root)});
    entry.terminal = api::is_over(root, kNever);
    entry.end = api::end_of_grace(root).value_or(kNever);
  } else {
    entry.usage = usages_.share({.amounts = api::usage_of(kind, root, kNever), .scopes = {}});
  }
  Entry& kept = book.entries[record.key()];
  kept = std::move(entry);
  count(book, record.key(), kept, true);
}

void QuotaTallies::count(Book& book, const std::string& key, const Entry& entry, bool more) {
  const auto group = book.groups.try_emplace(entry.usage->scopes).first;
  const bool large = is_large(entry.usage->amounts);
  if (large && more) group->second.large.insert(key);
  if (large && !more) group->second.large.erase(key);
  if (entry.end.is_set() && !entry.terminal) {
    if (more) book.ends.emplace(entry.end, key);
    if (!more) book.ends.erase({entry.end, key});
  }
  if (!large && !is_over(book, entry)) add_sum(book, entry, more);
  if (more) {
    ++group->second.objects;
  } else if (--group->second.objects == 0) {
    book.groups.erase(group);
  }
}

void QuotaTallies::add_sum(Book& book, const Entry& entry, bool more) {
  api::Amounts& sum = book.groups.at(entry.usage->scopes).sum;
  if (more) {
    api::add(sum, entry.usage->amounts);
  } else {
    api::subtract(sum, entry.usage->amounts);
  }
}

bool QuotaTallies::is_over(const Book& book, const Entry& entry) {
  return entry.terminal || (entry.end.is_set() && book.now > entry.end);
}

// Graces that end between the two times.
void QuotaTallies::move_time(Book& book, Instant now) {
  const bool forward = now > book.now;
  auto at = book.ends.lower_bound({std::min(now, book.now), ""});
  const Instant until = std::max(now, book.now);
  for (; at != book.ends.end() && at->first < until; ++at) {
    const Entry& entry = book.entries.at(at->second);
    if (!is_large(entry.usage->amounts)) add_sum(book, entry, !forward);
  }
  book.now = now;
}

}  // namespace basalt::server::admission
