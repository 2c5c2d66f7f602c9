#include "engine/plugins/conformance.h"

#include <gtest/gtest.h>

#include "engine/plugins/plugin_fixture.h"

namespace basalt::plugins {
namespace {

using model::TaskId;

TEST(Conformance, spares_what_the_cluster_lives_on) {
  PluginFixture fixture;
  fixture.node({.name = "n", .cpu = 8000});
  const NameId cluster_critical = fixture.state.names.intern("system-cluster-critical");
  const NameId node_critical = fixture.state.names.intern("system-node-critical");
  const TaskId plain = fixture.task({.name = "plain", .node_name = "n"}, 1000);
  const TaskId dns = fixture.task({.ns = "kube-system", .name = "dns", .node_name = "n"}, 1000);
  const TaskId net = fixture.task({.name = "net", .node_name = "n", .priority_class = node_critical}, 1000);
  const TaskId api = fixture.task({.name = "api", .node_name = "n", .priority_class = cluster_critical}, 1000);
  fixture.open<Conformance>();
  EXPECT_EQ(fixture.session().preemptable(plain, std::vector{dns, plain, net, api}), std::vector{plain});
  EXPECT_EQ(fixture.session().reclaimable(plain, std::vector{dns, plain, net, api}), std::vector{plain});
}

}  // namespace
}  // namespace basalt::plugins
