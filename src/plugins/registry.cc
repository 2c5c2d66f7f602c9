#include "plugins/registry.h"

#include <array>

#include "plugins/binpack.h"
#include "plugins/capacity/capacity.h"
#include "plugins/cdp.h"
#include "plugins/conformance.h"
#include "plugins/drf/drf.h"
#include "plugins/gang.h"
#include "plugins/nodegroup.h"
#include "plugins/nodeorder/nodeorder.h"
#include "plugins/overcommit.h"
#include "plugins/pdb.h"
#include "plugins/predicates/predicates.h"
#include "plugins/priority.h"
#include "plugins/proportion.h"
#include "plugins/resourcequota.h"
#include "plugins/sla.h"
#include "plugins/task_topology/task_topology.h"
#include "plugins/tdm.h"

namespace basalt::plugins {

std::span<const engine::PluginEntry> registry() {
  using engine::plugin_entry;
  static constexpr std::array kEntries = {
      plugin_entry<Binpack>(),      plugin_entry<Capacity>(),      plugin_entry<Cdp>(),
      plugin_entry<Conformance>(),  plugin_entry<Drf>(),           plugin_entry<Gang>(),
      plugin_entry<NodeGroup>(),    plugin_entry<NodeOrder>(),     plugin_entry<Overcommit>(),
      plugin_entry<Pdb>(),          plugin_entry<Predicates>(),    plugin_entry<Priority>(),
      plugin_entry<Proportion>(),   plugin_entry<ResourceQuota>(), plugin_entry<Sla>(),
      plugin_entry<TaskTopology>(), plugin_entry<Tdm>(),
  };
  return kEntries;
}

}  // namespace basalt::plugins
