#include "engine/plugins/conformance.h"

#include <gtest/gtest.h>

#include "engine/plugins/plugin_test_world.h"

namespace basalt::plugins {
namespace {

using model::TaskId;

TEST(Conformance, spares_what_the_cluster_lives_on) {
  World world;
  world.node({.name = "n", .cpu = 8000});
  const NameId cluster_critical = world.state.names.intern("system-cluster-critical");
  const NameId node_critical = world.state.names.intern("system-node-critical");
  const TaskId plain = world.task({.name = "plain", .node_name = "n"}, 1000);
  const TaskId dns = world.task({.ns = "kube-system", .name = "dns", .node_name = "n"}, 1000);
  const TaskId net = world.task({.name = "net", .node_name = "n", .priority_class = node_critical}, 1000);
  const TaskId api = world.task({.name = "api", .node_name = "n", .priority_class = cluster_critical}, 1000);
  world.open<Conformance>();
  EXPECT_EQ(world.session().preemptable(plain, std::vector{dns, plain, net, api}), std::vector{plain});
  EXPECT_EQ(world.session().reclaimable(plain, std::vector{dns, plain, net, api}), std::vector{plain});
}

}  // namespace
}  // namespace basalt::plugins
