#include "engine/plugins/plugin_registry.h"

#include <array>

#include "engine/plugins/binpack.h"
#include "engine/plugins/capacity/capacity.h"
#include "engine/plugins/cdp.h"
#include "engine/plugins/conformance.h"
#include "engine/plugins/drf/drf.h"
#include "engine/plugins/gang.h"
#include "engine/plugins/nodegroup.h"
#include "engine/plugins/nodeorder/nodeorder.h"
#include "engine/plugins/overcommit.h"
#include "engine/plugins/pdb.h"
#include "engine/plugins/predicates/predicates.h"
#include "engine/plugins/priority.h"
#include "engine/plugins/proportion.h"
#include "engine/plugins/resourcequota.h"
#include "engine/plugins/sla.h"
#include "engine/plugins/task_topology/task_topology.h"
#include "engine/plugins/tdm.h"

namespace basalt::plugins {

std::span<const engine::PluginEntry> registry() {
  using engine::plugin_entry;
  static constexpr std::array kEntries = {
      plugin_entry<Binpack>(),    plugin_entry<Capacity>(),
      plugin_entry<Cdp>(),        plugin_entry<Conformance>(),
      plugin_entry<Drf>(),        plugin_entry<Gang>(),
      plugin_entry<NodeGroup>(),  plugin_entry<NodeOrder>(),
      plugin_entry<Overcommit>(), plugin_entry<Pdb>(),
      plugin_entry<Predicates>(), plugin_entry<Priority>(),
      plugin_entry<Proportion>(), plugin_entry<ResourceQuotaPlugin>(),
      plugin_entry<Sla>(),        plugin_entry<TaskTopology>(),
      plugin_entry<Tdm>(),
  };
  return kEntries;
}

}  // namespace basalt::plugins
