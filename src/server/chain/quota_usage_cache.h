// What the objects of a namespace use of its quotas, without counting them for every create.
//
// For each kind and namespace that was asked about there is one NamespaceUsage: the usage of every object, and their
// sums. It is made from a list of the store's latest state and then follows the store's changes, so writers need not
// report to it, it counts writes that wait for their commit, and a restart rebuilds it.
// 1. used() is what summing the latest state would give at the moment of the call; quotas.cc has the reference
//    implementation that tests compare with. Only the suffixes that a sum of "1Gi" and "1G" is printed with may differ.
// 2. Sums stay exact: an object that uses so much that sums could reach the bounds of a Quantity is kept apart, and
//    added when asked.
// 3. A pod whose grace has ended uses nothing; time may go backwards.
// 4. At most kMaxQuotaNamespaces namespaces; the one that was not asked for the longest goes.
// Cost: used() O(changes of the kind since the last call + sums); the first one, or after falling behind the history,
// O(objects of the namespace). Nothing while no quota is asked about. Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/instant.h"
#include "base/value_pool.h"
#include "kube/api/quota_usage.h"
#include "server/store/store.h"

namespace basalt::server::chain {

inline constexpr size_t kMaxQuotaNamespaces = 256;

class QuotaUsageCache {
 public:
  // Requires: `store` outlives it.
  explicit QuotaUsageCache(const store::Store& store) : store_(store) {}

  // What the objects of the kind in the namespace use, as far as the quota's scopes choose them.
  [[nodiscard]] api::ResourceList used(const api::QuotaKind& kind, std::string_view ns, const text::Object& quota,
                                       Instant now);

 private:
  struct Usage {
    api::ResourceList amounts;  // while it is not over; of pods without count/pods
    api::PodScopes scopes;
    bool operator<(const Usage& other) const;
  };
  struct Entry {
    store::Revision revision = 0;
    ValuePool<Usage>::Ptr usage;
    Instant end = kNever;   // of its grace
    bool terminal = false;  // over for good
  };
  using Entries = std::map<std::string, Entry, std::less<>>;
  struct Group {
    api::ResourceList sum;  // of those that are not over and not large
    size_t objects = 0;     // all of them
    std::set<std::string> large;
  };
  struct NamespaceUsage {
    Entries entries;
    std::map<api::PodScopes, Group> groups;          // objects that are not pods are all in one
    std::set<std::pair<Instant, std::string>> ends;  // of the grace of entries that are not terminal
    Instant now;                                     // the sums are as of this time
    uint64_t asked = 0;
  };
  // One resource of the store.
  struct ResourceUsage {
    std::map<std::string, NamespaceUsage, std::less<>> namespaces;  // by namespace
    store::Revision seen = 0;                                       // changes up to here are in the namespaces
    uint64_t given_up = 0;
  };

  void catch_up(const api::QuotaKind& kind, ResourceUsage& resource_usage);
  NamespaceUsage& namespace_usage(const api::QuotaKind& kind, ResourceUsage& resource_usage, std::string_view ns,
                                  Instant now);
  void make_room();
  void take(const api::QuotaKind& kind, NamespaceUsage& namespace_usage, const store::Record& record);
  void count(NamespaceUsage& namespace_usage, const std::string& key, const Entry& entry, bool more);
  static void add_sum(NamespaceUsage& namespace_usage, const Entry& entry, bool more);
  static void move_time(NamespaceUsage& namespace_usage, Instant now);
  [[nodiscard]] static bool is_over(const NamespaceUsage& namespace_usage, const Entry& entry);

  const store::Store& store_;
  std::mutex mutex_;  // taken before the store's lock, after the gate of creates
  std::map<std::string, ResourceUsage, std::less<>> resources_;
  ValuePool<Usage> usages_;
  uint64_t questions_ = 0;
};

}  // namespace basalt::server::chain
