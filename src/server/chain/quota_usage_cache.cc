#include "server/chain/quota_usage_cache.h"

#include <algorithm>
#include <vector>

namespace basalt::server::chain {
namespace {

constexpr size_t kChangesPerRead = 1'000;
// A million objects that use less than this cannot reach the bounds of a Quantity together.
constexpr int64_t kLargeUnits = int64_t{1} << 43;

bool is_pods(const api::QuotaKind& kind) { return kind.group.empty() && kind.kind == "Pod"; }

bool is_large(const api::ResourceList& amounts) {
  return std::ranges::any_of(
      amounts, [](const auto& one) { return one.second.value() >= kLargeUnits || one.second.value() <= -kLargeUnits; });
}

std::string_view namespace_of(std::string_view key) { return key.substr(0, key.find('/')); }

}  // namespace

bool QuotaUsageCache::Usage::operator<(const Usage& other) const {
  if (const auto order = scopes <=> other.scopes; order != 0) return order < 0;
  return api::order_as_written(amounts, other.amounts) < 0;
}

api::ResourceList QuotaUsageCache::used(const api::QuotaKind& kind, std::string_view ns, const text::Object& quota,
                                        Instant now) {
  const std::lock_guard lock(mutex_);
  ResourceUsage& resource_usage = resources_[std::string(kind.storage_name)];
  catch_up(kind, resource_usage);
  const NamespaceUsage& namespace_usage = this->namespace_usage(kind, resource_usage, ns, now);
  api::ResourceList total;
  size_t objects = 0;
  const bool scoped = api::has_scopes(quota);
  for (const auto& [scopes, group] : namespace_usage.groups) {
    if (scoped && (!is_pods(kind) || !api::in_scope(quota, scopes))) continue;
    api::add(total, group.sum);
    objects += group.objects;
    for (const std::string& key : group.large) {
      const Entry& entry = namespace_usage.entries.at(key);
      if (!is_over(namespace_usage, entry)) api::add(total, entry.usage->amounts);
    }
  }
  if (is_pods(kind)) total["count/pods"] = text::Quantity::from_units(static_cast<int64_t>(objects));
  return total;
}

void QuotaUsageCache::catch_up(const api::QuotaKind& kind, ResourceUsage& resource_usage) {
  if (resource_usage.namespaces.empty()) {
    resource_usage.seen = 0;
    return;
  }
  for (;;) {
    const auto changes = store_.changes(kind.storage_name, resource_usage.seen, kChangesPerRead);
    if (!changes || changes->given_up != resource_usage.given_up) {
      resource_usage.namespaces.clear();  // they are made again when they are asked for
      return;
    }
    if (changes->records.empty()) return;
    std::map<std::string_view, const store::Record*> last;  // of each object; what came before does not matter
    for (const store::RecordPtr& record : changes->records) {
      if (resource_usage.namespaces.contains(namespace_of(record->key()))) last[record->key()] = record.get();
    }
    for (const auto& [key, record] : last)
      take(kind, resource_usage.namespaces.find(namespace_of(key))->second, *record);
    resource_usage.seen = changes->records.back()->revision();
    if (changes->records.size() < kChangesPerRead) return;
  }
}

QuotaUsageCache::NamespaceUsage& QuotaUsageCache::namespace_usage(const api::QuotaKind& kind,
                                                                  ResourceUsage& resource_usage, std::string_view ns,
                                                                  Instant now) {
  const auto known = resource_usage.namespaces.find(ns);
  if (known != resource_usage.namespaces.end()) {
    known->second.asked = ++questions_;
    move_time(known->second, now);
    return known->second;
  }
  make_room();
  if (resource_usage.namespaces.empty()) {
    // What was given up before is not in the list below; what is given up later moves this.
    resource_usage.seen = store_.revision();
    const auto changes = store_.changes(kind.storage_name, resource_usage.seen, 0);
    resource_usage.given_up = changes ? changes->given_up : 0;
  }
  NamespaceUsage& made = resource_usage.namespaces[std::string(ns)];
  made.asked = ++questions_;
  made.now = now;
  const std::string prefix = std::string(ns) + "/";
  const auto page = store_.list({.resource = kind.storage_name, .prefix = prefix, .latest = true});
  if (page) {
    for (const store::RecordPtr& record : page->records) take(kind, made, *record);
  }
  return made;
}

void QuotaUsageCache::make_room() {
  size_t namespaces = 0;
  ResourceUsage* home = nullptr;
  std::string_view oldest;
  uint64_t asked = 0;
  for (auto& [resource, resource_usage] : resources_) {
    namespaces += resource_usage.namespaces.size();
    for (const auto& [ns, namespace_usage] : resource_usage.namespaces) {
      if (home != nullptr && namespace_usage.asked >= asked) continue;
      home = &resource_usage;
      oldest = ns;
      asked = namespace_usage.asked;
    }
  }
  if (namespaces >= kMaxQuotaNamespaces) home->namespaces.erase(home->namespaces.find(oldest));
}

void QuotaUsageCache::take(const api::QuotaKind& kind, NamespaceUsage& namespace_usage, const store::Record& record) {
  const auto known = namespace_usage.entries.find(record.key());
  if (known != namespace_usage.entries.end()) {
    if (known->second.revision >= record.revision()) return;  // the list was ahead of the changes
    count(namespace_usage, known->first, known->second, false);
    if (record.deleted()) namespace_usage.entries.erase(known);
  }
  if (record.deleted()) return;
  const auto object = record.object();
  static const text::Object kNothing;
  const text::Object& root = object->is_object() ? object->get_object() : kNothing;
  Entry entry{.revision = record.revision()};
  if (is_pods(kind)) {
    const api::PodView pod(root);
    entry.usage = usages_.share({.amounts = api::usage_of_pod(pod.spec()), .scopes = api::scopes_of(pod)});
    entry.terminal = api::is_over(pod, kNever);
    entry.end = api::end_of_grace(pod).value_or(kNever);
  } else {
    entry.usage = usages_.share({.amounts = api::usage_of(kind, root, kNever), .scopes = {}});
  }
  Entry& kept = namespace_usage.entries[record.key()];
  kept = std::move(entry);
  count(namespace_usage, record.key(), kept, true);
}

void QuotaUsageCache::count(NamespaceUsage& namespace_usage, const std::string& key, const Entry& entry, bool more) {
  const auto group = namespace_usage.groups.try_emplace(entry.usage->scopes).first;
  const bool large = is_large(entry.usage->amounts);
  if (large && more) group->second.large.insert(key);
  if (large && !more) group->second.large.erase(key);
  if (entry.end.is_set() && !entry.terminal) {
    if (more) namespace_usage.ends.emplace(entry.end, key);
    if (!more) namespace_usage.ends.erase({entry.end, key});
  }
  if (!large && !is_over(namespace_usage, entry)) add_sum(namespace_usage, entry, more);
  if (more) {
    ++group->second.objects;
  } else if (--group->second.objects == 0) {
    namespace_usage.groups.erase(group);
  }
}

void QuotaUsageCache::add_sum(NamespaceUsage& namespace_usage, const Entry& entry, bool more) {
  api::ResourceList& sum = namespace_usage.groups.at(entry.usage->scopes).sum;
  if (more) {
    api::add(sum, entry.usage->amounts);
  } else {
    api::subtract(sum, entry.usage->amounts);
  }
}

bool QuotaUsageCache::is_over(const NamespaceUsage& namespace_usage, const Entry& entry) {
  return entry.terminal || (entry.end.is_set() && namespace_usage.now > entry.end);
}

// Graces that end between the two times.
void QuotaUsageCache::move_time(NamespaceUsage& namespace_usage, Instant now) {
  const bool forward = now > namespace_usage.now;
  auto at = namespace_usage.ends.lower_bound({std::min(now, namespace_usage.now), ""});
  const Instant until = std::max(now, namespace_usage.now);
  for (; at != namespace_usage.ends.end() && at->first < until; ++at) {
    const Entry& entry = namespace_usage.entries.at(at->second);
    if (!is_large(entry.usage->amounts)) add_sum(namespace_usage, entry, !forward);
  }
  namespace_usage.now = now;
}

}  // namespace basalt::server::chain
