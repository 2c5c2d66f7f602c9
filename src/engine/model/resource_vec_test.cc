#include "engine/model/resource_vec.h"

#include <gtest/gtest.h>

namespace basalt::model {
namespace {

TEST(ResourceSchema, HasThreeDimensionsAndABound) {
  StringPool names;
  ResourceSchema schema(names);
  EXPECT_EQ(schema.find("cpu"), kCpu);
  EXPECT_EQ(schema.find("memory"), kMemory);
  EXPECT_EQ(schema.find("pods"), kPods);
  EXPECT_FALSE(schema.find("nvidia.com/gpu").valid());
  const ResourceId gpu = schema.intern("nvidia.com/gpu");
  EXPECT_EQ(schema.intern("nvidia.com/gpu"), gpu);
  EXPECT_EQ(schema.name(gpu), "nvidia.com/gpu");
  names.intern("a label, not a resource");
  EXPECT_FALSE(schema.find("a label, not a resource").valid());
  for (size_t i = schema.size(); i < kMaxResources; ++i) ASSERT_TRUE(schema.intern("r" + std::to_string(i)).valid());
  EXPECT_FALSE(schema.intern("one too many").valid());
  EXPECT_EQ(schema.intern("nvidia.com/gpu"), gpu);
}

TEST(ResourceVec, TreatsMissingAsZero) {
  const ResourceId gpu(uint32_t{5});
  ResourceVec a;
  a.at(kCpu) = 500;
  ResourceVec b = a;
  b.at(gpu) = 0;
  EXPECT_EQ(a, b);
  EXPECT_EQ(a[gpu], 0);
  b.at(gpu) = 1;
  EXPECT_NE(a, b);
  a.add(b);
  EXPECT_EQ(a[kCpu], 1000);
  EXPECT_EQ(a[gpu], 1);
  a.sub(b);
  EXPECT_EQ(a[gpu], 0);
  EXPECT_EQ(a[kCpu], 500);
}

TEST(ResourceVec, PodsAloneAreNothing) {
  ResourceVec vec;
  EXPECT_TRUE(vec.is_empty());
  vec.at(kPods) = 3;
  EXPECT_TRUE(vec.is_empty());
  vec.at(kMemory) = 1;
  EXPECT_FALSE(vec.is_empty());
}

TEST(Demand, GoesThereAndBack) {
  ResourceVec vec;
  vec.at(kCpu) = 100;
  vec.at(kPods) = 1;
  vec.at(ResourceId(uint32_t{4})) = 7;
  const Demand demand = to_demand(vec);
  EXPECT_EQ(demand.size(), 3U);
  EXPECT_EQ(to_vec(demand), vec);
}

TEST(Fits, LooksOnlyAtWhatIsDemanded) {
  const Demand demand = {{.id = kCpu, .amount = 500}, {.id = ResourceId(uint32_t{3}), .amount = 1}};
  const std::vector<Amount> exact = {500, -100, 0, 1};
  const std::vector<Amount> short_cpu = {499, 0, 0, 1};
  const std::vector<Amount> narrow = {500};  // dimensions beyond the row are 0
  EXPECT_TRUE(fits(demand, exact));
  EXPECT_FALSE(fits(demand, short_cpu));
  EXPECT_FALSE(fits(demand, narrow));
  EXPECT_FALSE(first_insufficient(demand, exact).valid());
  EXPECT_EQ(first_insufficient(demand, short_cpu), kCpu);
  EXPECT_EQ(first_insufficient(demand, narrow), ResourceId(uint32_t{3}));
}

TEST(ResourceMatrix, KeepsCellsWhenItWidens) {
  ResourceMatrix table;
  table.reshape(2, 3);
  table.cell(0, kCpu) = 1;
  table.cell(1, kPods) = 2;
  table.reshape(3, 9);
  EXPECT_GE(table.width(), 9U);
  EXPECT_EQ(table.at(0, kCpu), 1);
  EXPECT_EQ(table.at(1, kPods), 2);
  EXPECT_EQ(table.at(2, ResourceId(uint32_t{8})), 0);
  EXPECT_EQ(table.at(1, ResourceId(uint32_t{100})), 0);  // beyond the width
  EXPECT_EQ(table.at(1, kCpu), 0);
}

TEST(Share, OfNothing) {
  EXPECT_EQ(share(0, 0), 0.0);
  EXPECT_EQ(share(1, 0), 1.0);
  EXPECT_EQ(share(1, 4), 0.25);
}

}  // namespace
}  // namespace basalt::model
