// status.used of every ResourceQuota, kept up to date object by object.
//
// A change of one object costs O(quotas of its namespace); objects of namespaces without quotas cost one lookup. When a
// quota appears or changes its spec it is counted from scratch: tests compare with count(), too.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "control/kubernetes/object_cache.h"

namespace basalt::kubernetes {

class QuotaUsageIndex {
 public:
  using Tallies =
      std::map<std::string, api::ResourceList>;  // by the quota's name; every resource of spec.hard is there

  QuotaUsageIndex(const WatchedKinds& kinds, const ObjectCache& cache);

  // An object changed. Requires: the cache has the new state already. Either may be null, not both.
  void note(const ObjectRecord* before, const ObjectRecord* now);

  [[nodiscard]] const Tallies& in(std::string_view ns) const;

  // From scratch. Cost: O(objects of the namespace).
  [[nodiscard]] static api::ResourceList count(const WatchedKinds& kinds, const ObjectCache& cache,
                                               const ObjectRecord& quota);

 private:
  const WatchedKinds& kinds_;
  const ObjectCache& cache_;
  KindId quotas_;
  std::map<std::string, Tallies, std::less<>> by_namespace_;
};

}  // namespace basalt::kubernetes
