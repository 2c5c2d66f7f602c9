#include "control/node/local/own_ports.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include "control/node/local/object_fixture.h"

namespace basalt::node {
namespace {

std::string declared_in(std::string_view spec) {
  std::string text;
  for (const DeclaredPort port : declared_ports(json("{\"spec\": {" + std::string(spec) + "}}"))) {
    text += std::to_string(port.number) + (port.protocol == IPPROTO_TCP ? "/TCP " : "/UDP ");
  }
  return text;
}

TEST(DeclaredPorts, AreThoseOfAllContainers) {
  EXPECT_EQ(declared_in(R"("initContainers": [{"name": "i", "ports": [{"containerPort": 9000}]}],
    "containers": [{"name": "a", "ports": [{"containerPort": 8080}, {"containerPort": 53, "protocol": "UDP"}]},
                   {"name": "b"}, {"name": "c", "ports": [{"containerPort": 53, "protocol": "TCP"}]}])"),
            "53/TCP 53/UDP 8080/TCP 9000/TCP ");
}

TEST(DeclaredPorts, EachIsThereOnceAndOthersAreNot) {
  EXPECT_EQ(declared_in(R"("containers": [{"name": "a", "ports": [{"containerPort": 80}, {"containerPort": 80,
    "hostPort": 8080}, {"containerPort": 81, "protocol": "SCTP"}, {"containerPort": 0}, {"containerPort": 65536},
    {"hostPort": 82}]}])"),
            "80/TCP ");
  EXPECT_EQ(declared_in(""), "");
}

}  // namespace
}  // namespace basalt::node
