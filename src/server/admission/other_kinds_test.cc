// PodGroups, pods, JobFlows, CronJobs and HyperNodes.
#include <gmock/gmock.h>

#include "server/admission/admission_fixture.h"

namespace basalt::admission {
namespace {

using testing::StartsWith;

TEST(PodGroupAdmission, QueueOfTheNamespaceReplacesTheDefault) {
  AdmissionFixture world;
  world.add_namespace("{metadata: {name: team, annotations: {scheduling.volcano.sh/queue-name: teamq}}}");
  const auto queue_of = [&world](std::string_view yaml) {
    return std::string(api::string_at(world.mutated("/podgroups/mutate", yaml), {"spec", "queue"}));
  };
  EXPECT_EQ(queue_of("{metadata: {namespace: team}, spec: {queue: default}}"), "teamq");
  EXPECT_EQ(queue_of("{metadata: {namespace: team}, spec: {queue: own}}"), "own");
  EXPECT_EQ(queue_of("{metadata: {namespace: other}, spec: {queue: default}}"), "default");
}

TEST(PodGroupAdmission, QueueMustTakeWork) {
  AdmissionFixture world;
  world.queue("{metadata: {name: closed}, status: {state: Closed}}");
  EXPECT_EQ(world.create("/podgroups/validate", "{spec: {queue: default}}"), "");
  EXPECT_EQ(world.create("/podgroups/validate", "{spec: {}}"), "");
  EXPECT_THAT(world.create("/podgroups/validate", "{spec: {queue: closed}}"),
              StartsWith("can only submit PodGroup to queue with state `Open`, queue `closed` status is `Closed`."));
}

TEST(PodAdmission, BudgetAnnotations) {
  AdmissionFixture world;
  const auto with = [&world](std::string_view annotations) {
    return world.create("/pods/validate", "{metadata: {annotations: {" + std::string(annotations) +
                                              "}}, spec: {schedulerName: volcano}}");
  };
  EXPECT_EQ(with("volcano.sh/jdb-min-available: '3'"), "");
  EXPECT_EQ(with("volcano.sh/jdb-max-unavailable: 25%"), "");
  EXPECT_THAT(with("volcano.sh/jdb-min-available: '0'"),
              StartsWith("invalid value <\"0\"> for volcano.sh/jdb-min-available, it must be a positive integer"));
  EXPECT_THAT(with("volcano.sh/jdb-min-available: 100%"),
              StartsWith("invalid value <\"100%\"> for volcano.sh/jdb-min-available, it must be a valid percentage "
                         "which between 1% ~ 99%"));
  EXPECT_THAT(with("volcano.sh/jdb-min-available: many"),
              StartsWith("invalid value strconv.Atoi: parsing \"many\": invalid syntax for "));
  EXPECT_THAT(with("volcano.sh/jdb-min-available: '1', volcano.sh/jdb-max-unavailable: '1'"),
              StartsWith("not allow configure multiple annotations <[volcano.sh/jdb-min-available "
                         "volcano.sh/jdb-max-unavailable]> at same time"));
  EXPECT_EQ(world.create("/pods/validate", "{metadata: {annotations: {volcano.sh/jdb-min-available: x}}}"), "");
}

TEST(PodAdmission, FirstGroupThatMatchesShapesThePod) {
  AdmissionFixture world;
  world.options.gate_queue_admission = true;
  world.options.resource_groups = {{.name = "gpu",
                                    .key = "annotation",
                                    .values = {"tier: gold"},
                                    .scheduler_name = "volcano",
                                    .labels = object_of("{pool: gpu}"),
                                    .tolerations = text::Array{object_of("{key: gpu}")}},
                                   {.name = "all", .key = "namespace", .values = {"team"}, .scheduler_name = "other"}};
  const text::Object pod = world.mutated("/pods/mutate", R"(
metadata: {annotations: {tier: gold, scheduling.volcano.sh/queue-allocation-gate: 'true'}}
spec: {nodeSelector: {zone: a}, tolerations: [{key: own}]})");
  EXPECT_EQ(pod.at("spec"), object_of(R"(
nodeSelector: {zone: a, pool: gpu}
tolerations: [{key: own}, {key: gpu}]
schedulingGates: [{name: scheduling.volcano.sh/queue-allocation-gate}]
schedulerName: volcano)"));
  EXPECT_EQ(api::string_at(world.mutated("/pods/mutate", "{spec: {}}"), {"spec", "schedulerName"}), "other");
}

TEST(JobFlowAdmission, FlowsNeedAnOrder) {
  AdmissionFixture world;
  const auto with = [&world](std::string_view flows) {
    return world.create("/jobflows/validate", "{spec: {flows: " + std::string(flows) + "}}");
  };
  EXPECT_EQ(with("[{name: a}, {name: b, dependsOn: {targets: [a, a]}}]"), "");
  EXPECT_EQ(with("[{name: a, dependsOn: {targets: [a]}}]"),
            "jobflow Flow is not DAG (flows wait for each other: a -> a)");
  EXPECT_EQ(with("[{name: b, dependsOn: {targets: [x]}}]"),
            "jobflow Flow is not DAG: vertex is not defined: x (flow \"b\" depends on it: spec.flows must name it)");
}

TEST(JobFlowAdmission, ManyWaysThroughAGraphCostNothing) {
  // Two flows on each of 2,000 layers, each depending on both before: 2^2000 ways, 8,000 edges.
  AdmissionFixture world;
  text::Array flows;
  for (int layer = 0; layer < 2000; ++layer) {
    for (const std::string_view side : {"l", "r"}) {
      text::Object flow{{"name", side.data() + std::to_string(layer)}};
      const std::string before = std::to_string(layer - 1);
      if (layer > 0) flow["dependsOn"] = text::Object{{"targets", text::Array{"l" + before, "r" + before}}};
      flows.push_back(std::move(flow));
    }
  }
  EXPECT_EQ(world.create("/jobflows/validate", text::Object{{"spec", text::Object{{"flows", flows}}}}), "");
}

TEST(CronJobAdmission, SchedulesAndZones) {
  AdmissionFixture world;
  const auto with = [&world](std::string_view spec) {
    return world.create("/cronjobs/validate", "{metadata: {name: c}, spec: {" + std::string(spec) + "}}");
  };
  EXPECT_EQ(with("schedule: '@every 1h', timeZone: Europe/Berlin"), "");
  EXPECT_THAT(with("schedule: '61 * * * *'"),
              StartsWith("schedule is not a valid cron expression (spec.schedule \"61 * * * *\": end of range"));
  EXPECT_THAT(with("schedule: '* * * * *', timeZone: Mars/Olympus"), StartsWith("invalid timeZone ("));
  EXPECT_THAT(with("schedule: '* * * * *', timeZone: ../etc"), StartsWith("unknown timeZone invalid timeZone ("));
  EXPECT_THAT(with("schedule: '* * * * *', timeZone: local"), StartsWith("timeZone can't be Local"));
}

TEST(HyperNodeAdmission, PatternsMustCompile) {
  AdmissionFixture world;
  EXPECT_THAT(world.create("/hypernodes/validate", "{spec: {members: []}}"),
              StartsWith("[].spec.members: Invalid value: null: member must have at least one member"));
  EXPECT_THAT(world.create("/hypernodes/validate", "{spec: {members: [{selector: {regexMatch: {pattern: '['}}}]}}"),
              StartsWith("[].spec.members.selector.regexMatch.pattern: Invalid value: \"[\": member regexMatch pattern "
                         "is invalid: error parsing regexp: missing closing ]: `[`"));
}

// A field of another type is neither "not given", to be filled in, nor passed by.
TEST(Admission, WhatVolcanoCannotDecodeIsRefusedBeforeAnythingIsFilledIn) {
  AdmissionFixture world;
  struct Wrong {
    std::string_view path, yaml, refusal;
  };
  for (const auto& [path, yaml, refusal] : std::initializer_list<Wrong>{
           {"jobs", "{spec: {minAvailable: '2'}}",
            "json: cannot unmarshal string into Go struct field spec.minAvailable of type int32"},
           {"jobs", "{spec: {queue: 5}}",
            "json: cannot unmarshal number into Go struct field spec.queue of type string"},
           {"jobs", "{spec: {maxRetry: '10'}}",
            "json: cannot unmarshal string into Go struct field spec.maxRetry of type int32"},
           {"jobs", "{spec: {maxRetry: 2147483648}}",
            "json: cannot unmarshal number 2147483648 into Go struct field spec.maxRetry of type int32"},
           {"jobs", "{spec: {minAvailable: 2.5}}",
            "json: cannot unmarshal number 2.5 into Go struct field spec.minAvailable of type int32"},
           {"jobs", "{spec: {tasks: {name: a}}}",
            "json: cannot unmarshal object into Go struct field spec.tasks of type []TaskSpec"},
           {"jobs", "{spec: {tasks: [{name: a}, {template: {spec: {hostNetwork: 'yes'}}}]}}",
            "json: cannot unmarshal string into Go struct field spec.tasks[1].template.spec.hostNetwork of type bool"},
           {"jobs", "{spec: {plugins: {svc: '--x'}}}",
            "json: cannot unmarshal string into Go struct field spec.plugins.svc of type []string"},
           {"queues", "{spec: {weight: '3'}}",
            "json: cannot unmarshal string into Go struct field spec.weight of type int32"},
           {"queues", "{spec: {reclaimable: 'false'}}",
            "json: cannot unmarshal string into Go struct field spec.reclaimable of type bool"},
           {"queues", "{spec: {guarantee: {resource: {cpu: []}}}}",
            "spec.guarantee.resource.cpu: quantities must be strings or numbers"},
           {"podgroups", "{spec: {queue: [default]}}",
            "json: cannot unmarshal array into Go struct field spec.queue of type string"},
           {"pods", "{metadata: {annotations: {a: 1}}}",
            "json: cannot unmarshal number into Go struct field metadata.annotations.a of type string"}}) {
    text::Object object = object_of(yaml);
    const text::Object before = object;
    const WebhookResult verdict = world.mutate("/" + std::string(path) + "/mutate", object);
    ASSERT_FALSE(verdict) << yaml;
    EXPECT_EQ(verdict.error(), refusal);
    EXPECT_EQ(object, before);
    EXPECT_EQ(world.create("/" + std::string(path) + "/validate", before), refusal);
  }
  EXPECT_EQ(world.update("/jobs/validate", "{metadata: {name: j}}", "{metadata: {name: j}, spec: {minAvailable: x}}"),
            "json: cannot unmarshal string into Go struct field spec.minAvailable of type int32 (in the object as it "
            "was before the update)");
}

TEST(Admission, NullIsNotGiven) {
  AdmissionFixture world;
  const text::Object job = world.mutated("/jobs/mutate",
                                         "{spec: {minAvailable: null, queue: null, maxRetry: null, tasks: "
                                         "[{name: null, replicas: 2, minAvailable: null}]}}");
  EXPECT_EQ(api::string_at(job, {"spec", "queue"}), "default");
  EXPECT_EQ(api::int_at(job, {"spec", "maxRetry"}), 3);
  EXPECT_EQ(api::int_at(job, {"spec", "minAvailable"}), 2);
}

TEST(Admission, WrongTypesAndLongListsAreAnswered) {
  AdmissionFixture world;
  world.queue("{metadata: 5, spec: [], status: x}");
  for (const std::string_view yaml :
       {"{}", "{metadata: 1, spec: 2, status: 3}", "{metadata: [], spec: []}",
        "{metadata: {name: 1, annotations: [1]}, spec: {tasks: 5, members: 5, flows: 5, plugins: [], volumes: {}}}",
        "{spec: {tasks: [1, null, [], {}], members: [1], flows: [null, {name: 7, dependsOn: {targets: [1, {}]}}], "
        "policies: [1, {}], volumes: [1, {}], schedule: 9, timeZone: 9, parent: 4, capability: {cpu: []}}}",
        "{spec: {tasks: [{replicas: 9223372036854775807, minAvailable: 9223372036854775807, partitionPolicy: "
        "{totalPartitions: 9223372036854775807, partitionSize: 9223372036854775807, minPartitions: 2}}, {replicas: "
        "9223372036854775807}]}}"}) {
    const text::Object object = object_of(yaml);
    for (const Webhook& webhook : webhooks()) {
      if (webhook.mutate != nullptr) {
        text::Object copy = object;
        (void)world.mutate(webhook.path, copy);
      } else {
        (void)world.create(webhook.path, object);
        (void)world.update(webhook.path, object, object);
      }
    }
  }
  text::Array tasks;
  for (int i = 0; i < 20'000; ++i) tasks.push_back({{"name", "Wrong Name " + std::to_string(i)}, {"replicas", -1}});
  const std::string refusal = world.create("/jobs/validate", text::Object{{"spec", text::Object{{"tasks", tasks}}}});
  EXPECT_FALSE(refusal.empty());
  EXPECT_LT(refusal.size(), 32'000U);
}

}  // namespace
}  // namespace basalt::admission
