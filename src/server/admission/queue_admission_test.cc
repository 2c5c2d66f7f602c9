#include "server/admission/queue_admission.h"

#include <gmock/gmock.h>

#include "server/admission/admission_fixture.h"

namespace basalt::admission {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kValidateQueue = "/queues/validate";

TEST(QueueAdmission, StateThatStandsThereIsNoReasonToRefuse) {
  AdmissionFixture world;
  constexpr std::string_view kClosing = "{metadata: {name: q}, status: {state: Closing}}";
  EXPECT_EQ(world.update(kValidateQueue, "{metadata: {name: q, labels: {a: b}}, status: {state: Closing}}", kClosing),
            "");
  EXPECT_THAT(world.update(kValidateQueue, "{metadata: {name: q}, status: {state: Odd}}", kClosing),
              StartsWith("requestBody.spec.state: Invalid value: \"Odd\": queue state must be in [Open Closed]"));
}

TEST(QueueAdmission, NoQueueMovesBelowItself) {
  AdmissionFixture world;
  world.queue("{metadata: {name: a}}");
  world.queue("{metadata: {name: b}, spec: {parent: a}}");
  world.queue("{metadata: {name: c}, spec: {parent: b}}");
  EXPECT_THAT(world.update(kValidateQueue, "{metadata: {name: a}, spec: {parent: c}}", "{metadata: {name: a}}"),
              StartsWith("queue a cannot use c as parent, which is below it"));
  EXPECT_EQ(world.update(kValidateQueue, "{metadata: {name: c}, spec: {parent: a}}",
                         "{metadata: {name: c}, spec: {parent: b}}"),
            "");
}

TEST(QueueAdmission, DepthCountsWhatIsBelow) {
  AdmissionFixture world;
  world.options.max_queue_depth = 3;
  for (const std::string_view queue : {"{metadata: {name: a}}", "{metadata: {name: b}, spec: {parent: a}}",
                                       "{metadata: {name: x}}", "{metadata: {name: y}, spec: {parent: x}}"}) {
    world.queue(queue);
  }
  EXPECT_EQ(world.create(kValidateQueue, "{metadata: {name: new}, spec: {parent: b}}"), "");
  EXPECT_THAT(world.update(kValidateQueue, "{metadata: {name: x}, spec: {parent: b}}", "{metadata: {name: x}}"),
              StartsWith("queue x exceeds the maximum allowed depth of 3"));
}

TEST(QueueAdmission, CirclesInTheStoreEndEveryWalk) {
  AdmissionFixture world;
  world.options.max_queue_depth = 1'000'000;
  world.queue("{metadata: {name: a}, spec: {parent: b, capability: {memory: 1Gi}}}");
  world.queue("{metadata: {name: b}, spec: {parent: a}}");
  EXPECT_THAT(
      world.create(kValidateQueue, "{metadata: {name: new}, spec: {parent: a, capability: {cpu: 1, memory: 2Gi}}}"),
      HasSubstr("exceeds"));
  EXPECT_EQ(
      world.update(kValidateQueue, "{metadata: {name: a}, spec: {capability: {cpu: 1}}}", "{metadata: {name: a}}"), "");
  const QueueTree tree({std::make_shared<const text::Value>(object_of("{metadata: {name: a}, spec: {parent: a}}"))});
  EXPECT_EQ(tree.height("a"), 1);
  EXPECT_FALSE(tree.is_below("a", "b"));
}

TEST(QueueAdmission, RootKeepsItsResources) {
  AdmissionFixture world;
  constexpr std::string_view kRoot = "{metadata: {name: root}}";
  EXPECT_THAT(world.update(kValidateQueue, "{metadata: {name: root}, spec: {capability: {cpu: 1}}}", kRoot),
              StartsWith("root queue's resource attributes (capability, deserved, guarantee) cannot be modified"));
  EXPECT_EQ(world.update(kValidateQueue, "{metadata: {name: root}, spec: {weight: 2}}", kRoot), "");
  world.options.protect_root_queue = false;
  EXPECT_EQ(world.update(kValidateQueue, "{metadata: {name: root}, spec: {capability: {cpu: 1}}}", kRoot), "");
}

TEST(QueueAdmission, SumsOfChildrenStayWithinTheParent) {
  AdmissionFixture world;
  world.queue("{metadata: {name: p}, spec: {deserved: {cpu: 4}, guarantee: {resource: {cpu: 4}}}}");
  world.queue("{metadata: {name: a}, spec: {parent: p, deserved: {cpu: 3}, guarantee: {resource: {cpu: 3}}}}");
  EXPECT_THAT(
      world.create(kValidateQueue,
                   "{metadata: {name: b}, spec: {parent: p, deserved: {cpu: 2}, guarantee: {resource: {cpu: 2}}}}"),
      StartsWith("parent queue p validation failed: sum of children's guarantee (cpu 5000.00, memory 0.00) exceeds "
                 "parent's guarantee limit (cpu 4000.00, memory 0.00)"));
  // Nothing of what the parent does not have is not too much.
  EXPECT_EQ(world.create(kValidateQueue, "{metadata: {name: b}, spec: {parent: p, deserved: {nvidia.com/gpu: 0}}}"),
            "");
}

TEST(QueueAdmission, QuantitiesAreComparedNotTexts) {
  AdmissionFixture world;
  EXPECT_EQ(world.create(kValidateQueue, "{metadata: {name: q}, spec: {capability: {cpu: 1}, deserved: {cpu: 1000m}}}"),
            "");
  EXPECT_THAT(world.create(kValidateQueue, "{metadata: {name: q}, spec: {capability: {nvidia.com/gpu: '0.5'}}}"),
              StartsWith("requestBody.spec.capability.nvidia.com/gpu: Invalid value: \"500m\": must be an integer"));
}

TEST(QueueAdmission, DeletionOfWhatOthersNeed) {
  AdmissionFixture world;
  world.queue("{metadata: {name: p}, status: {allocated: {pods: '3'}}}");
  world.queue("{metadata: {name: a}, spec: {parent: p}}");
  EXPECT_THAT(world.remove(kValidateQueue, "p"),
              StartsWith("queue p can not be deleted because it has 1 child queues: a"));
  EXPECT_EQ(world.remove(kValidateQueue, "a"), "");
  EXPECT_EQ(world.remove(kValidateQueue, "root"), "`root` queue can not be deleted");
  world.options.check_allocated_pods = true;
  EXPECT_THAT(world.remove(kValidateQueue, "p"),
              StartsWith("queue p cannot be deleted because it has allocated Pods: 3"));
}

TEST(QueueAdmission, HierarchyStartsAtRoot) {
  AdmissionFixture world;
  const text::Object filled = world.mutated(
      "/queues/mutate",
      "{metadata: {annotations: {volcano.sh/hierarchy: a/b, volcano.sh/hierarchy-weights: 2/3}}, spec: {weight: 0}}");
  EXPECT_EQ(filled, object_of("{metadata: {annotations: {volcano.sh/hierarchy: root/a/b, "
                              "volcano.sh/hierarchy-weights: 1/2/3}}, spec: {weight: 1, reclaimable: true}}"));
}

TEST(QueueAdmission, WhatIsGuaranteedIsDeserved) {
  AdmissionFixture world;
  EXPECT_EQ(world.mutated("/queues/mutate", "{spec: {weight: 1, reclaimable: true, guarantee: {resource: {cpu: 2}}}}"),
            object_of("{spec: {weight: 1, reclaimable: true, guarantee: {resource: {cpu: 2}}, deserved: {cpu: 2}}}"));
  const std::string_view own =
      "{spec: {weight: 1, reclaimable: true, guarantee: {resource: {cpu: 2}}, deserved: {memory: 1Gi}}}";
  EXPECT_EQ(world.mutated("/queues/mutate", own), object_of(own)) << "who says what is deserved says all of it";
}

TEST(QueueAmounts, SumsStopAtTheLargestNumber) {
  QueueAmounts sum(object_of("{cpu: 9000000000000000, memory: 9000000000000000000}"));
  sum.add(QueueAmounts(object_of("{cpu: 9000000000000000, memory: 9000000000000000000, storage: 5}")));
  EXPECT_EQ(sum.of("memory"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(sum.of("storage"), 0);  // nothing is scheduled by it
}

}  // namespace
}  // namespace basalt::admission
