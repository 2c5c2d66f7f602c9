// Small tables that only some plugins read: namespace quotas, disruption budgets, namespace labels.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/model/labels.h"
#include "engine/model/resource_vec.h"

namespace basalt::model {

struct ResourceQuota {
  std::string ns, name;
  Quota hard, used;  // from status
};

struct DisruptionBudgetObject {  // a PodDisruptionBudget
  std::string ns, name;
  Selector selector;
  int32_t disruptions_allowed = 0;
  std::set<std::string> disrupted_pods;  // names already being disrupted, not charged again
};

struct NamespaceLimits {
  std::map<std::string, ResourceQuota> quotas;            // by namespace/name
  std::map<std::string, DisruptionBudgetObject> budgets;  // by namespace/name
  std::map<NameId, LabelSet> namespace_labels;            // by namespace
};

}  // namespace basalt::model
