#include <gmock/gmock.h>

#include "server/admission/admission_fixture.h"

namespace basalt::admission {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kValidateJob = "/jobs/validate";

constexpr std::string_view kJob = R"(
metadata: {name: train, namespace: team}
spec:
  queue: default
  minAvailable: 2
  tasks:
  - name: worker
    replicas: 2
    minAvailable: 2
    template: {spec: {containers: [{name: main, image: busybox}]}}
)";

// The job after `change` was merged in by hand.
text::Object job(auto&& change) {
  text::Object object = object_of(kJob);
  change(object["spec"].get_object());
  return object;
}

text::Object& task(text::Object& spec, size_t index = 0) { return spec["tasks"].get_array()[index].get_object(); }

TEST(JobAdmission, AllowsAPlainJob) {
  AdmissionFixture world;
  EXPECT_EQ(world.create(kValidateJob, kJob), "");
  EXPECT_EQ(world.update(kValidateJob, kJob, kJob), "");
}

TEST(JobAdmission, FillsInWhatIsLeftOut) {
  AdmissionFixture world;
  const text::Object filled = world.mutated("/jobs/mutate", R"(
spec:
  plugins: {mpi: [--master=m]}
  tasks:
  - {replicas: 3, template: {spec: {hostNetwork: true}}}
  - {name: w, replicas: 6, maxRetry: 1, partitionPolicy: {totalPartitions: 3, partitionSize: 2, minPartitions: 2}}
  - {name: z, replicas: 4, minAvailable: 0}
)");
  EXPECT_EQ(filled, object_of(R"(
spec:
  plugins: {mpi: [--master=m], svc: [], ssh: []}
  tasks:
  - name: default0
    replicas: 3
    template: {spec: {hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet}}
    minAvailable: 3
    maxRetry: 3
  - name: w
    replicas: 6
    maxRetry: 1
    partitionPolicy: {totalPartitions: 3, partitionSize: 2, minPartitions: 2}
    minAvailable: 4
  - {name: z, replicas: 4, minAvailable: 0, maxRetry: 3}
  queue: default
  schedulerName: volcano
  maxRetry: 3
  minAvailable: 7
)"));
}

TEST(JobAdmission, TemplateIsJudgedAsAPod) {
  AdmissionFixture world;
  EXPECT_THAT(world.create(kValidateJob, job([](text::Object& spec) {
                             task(spec)["template"] = object_of("{spec: {containers: [{name: Main}]}}");
                           })),
              StartsWith("spec.task[0].template.spec.containers[0].name: Invalid value: \"Main\": "));
  EXPECT_THAT(world.create(kValidateJob, job([](text::Object& spec) { task(spec).erase("template"); })),
              StartsWith("spec.task[0].template.spec.containers: Required value"));
  // A type that no pod has is an answer, not a crash.
  EXPECT_THAT(world.create(kValidateJob, job([](text::Object& spec) {
                             task(spec)["template"] = object_of("{spec: {containers: 5}}");
                           })),
              StartsWith("json: cannot unmarshal number into Go struct field spec.tasks[0].template.spec.containers"));
}

TEST(JobAdmission, WholeCpusForNumaAlignment) {
  AdmissionFixture world;
  const auto with_cpu = [&world](std::string_view cpu) {
    return world.create(kValidateJob, job([cpu](text::Object& spec) {
                          task(spec)["topologyPolicy"] = "restricted";
                          task(spec)["template"].at("spec").at("containers").as_array()[0].get_object()["resources"] =
                              object_of("{limits: {cpu: " + std::string(cpu) + "}}");
                        }));
  };
  EXPECT_EQ(with_cpu("2"), "");
  EXPECT_THAT(with_cpu("1500m"), StartsWith("the cpu request isn't an integer in spec.task[0] container[0]. ("));
}

TEST(JobAdmission, PodNamesOfAllReplicasMustFit) {
  AdmissionFixture world;
  const std::string name(53, 'a');  // <53>-worker-0 has 62 characters, <53>-worker-100 has 64
  const auto with_replicas = [&](int replicas) {
    text::Object object = job([replicas](text::Object& spec) { task(spec)["replicas"] = replicas; });
    object["metadata"].get_object()["name"] = name;
    return world.create(kValidateJob, object);
  };
  EXPECT_EQ(with_replicas(2), "");
  EXPECT_THAT(with_replicas(101),
              StartsWith("create pod with name " + name + "-worker-100 validate failed [name part"));
}

TEST(JobAdmission, QueueMustTakeWork) {
  AdmissionFixture world;
  world.queue("{metadata: {name: closed}, status: {state: Closed}}");
  world.queue("{metadata: {name: fresh}}");
  world.queue("{metadata: {name: child}, spec: {parent: fresh-parent}}");
  world.queue("{metadata: {name: fresh-parent}, status: {state: Open}}");
  world.queue("{metadata: {name: root}, status: {state: Open}}");
  const auto into = [&](std::string_view queue) {
    return world.create(kValidateJob, job([queue](text::Object& spec) { spec["queue"] = queue; }));
  };
  EXPECT_EQ(into("fresh"), "");  // has no state yet: nobody closed it
  EXPECT_THAT(into("closed"), StartsWith("can only submit job to queue with state `Open`, queue `closed` status is "
                                         "`Closed`;"));
  EXPECT_THAT(into("gone"),
              StartsWith("unable to find job queue: queue.scheduling.volcano.sh \"gone\" not found; (spec.queue"));
  EXPECT_THAT(into("root"), StartsWith("can not submit job to root queue;"));
  EXPECT_THAT(into("fresh-parent"), HasSubstr("queue `fresh-parent` has 1 child queues;"));
}

TEST(JobAdmission, TasksNeedAnOrder) {
  AdmissionFixture world;
  const auto depends = [&world](std::string_view a, std::string_view b) {
    return world.create(kValidateJob, job([a, b](text::Object& spec) {
                          text::Object other = task(spec);
                          other["name"] = "ps";
                          other["dependsOn"] = object_of("{name: " + std::string(b) + "}");
                          task(spec)["dependsOn"] = object_of("{name: " + std::string(a) + "}");
                          spec["tasks"].get_array().push_back(other);
                        }));
  };
  constexpr std::string_view kNoDag =
      "job has dependencies between tasks, but doesn't form a directed acyclic "
      "graph(DAG);";
  EXPECT_EQ(depends("[]", "[worker]"), "");
  EXPECT_EQ(depends("[]", "[worker, worker]"), "");  // said twice, meant once
  EXPECT_EQ(depends("[ps]", "[worker]"), std::string(kNoDag) + " (tasks wait for each other: worker -> ps -> worker)");
  EXPECT_EQ(depends("[]", "[nobody]"),
            std::string(kNoDag) + R"( (task "ps" depends on "nobody", which is no task of the job))");
}

TEST(JobAdmission, MpiMasterIsFoundByItsFlag) {
  AdmissionFixture world;
  const auto with = [&world](std::string_view arguments) {
    return world.create(kValidateJob, job([arguments](text::Object& spec) {
                          spec["plugins"] = object_of("{mpi: " + std::string(arguments) + "}");
                        }));
  };
  EXPECT_EQ(with("[--master=worker]"), "");
  EXPECT_EQ(with("[-port, '22', -master, worker]"), "");
  EXPECT_THAT(with("[]"), StartsWith("The specified mpi master task was not found (no task is named \"master\""));
  EXPECT_THAT(with("[--bogus, --master=worker]"), StartsWith("The specified mpi master"));  // reading ends at a fault
}

TEST(JobAdmission, UpdatesChangeOnlyNumbers) {
  AdmissionFixture world;
  const text::Object old = object_of(kJob);
  EXPECT_EQ(world.update(kValidateJob, job([](text::Object& spec) {
                           spec["minAvailable"] = 1;
                           spec["priorityClassName"] = "high";
                           task(spec)["replicas"] = 5;
                           task(spec)["minAvailable"] = 1;
                         }),
                         old),
            "");
  EXPECT_THAT(world.update(kValidateJob, job([](text::Object& spec) { spec["queue"] = "other"; }), old),
              StartsWith("job updates may not change fields other than `minAvailable`, `tasks[*].replicas under spec` "
                         "and `PriorityClassName`"));
  EXPECT_THAT(world.update(kValidateJob, job([](text::Object& spec) { task(spec)["replicas"] = 1; }), old),
              StartsWith("'minAvailable' must be <= 'replicas' in task: worker (spec.tasks[0].minAvailable is 2"));
  EXPECT_THAT(world.update(kValidateJob, job([](text::Object& spec) { spec["ttlSecondsAfterFinished"] = 0; }), old),
              StartsWith("job updates may not change"));
}

TEST(JobAdmission, UpdatesCompareTemplatesByMeaning) {
  AdmissionFixture world;
  const auto with = [](std::string_view container, std::string_view pod) {
    return job([&](text::Object& spec) {
      text::Object one = object_of(pod);
      one["containers"] = text::Array{object_of(container)};
      task(spec)["template"] = text::Object{{"spec", one}};
    });
  };
  const text::Object old = with("{name: main, image: x, resources: {requests: {cpu: '0.5'}}}", "{}");
  EXPECT_EQ(world.update(kValidateJob, with("{name: main, image: x, resources: {requests: {cpu: 500m}}}", "{}"), old),
            "");
  EXPECT_EQ(
      world.update(kValidateJob,
                   with("{name: main, image: x, resources: {requests: {cpu: 500m}}}", "{hostNetwork: false}"), old),
      "");
  EXPECT_NE(world.update(kValidateJob, with("{name: main, image: y, resources: {requests: {cpu: 500m}}}", "{}"), old),
            "");
}

TEST(JobAdmission, ClaimsThatTheControllerNamedAreNoChange) {
  AdmissionFixture world;
  const auto with = [](std::string_view volume) {
    return job([volume](text::Object& spec) { spec["volumes"] = text::Array{object_of(volume)}; });
  };
  const text::Object old = with("{mountPath: /d, volumeClaim: {accessModes: [ReadWriteOnce]}}");
  EXPECT_EQ(
      world.update(kValidateJob,
                   with("{mountPath: /d, volumeClaimName: made, volumeClaim: {accessModes: [ReadWriteOnce]}}"), old),
      "");
  EXPECT_NE(world.update(kValidateJob, with("{mountPath: /d, volumeClaimName: other}"), old), "");
}

}  // namespace
}  // namespace basalt::admission
