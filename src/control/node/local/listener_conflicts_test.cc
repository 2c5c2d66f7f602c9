#include "control/node/local/listener_conflicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace basalt::node {
namespace {

using net::Endpoint;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(ListenerConflicts, ReadsTheKernelsTable) {
  EXPECT_THAT(listening_in("  sl  local_address rem_address   st tx_queue\n"
                           "   0: 0100407F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000\n"
                           "   1: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000\n"
                           "   2: 0100007F:1F91 0100007F:1F90 01 00000000:00000000 00:00000000 00000000\n"
                           "   3: nonsense 0 0A\n   4: 0100007F:xy 0 0A\n   5: 01:1 0 0A\n"),
              ElementsAre(Endpoint{"0.0.0.0", 80}, Endpoint{"127.64.0.1", 8080}));
  EXPECT_THAT(listening_in("   0: 00000000000000000000000000000000:0051 0:0 0A\n"
                           "   1: 0000000000000000FFFF00000100407F:0052 0:0 0A\n"
                           "   2: 00000000000000000000000001000000:0053 0:0 0A\n"),
              ElementsAre(Endpoint{"0.0.0.0", 81}, Endpoint{"127.64.0.1", 82}));
}

constexpr std::string_view kHost = "127.0.0.1";

ListenerConflicts find_shared(const ServiceTable& table, const ListeningSockets& listening) {
  return find_listener_conflicts(table, listening, false, kHost);
}

TEST(ListenerConflicts, PodsThatMayWantAllAddressesGoFirst) {
  const Endpoint row{"127.96.0.1", 80}, other{"127.96.0.2", 81};
  ServiceTable table;
  table.rows = {{row, {}}, {other, {}}};
  table.same_port[row] = {"127.64.0.1", "127.64.0.2"};
  const ListenerConflicts nobody = find_shared(table, {});
  EXPECT_THAT(nobody.rows, ElementsAre(row));
  EXPECT_TRUE(nobody.waits);
  EXPECT_TRUE(find_shared(table, {{"127.64.0.3", 80}, {"127.64.0.1", 81}, {"0.0.0.0", 81}}).waits);

  const ListenerConflicts own = find_shared(table, {{"127.64.0.2", 80}});
  EXPECT_THAT(own.rows, IsEmpty());
  EXPECT_FALSE(own.waits);

  const ListenerConflicts everywhere = find_shared(table, {{"0.0.0.0", 80}});
  EXPECT_THAT(everywhere.rows, ElementsAre(row)) << "the kernel brings clients to the pod";
  EXPECT_FALSE(everywhere.waits);
}

TEST(ListenerConflicts, PodsWithPortsOfTheirOwnDoNotMind) {
  const Endpoint row{"127.96.0.1", 80}, host_row{"127.96.0.2", 80};
  ServiceTable table;
  table.rows = {{row, {}}, {host_row, {}}};
  table.same_port[row] = {"127.64.0.1", "127.64.0.2"};
  const ListenerConflicts nobody = find_listener_conflicts(table, {}, true, kHost);
  EXPECT_THAT(nobody.rows, IsEmpty());
  EXPECT_FALSE(nobody.waits);

  const ListenerConflicts everywhere = find_listener_conflicts(table, {{"0.0.0.0", 80}}, true, kHost);
  EXPECT_THAT(everywhere.rows, ElementsAre(row)) << "a pod of a former node that gave it no ports";
  EXPECT_FALSE(everywhere.waits);

  table.same_port[host_row] = {"127.64.0.3", std::string(kHost)};
  const ListenerConflicts host = find_listener_conflicts(table, {}, true, kHost);
  EXPECT_THAT(host.rows, ElementsAre(host_row)) << "one of its pods has hostNetwork";
  EXPECT_TRUE(host.waits);
}

}  // namespace
}  // namespace basalt::node
