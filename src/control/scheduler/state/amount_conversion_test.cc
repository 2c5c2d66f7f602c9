#include "control/scheduler/state/amount_conversion.h"

#include <gtest/gtest.h>

namespace basalt::state {
namespace {

api::ResourceList list(std::initializer_list<std::pair<const char*, const char*>> entries) {
  api::ResourceList out;
  for (const auto& [name, text] : entries) out[name] = text::Quantity::parse(text).value();
  return out;
}

TEST(Amounts, CountsWhatVolcanoCounts) {
  for (const char* name : {"cpu", "memory", "pods", "ephemeral-storage", "hugepages-2Mi", "attachable-volumes-csi-x",
                           "nvidia.com/gpu", "nvidia.com/A100", "kubernetes.io/batch-cpu", "rdma/hca"}) {
    EXPECT_TRUE(counts_as_resource(name)) << name;
  }
  for (const char* name : {"", "storage", "rdma", "count/pods", "count/jobs.batch", "requests.cpu",
                           "requests.nvidia.com/gpu", "Nvidia.com/gpu", "nvidia.com/", "/gpu", "a..b/gpu"}) {
    EXPECT_FALSE(counts_as_resource(name)) << name;
  }
}

TEST(Amounts, UnitsAreThoseOfTheModel) {
  StringPool names;
  model::ResourceSchema schema(names);
  const auto vec = to_vec(
      list({{"cpu", "1500m"}, {"memory", "1Ki"}, {"pods", "3"}, {"nvidia.com/gpu", "2"}, {"storage", "5Gi"}}), schema);
  ASSERT_TRUE(vec.has_value());
  EXPECT_EQ((*vec)[model::kCpu], 1500);
  EXPECT_EQ((*vec)[model::kMemory], 1024);
  EXPECT_EQ((*vec)[model::kPods], 3);
  EXPECT_EQ((*vec)[schema.find("nvidia.com/gpu")], 2000);
  EXPECT_FALSE(schema.find("storage").valid());
}

TEST(Amounts, AQuotaKnowsWhatWasGivenAsZero) {
  StringPool names;
  model::ResourceSchema schema(names);
  const auto quota = to_quota(list({{"cpu", "0"}, {"nvidia.com/gpu", "0"}}), schema);
  ASSERT_TRUE(quota.has_value());
  EXPECT_TRUE(quota->has(model::kCpu));
  EXPECT_TRUE(quota->has(schema.find("nvidia.com/gpu")));
  EXPECT_FALSE(quota->has(model::kMemory));
}

TEST(Amounts, ANegativeAmountIsRefusedAndAHugeOneCut) {
  StringPool names;
  model::ResourceSchema schema(names);
  const auto bad = to_demand(list({{"cpu", "-1"}}), schema);
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().message, "cpu: -1 is negative; write 0 or more");
  const auto huge = to_vec(list({{"memory", "8Ei"}}), schema);
  ASSERT_TRUE(huge.has_value());
  EXPECT_EQ((*huge)[model::kMemory], kMaxAmount);
}

TEST(Amounts, AreExactUpToTheirBound) {
  struct Row {
    const char* quantity;
    model::Amount units;  // in bytes or pieces
  };
  for (const Row& row : {Row{"8Ti", model::Amount{8} << 40U}, Row{"9Ti", model::Amount{9} << 40U},
                         Row{"1Pi", model::Amount{1} << 50U}, Row{"1Ei", model::Amount{1} << 60U}}) {
    const text::Quantity quantity = text::Quantity::parse(row.quantity).value();
    for (const char* name : {"memory", "ephemeral-storage", "hugepages-1Gi"}) {
      EXPECT_EQ(amount_of(name, quantity), std::min(row.units, kMaxAmount)) << name << " " << row.quantity;
    }
    for (const char* name : {"cpu", "nvidia.com/gpu"}) {  // thousandths: 8Ti is the last of these that is exact
      const bool exact = row.units <= kMaxAmount / 1000;
      EXPECT_EQ(amount_of(name, quantity), exact ? row.units * 1000 : kMaxAmount) << name << " " << row.quantity;
    }
  }
  EXPECT_EQ(cut_amount(list({{"memory", "8191Ti"}, {"ephemeral-storage", "1Pi"}, {"nvidia.com/gpu", "8Ti"}})), "");
  EXPECT_EQ(cut_amount(list({{"memory", "1Ti"}, {"ephemeral-storage", "1Ei"}})),
            "ephemeral-storage: 1Ei counts as 8Pi");
}

TEST(Amounts, AQuotaObjectCountsUnderItsOwnNames) {
  StringPool names;
  model::ResourceSchema schema(names);
  // Room left: cpu 10 − 2 = 8, requests.cpu 6 − 3 = 3: the smaller one stands.
  const auto use = to_quota_use(list({{"cpu", "10"}, {"requests.cpu", "6"}, {"limits.cpu", "1"}, {"count/pods", "4"}}),
                                list({{"cpu", "2"}, {"requests.cpu", "3"}, {"count/pods", "1"}}), schema);
  ASSERT_TRUE(use.has_value());
  EXPECT_EQ(use->hard[model::kCpu], 6000);
  EXPECT_EQ(use->used[model::kCpu], 3000);
  EXPECT_EQ(use->hard[model::kPods], 4);
  EXPECT_EQ(use->used[model::kPods], 1);
}

}  // namespace
}  // namespace basalt::state
