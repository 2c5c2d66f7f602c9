// What the four documents promise their readers, document by document: every manifest and command about queues, jobs,
// priority classes, policies and plugins is taken from the text, carried out, and leads to what the text says.
//
// Placement is the scheduler's and is not looked at here: stand-ins let every PodGroup in and run the pods. "Gang" is
// therefore checked as far as the PodGroup's minMember and the job's phase.
#include <gtest/gtest.h>

#include "kube/api/object_fields.h"
#include "kube/text/yaml.h"
#include "tests/seeds/flat_yaml.h"
#include "tests/seeds/seed_cluster.h"

namespace basalt::seeds {
namespace {

using testing::Test;

#define BASALT_SEED_OR_SKIP(name, number)     \
  const std::string name = read_seed(number); \
  if (name.empty()) GTEST_SKIP() << "SKIPPED: the seed documents are not below $BASALT_SEEDS_DIR, ../shared/seeds"

text::Object object_of(const std::string& yaml) {
  auto document = text::parse_yaml(yaml);
  EXPECT_TRUE(document.has_value() && document->value.is_object()) << yaml;
  return document && document->value.is_object() ? document->value.get_object() : text::Object();
}

// The block that contains `part`.
std::string block_with(const std::vector<std::string>& blocks, std::string_view part) {
  for (const std::string& block : blocks) {
    if (block.find(part) != std::string::npos) return block;
  }
  ADD_FAILURE() << "no block contains " << part;
  return "";
}

std::string group_of(SeedCluster& seen, std::string_view job, std::string_view path) {
  const auto [ns, name] = lab::life_name(**lab::life_kind("job"), job);
  const std::string uid = seen.field("job", job, ".metadata.uid");
  return seen.field("podgroup", ns + "/" + name + "-" + uid, path);
}

text::Object small_job(std::string_view name, text::Object spec) {
  for (text::Value& task : api::array_in(spec, "tasks")) {
    if (task.get_object().contains("template")) continue;
    task.get_object()["template"] = text::Object{
        {"spec", text::Object{{"containers", text::Array{text::Object{{"name", "c"}, {"image", "app:1"}}}}}}};
  }
  return {{"apiVersion", "batch.volcano.sh/v1alpha1"},
          {"kind", "Job"},
          {"metadata", text::Object{{"name", name}}},
          {"spec", std::move(spec)}};
}

TEST(SeedGuide, GangFragmentWaitsForAllFour) {
  BASALT_SEED_OR_SKIP(document, 0);
  SeedCluster seen;
  seen.cluster.enqueues = false;
  text::Object fragment = object_of(block_with(fenced_yaml(document), "ml-training-workers"));
  ASSERT_EQ(seen.apply(small_job("gang", *api::object_at(fragment, {"spec"}))), "");
  EXPECT_EQ(group_of(seen, "gang", ".spec.minMember"), "4");
  EXPECT_EQ(seen.pods("gang"), "") << "nothing is made before the queue lets all four in";
  seen.cluster.enqueues = true;
  seen.settle();
  EXPECT_EQ(seen.pods("gang"),
            "gang-ml-training-workers-0:Pending gang-ml-training-workers-1:Pending "
            "gang-ml-training-workers-2:Pending gang-ml-training-workers-3:Pending");
  seen.report("gang", "Running");
  EXPECT_EQ(seen.field("job", "gang", ".status.state.phase"), "Running");
}

TEST(SeedGuide, QueuesAreAsListed) {
  BASALT_SEED_OR_SKIP(document, 0);
  SeedCluster seen;
  const std::vector<std::string> blocks = fenced_yaml(document);
  ASSERT_EQ(seen.apply(block_with(blocks, "ml-team-a")), "");
  ASSERT_EQ(seen.apply(block_with(blocks, "name: ml-queue")), "");
  EXPECT_EQ(seen.field("queue", "ml-team-a", ".spec.capability['nvidia.com/gpu']"), "20");
  EXPECT_EQ(seen.field("queue", "default", ".spec.parent"), "root");
  EXPECT_EQ(seen.field("queue", "ml-queue", ".spec.parent"), "root");
  EXPECT_EQ(seen.field("queue", "root", ".spec.parent"), "");
  EXPECT_EQ(seen.field("queue", "ml-queue", ".status.state"), "Open");
  EXPECT_EQ(seen.field("queue", "ml-queue", ".spec.reclaimable"), "true");
}

TEST(SeedGuide, ModelJobRunsBothServersAndRestartsAsAWhole) {
  BASALT_SEED_OR_SKIP(document, 0);
  SeedCluster seen;
  const std::vector<std::string> blocks = fenced_yaml(document);
  ASSERT_EQ(seen.apply(block_with(blocks, "name: ml-queue")), "");
  ASSERT_EQ(seen.apply(block_with(blocks, "ml-model-config\ndata:")), "");
  ASSERT_EQ(seen.apply(block_with(blocks, "name: ml-model-job")), "");
  const std::string job = "ml-models/ml-model-job";
  EXPECT_EQ(group_of(seen, job, ".spec.minMember"), "2");
  for (const char* what : {"service", "networkpolicy"}) EXPECT_TRUE(seen.there(what, job)) << what;
  EXPECT_TRUE(seen.there("configmap", job + "-svc"));
  EXPECT_TRUE(seen.there("secret", job + "-ssh"));
  seen.report(job, "Running");
  EXPECT_EQ(seen.pods(job), "ml-model-job-ml-server-0:Running ml-model-job-ml-server-1:Running");
  EXPECT_EQ(seen.field("job", job, ".status.state.phase"), "Running");
  EXPECT_EQ(seen.field("job", job, ".status.minAvailable"), "2");
  EXPECT_EQ(seen.field("job", job, ".status.running"), "2");
  EXPECT_EQ(seen.field("pod", job + "-ml-server-0", ".metadata.labels.app"), "ml-model");

  seen.report_pod(job + "-ml-server-1", "Failed", 1);
  EXPECT_EQ(seen.field("job", job, ".status.retryCount"), "1") << "PodFailed restarts the entire job";
  EXPECT_EQ(seen.pods(job), "ml-model-job-ml-server-0:Pending ml-model-job-ml-server-1:Pending");
  seen.report(job, "Running");
  seen.report_pod(job + "-ml-server-1", "Failed", 1);
  seen.report(job, "Running");
  seen.report_pod(job + "-ml-server-0", "Failed", 1);
  EXPECT_EQ(seen.field("job", job, ".status.state.phase"), "Failed") << "maxRetry: 3";
}

TEST(SeedGuide, ScalingAndResourcesFollowTheText) {
  BASALT_SEED_OR_SKIP(document, 0);
  SeedCluster seen;
  const std::vector<std::string> blocks = fenced_yaml(document);
  text::Object job = object_of(block_with(blocks, "name: ml-model-job"));
  const text::Object adjusted = object_of(block_with(blocks, "cpu: \"500m\""));
  text::Object& task = api::array_in(api::object_in(job, "spec"), "tasks").at(0).get_object();
  text::Object& pod = api::object_in(api::object_in(task, "template"), "spec");
  api::array_in(pod, "containers").at(0).get_object()["resources"] = *api::value_at(adjusted, {"resources"});
  ASSERT_EQ(seen.apply(job), "") << "Resource Adjustment";
  EXPECT_EQ(group_of(seen, "ml-models/ml-model-job", ".spec.minResources.cpu"), "1");
  task["replicas"] = 3;
  api::object_in(job, "spec")["minAvailable"] = 3;
  ASSERT_EQ(seen.apply(job), "") << "Scaling: replicas and minAvailable";
  EXPECT_EQ(seen.pods("ml-models/ml-model-job"),
            "ml-model-job-ml-server-0:Pending ml-model-job-ml-server-1:Pending ml-model-job-ml-server-2:Pending");
  EXPECT_EQ(group_of(seen, "ml-models/ml-model-job", ".spec.minMember"), "3");
}

// Kind/name of what the text has.
std::vector<std::string> heads_of(const std::vector<std::string>& manifests) {
  std::vector<std::string> heads;
  for (const std::string& manifest : manifests) {
    const text::Object object = object_of(manifest);
    heads.push_back(std::string(api::string_at(object, "kind")) + "/" + std::string(api::name_of(object)));
  }
  return heads;
}

TEST(SeedRecipe, EveryManifestIsAcceptedAndTrainingLives) {
  BASALT_SEED_OR_SKIP(document, 1);
  const std::vector<std::string> manifests = manifests_in_flat_text(document);
  ASSERT_EQ(heads_of(manifests),
            (std::vector<std::string>{"Queue/training-queue", "Queue/inference-queue", "Queue/dev-queue",
                                      "Job/distributed-training", "PriorityClass/production-training",
                                      "PriorityClass/dev-experiment", "Job/urgent-training"}));
  SeedCluster seen;
  for (const std::string& manifest : manifests) ASSERT_EQ(seen.apply(manifest), "") << manifest;
  EXPECT_EQ(seen.field("queue", "training-queue", ".spec.capability['nvidia.com/gpu']"), "32");

  const std::string job = "ml-training/distributed-training";
  EXPECT_EQ(group_of(seen, job, ".spec.minMember"), "4");
  EXPECT_EQ(group_of(seen, job, ".spec.queue"), "training-queue");
  EXPECT_EQ(seen.field("pod", job + "-worker-2", ".spec.schedulerName"), "volcano");
  EXPECT_TRUE(seen.there("service", job) && seen.there("secret", job + "-ssh"));
  EXPECT_NE(seen.field("pod", job + "-worker-2", ".spec.containers[0].env[?(@.name=='VC_MASTER_HOST')].name"), "")
      << "the arguments of the example name $(VC_MASTER_HOST)";
  seen.report(job, "Running");
  EXPECT_EQ(seen.field("job", job, ".status.state.phase"), "Running");
  seen.report_pod(job + "-worker-0", "Failed", 1);
  EXPECT_EQ(seen.field("job", job, ".status.retryCount"), "1") << "PodFailed → RestartJob";
  seen.report(job, "Running");
  seen.report_pod(job + "-master-0", "Succeeded");
  EXPECT_EQ(seen.field("job", job, ".status.state.phase"), "Completed") << "TaskCompleted → CompleteJob";
  ASSERT_TRUE(seen.cluster.advance(Duration::seconds(3600)).has_value());
  EXPECT_FALSE(seen.there("job", job)) << "ttlSecondsAfterFinished: 3600";

  EXPECT_EQ(seen.field("pod", "urgent-training-worker-0", ".spec.priority"), "1000");
  EXPECT_EQ(group_of(seen, "urgent-training", ".spec.priorityClassName"), "production-training");
}

TEST(SeedRecipe, QueueCanBeAnnotated) {
  BASALT_SEED_OR_SKIP(document, 1);
  ASSERT_NE(document.find("kubectl annotate queue dev-queue volcano.sh/overuse-tolerance=0"), std::string::npos);
  SeedCluster seen;
  for (const std::string& manifest : manifests_in_flat_text(document)) ASSERT_EQ(seen.apply(manifest), "");
  api::Call call{.verb = api::Verb::Patch, .resource = (*lab::life_kind("queue"))->resource()};
  call.name = "dev-queue";
  call.body =
      text::Object{{"metadata", text::Object{{"annotations", text::Object{{"volcano.sh/overuse-tolerance", "0"}}}}}};
  ASSERT_TRUE(seen.cluster.user().call(std::move(call)).has_value());
  seen.settle();
  EXPECT_EQ(seen.field("queue", "dev-queue", ".metadata.annotations['volcano.sh/overuse-tolerance']"), "0");
}

TEST(SeedOverview, EveryManifestIsAccepted) {
  BASALT_SEED_OR_SKIP(document, 2);
  const std::vector<std::string> manifests = manifests_in_flat_text(document);
  ASSERT_EQ(heads_of(manifests),
            (std::vector<std::string>{"Queue/ml-training", "PodGroup/training-job", "Job/tf-training", "Job/mpi-job",
                                      "Job/pytorch-ddp", "Job/spark-job", "Queue/ml-research", "Queue/data-pipeline",
                                      "Queue/dept-a", "Queue/team-a1"}));
  SeedCluster seen;
  // Named by the examples, defined nowhere in the text.
  ASSERT_EQ(seen.apply("{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high-priority}, "
                       "value: 1000}"),
            "");
  for (const char* queue : {"compute", "data-processing"}) {
    ASSERT_EQ(seen.vcctl(std::string("queue create -n ") + queue).code, 0);
  }
  for (const std::string& manifest : manifests) ASSERT_EQ(seen.apply(manifest), "") << manifest;
  EXPECT_EQ(seen.field("queue", "ml-training", ".spec.deserved.cpu"), "16") << "what is guaranteed is deserved";
  EXPECT_EQ(seen.field("podgroup", "training-job", ".spec.minMember"), "4");
  EXPECT_EQ(seen.field("queue", "team-a1", ".spec.parent"), "dept-a");
  EXPECT_EQ(seen.field("queue", "ml-research", ".spec.guarantee.resource['nvidia.com/gpu']"), "4");
  EXPECT_EQ(group_of(seen, "mpi-job", ".spec.minMember"), "8");
  EXPECT_EQ(group_of(seen, "spark-job", ".spec.minMember"), "3");

  // tf-training: Running with minAvailable pods, complete when the workers are.
  seen.report("tf-training", "Running");
  EXPECT_EQ(seen.field("job", "tf-training", ".status.state.phase"), "Running");
  for (const char* worker : {"0", "1", "2", "3"}) {
    seen.report_pod(std::string("tf-training-worker-") + worker, "Succeeded");
  }
  EXPECT_EQ(seen.field("job", "tf-training", ".status.state.phase"), "Completed");
  EXPECT_EQ(seen.pods("tf-training").find("tf-training-ps-0"), std::string::npos) << "the parameter server is stopped";

  EXPECT_EQ(seen.field("pod", "pytorch-ddp-worker-3", ".spec.containers[0].env[?(@.name=='VK_TASK_INDEX')].value"),
            "3");
  EXPECT_TRUE(seen.there("service", "pytorch-ddp"));
}

TEST(SeedOverview, LifecyclePoliciesAndPluginsDoWhatTheTablesSay) {
  BASALT_SEED_OR_SKIP(document, 2);
  text::Object spec = object_of(fragment_in_flat_text(document, "policies:"));
  const text::Object plugins = object_of(fragment_in_flat_text(document, "plugins:"));
  ASSERT_EQ(spec.at("policies").get_array().size(), 3U);
  spec["plugins"] = *api::value_at(plugins, {"plugins"});
  const text::Array containers{
      text::Object{{"name", "c"}, {"image", "app:1"}, {"args", text::Array{"--of=$(VK_TASK_NUM)"}}}};
  spec["tasks"] =
      text::Array{text::Object{{"name", "worker"},
                               {"replicas", 2},
                               {"template", text::Object{{"spec", text::Object{{"containers", containers}}}}}}};
  SeedCluster seen;
  for (const char* name : {"evicted", "failed", "completed"}) {
    ASSERT_EQ(seen.apply(small_job(name, spec)), "");
    seen.report(name, "Running");
  }
  api::Call call{.verb = api::Verb::Delete, .resource = (*lab::life_kind("pod"))->resource()};
  call.namespace_name = "default";
  call.name = "evicted-worker-0";
  ASSERT_TRUE(seen.cluster.user().call(std::move(call)).has_value());
  seen.settle();
  EXPECT_EQ(seen.field("job", "evicted", ".status.retryCount"), "1") << "PodEvicted → RestartJob";
  seen.report_pod("failed-worker-1", "Failed", 1);
  EXPECT_EQ(seen.field("job", "failed", ".status.state.phase"), "Aborted") << "PodFailed → AbortJob";
  seen.report("completed", "Succeeded");
  EXPECT_EQ(seen.field("job", "completed", ".status.state.phase"), "Completed") << "TaskCompleted → CompleteJob";

  EXPECT_TRUE(seen.there("secret", "evicted-ssh")) << "ssh: generates key pairs";
  EXPECT_TRUE(seen.there("service", "evicted")) << "svc: a headless Service";
  EXPECT_EQ(seen.field("service", "evicted", ".spec.clusterIP"), "None");
  EXPECT_EQ(seen.field("pod", "evicted-worker-1", ".spec.containers[0].env[?(@.name=='VK_TASK_INDEX')].value"), "1");
  EXPECT_EQ(seen.field("pod", "evicted-worker-1", ".spec.containers[0].env[?(@.name=='VK_TASK_NUM')].value"), "2")
      << "env: each pod knows its index and the total count";
}

// The text names the job by -n, which is the namespace in Volcano's vcctl; both ways of naming it work here or the
// command says which flag it wants.
SeedCluster::VcctlResult vcctl_of_overview(SeedCluster& seen, std::string_view verb) {
  const SeedCluster::VcctlResult result = seen.vcctl("job " + std::string(verb) + " -n my-job");
  if (result.code == 0) return result;
  EXPECT_NE(result.text.find("mandatory"), std::string::npos) << result.text;
  return seen.vcctl("job " + std::string(verb) + " -N my-job");
}

TEST(SeedOverview, VcctlWorksOnQueuesAndJobs) {
  BASALT_SEED_OR_SKIP(document, 2);
  for (const char* line :
       {"vcctl queue list", "vcctl queue create -n my-queue -w 2", "vcctl job list", "vcctl job view -n my-job",
        "vcctl job suspend -n my-job", "vcctl job resume -n my-job", "vcctl job delete -n my-job"}) {
    ASSERT_NE(document.find(line), std::string::npos) << line;
  }
  SeedCluster seen;
  ASSERT_EQ(seen.vcctl("queue create -n my-queue -w 2").code, 0);
  EXPECT_EQ(seen.field("queue", "my-queue", ".spec.weight"), "2");
  EXPECT_NE(seen.vcctl("queue list").text.find("my-queue"), std::string::npos);
  text::Object spec{{"queue", "my-queue"}, {"tasks", text::Array{text::Object{{"name", "w"}, {"replicas", 2}}}}};
  ASSERT_EQ(seen.apply(small_job("my-job", std::move(spec))), "");
  seen.report("my-job", "Running");
  EXPECT_NE(seen.vcctl("job list").text.find("my-job"), std::string::npos);
  EXPECT_NE(vcctl_of_overview(seen, "view").text.find("my-job"), std::string::npos);
  EXPECT_EQ(vcctl_of_overview(seen, "suspend").code, 0);
  EXPECT_EQ(seen.field("job", "my-job", ".status.state.phase"), "Aborted");
  EXPECT_EQ(seen.pods("my-job"), "");
  EXPECT_EQ(vcctl_of_overview(seen, "resume").code, 0);
  EXPECT_EQ(seen.pods("my-job"), "my-job-w-0:Pending my-job-w-1:Pending");
  EXPECT_EQ(vcctl_of_overview(seen, "delete").code, 0);
  EXPECT_FALSE(seen.there("job", "my-job"));
}

// The slides have no manifests; what they say about MPI jobs is written down here.
TEST(SeedSlides, MpiJobCompletesWithMpirunAndKeepsItsOutput) {
  BASALT_SEED_OR_SKIP(document, 3);
  for (const char* line : {"Complete job when mpirun completed", "Headless service", "Multiple Pod Template",
                           "The workers are deleted by job controller"}) {
    ASSERT_NE(document.find(line), std::string::npos) << line;
  }
  SeedCluster seen;
  text::Object master{{"name", "master"},
                      {"replicas", 1},
                      {"policies", text::Array{text::Object{{"event", "TaskCompleted"}, {"action", "CompleteJob"}}}}};
  text::Object spec{{"plugins", text::Object{{"mpi", text::Array{}}}},
                    {"tasks", text::Array{std::move(master), text::Object{{"name", "worker"}, {"replicas", 3}}}}};
  ASSERT_EQ(seen.apply(small_job("mpi", std::move(spec))), "");
  EXPECT_EQ(group_of(seen, "mpi", ".spec.minMember"), "4") << "gang-scheduling";
  EXPECT_TRUE(seen.there("secret", "mpi-ssh")) << "ssh";
  EXPECT_EQ(seen.field("service", "mpi", ".spec.clusterIP"), "None") << "headless service";
  seen.report("mpi", "Running");
  const auto restarted = seen.cluster.report("default", "mpi-master-0", {.phase = "Running", .restarts = 2});
  ASSERT_TRUE(restarted.has_value());
  seen.settle();
  EXPECT_EQ(seen.field("job", "mpi", ".status.state.phase"), "Running") << "mpirun may restart few times";
  seen.report_pod("mpi-master-0", "Succeeded");
  EXPECT_EQ(seen.field("job", "mpi", ".status.state.phase"), "Completed");
  EXPECT_EQ(seen.pods("mpi"), "mpi-master-0:Succeeded") << "workers are deleted, the pod of mpirun is kept";
}

TEST(SeedSlides, JobAndQueueManagementIsThere) {
  BASALT_SEED_OR_SKIP(document, 3);
  for (const char* line : {"Hierarchical queue", "Task dependency", "Delay Pod Creation", "suspend/resume",
                           "Indexed Job", "restart job if pod failed"}) {
    ASSERT_NE(document.find(line), std::string::npos) << line;
  }
  SeedCluster seen;
  ASSERT_EQ(seen.apply("{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: dept}}\n---\n"
                       "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: team}, "
                       "spec: {parent: dept}}"),
            "");
  EXPECT_EQ(seen.field("queue", "team", ".status.state"), "Open") << "queue status";
  text::Object executor{
      {"name", "executor"}, {"replicas", 2}, {"dependsOn", text::Object{{"name", text::Array{"driver"}}}}};
  text::Object spec{{"queue", "team"},
                    {"minAvailable", 1},
                    {"plugins", text::Object{{"env", text::Array{}}}},
                    {"policies", text::Array{text::Object{{"event", "PodFailed"}, {"action", "RestartJob"}}}},
                    {"tasks", text::Array{text::Object{{"name", "driver"}, {"replicas", 1}}, std::move(executor)}}};
  ASSERT_EQ(seen.apply(small_job("spark", std::move(spec))), "");
  EXPECT_EQ(seen.pods("spark"), "spark-driver-0:Pending") << "executors are made when the driver runs";
  seen.report("spark", "Running");
  seen.report("spark", "Running");
  EXPECT_EQ(seen.pods("spark"), "spark-driver-0:Running spark-executor-0:Running spark-executor-1:Running");
  EXPECT_EQ(seen.field("pod", "spark-executor-1", ".spec.containers[0].env[?(@.name=='VC_TASK_INDEX')].value"), "1");
  seen.report_pod("spark-executor-1", "Failed", 2);
  EXPECT_EQ(seen.field("job", "spark", ".status.retryCount"), "1");
}

}  // namespace
}  // namespace basalt::seeds
