#include "programs/daemon/feature_gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace basalt::daemon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::array<std::string_view, 1> kEffective = {kCronJobGate};

TEST(FeatureGates, DefaultsAreVolcanos) {
  const auto gates = FeatureGates::read({});
  ASSERT_TRUE(gates);
  EXPECT_TRUE(gates->on(kCronJobGate));
  EXPECT_FALSE(gates->on(kQueueAdmissionGate));
}

TEST(FeatureGates, TheLastWordWins) {
  const auto gates = FeatureGates::read({"CronVolcanoJobSupport=true", "CronVolcanoJobSupport=false"});
  ASSERT_TRUE(gates);
  EXPECT_FALSE(gates->on(kCronJobGate));
}

TEST(FeatureGates, WhatChangesNothingIsTold) {
  const auto gates = FeatureGates::read(
      {"CronVolcanoJobSupport=false", "CSIStorage=true", "PriorityClass=true", "DynamicResourceAllocation=true"});
  ASSERT_TRUE(gates);
  EXPECT_THAT(gates->idle(kEffective), ElementsAre("--feature-gates=CSIStorage=true changes nothing",
                                                   "--feature-gates=DynamicResourceAllocation=true changes nothing"));
}

TEST(FeatureGates, RefusalsSayWhatThereIs) {
  EXPECT_THAT(FeatureGates::read({"PriorityClas=true"}).error().message, HasSubstr("did you mean PriorityClass?"));
  EXPECT_THAT(FeatureGates::read({"Zebra=true"}).error().message, HasSubstr("Volcano's are: WorkLoadSupport"));
  EXPECT_THAT(FeatureGates::read({"CSIStorage"}).error().message, HasSubstr("CSIStorage=true or CSIStorage=false"));
  EXPECT_THAT(FeatureGates::read({"CSIStorage=yes"}).error().message, HasSubstr("CSIStorage=true"));
}

}  // namespace
}  // namespace basalt::daemon
