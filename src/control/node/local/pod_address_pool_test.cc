#include "control/node/local/pod_address_pool.h"

#include <gtest/gtest.h>

namespace basalt::node {
namespace {

TEST(PodAddressPool, EachOwnerHasOneOfItsOwn) {
  PodAddressPool addresses = PodAddressPool::make("127.64.0.0").value();
  EXPECT_EQ(addresses.take("a").value(), "127.64.0.1");
  EXPECT_EQ(addresses.take("b").value(), "127.64.0.2");
  EXPECT_EQ(addresses.take("a").value(), "127.64.0.1");
  addresses.release("a");
  EXPECT_EQ(addresses.take("c").value(), "127.64.0.3") << "an address rests before it comes again";
  EXPECT_EQ(addresses.taken(), 2U);
  addresses.release("never seen");
}

TEST(PodAddressPool, ComeAgainWhenAllWereGiven) {
  PodAddressPool addresses = PodAddressPool::make("127.64.0.200", 29).value();  // .200 to .207: six of them
  for (const char* owner : {"a", "b", "c", "d", "e", "f"}) ASSERT_TRUE(addresses.take(owner));
  EXPECT_FALSE(addresses.take("g"));
  addresses.release("c");
  EXPECT_EQ(addresses.take("g").value(), "127.64.0.203");
  addresses.release("f");
  addresses.release("a");
  EXPECT_EQ(addresses.take("h").value(), "127.64.0.206");
  EXPECT_EQ(addresses.take("i").value(), "127.64.0.201");
}

TEST(PodAddressPool, APodKeepsItsAddressWhenTheNodeStartsAgain) {
  PodAddressPool addresses = PodAddressPool::make("127.64.0.0").value();
  EXPECT_EQ(addresses.take("a", "127.64.1.7").value(), "127.64.1.7");
  EXPECT_EQ(addresses.take("b", "127.64.1.7").value(), "127.64.0.1") << "taken";
  EXPECT_EQ(addresses.take("c", "10.0.0.1").value(), "127.64.0.2") << "of another network";
  EXPECT_EQ(addresses.take("d", "").value(), "127.64.0.3");
  EXPECT_EQ(addresses.take("a", "127.64.1.8").value(), "127.64.1.7") << "it has one already";
}

TEST(PodAddressPool, OnlyLoopbackNetworks) {
  EXPECT_FALSE(PodAddressPool::make("10.0.0.0"));
  EXPECT_FALSE(PodAddressPool::make("nonsense"));
  EXPECT_FALSE(PodAddressPool::make(""));
}

}  // namespace
}  // namespace basalt::node
