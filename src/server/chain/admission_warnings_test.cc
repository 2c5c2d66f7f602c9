// Warnings as a client of the server meets them.
#include "server/chain/admission_warnings.h"

#include <gmock/gmock.h>

#include "kube/text/yaml.h"
#include "server/api_server.h"
#include "server/bootstrap.h"
#include "server/in_process_client.h"

namespace basalt::server {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class AdvisedWorld {
 public:
  explicit AdvisedWorld(bool warns_on_create = true)
      : store_(store::Store::in_memory()),
        api_(*store_, options(warns_on_create)),
        client_(api_, {.name = "tester", .uid = "", .groups = {}}, "test") {
    EXPECT_TRUE(bootstrap(client_, {.queues = true}));
  }

  // Creates the object in the namespace "default"; the warnings of the answer, or its refusal.
  std::vector<std::string> create(const api::GroupVersionResource& resource, std::string_view yaml) {
    api::Call call{.verb = api::Verb::Create, .resource = resource};
    call.namespace_name = resource.plural == "priorityclasses" ? "" : "default";
    call.body = text::parse_yaml(yaml).value().value;
    const client::ReplyOrError made = client_.call(std::move(call));
    return made ? made->warnings : std::vector<std::string>{"refused: " + made.error().message};
  }

 private:
  static ApiServerOptions options(bool warns_on_create) {
    ApiServerOptions options{.clock = [] { return Instant::from_unix_seconds(1'700'000'000); }, .seed = 1};
    options.admission.volcano = std::make_shared<const basalt::admission::VolcanoAdmissionOptions>();
    options.admission.warns_on_create = warns_on_create;
    options.admission.schedulers = {"volcano", "default-scheduler"};
    return options;
  }
  std::unique_ptr<store::Store> store_;
  ApiServer api_;
  InProcessClient client_;
};

const api::GroupVersionResource kVolcanoJobs{.group = "batch.volcano.sh", .version = "v1alpha1", .plural = "jobs"};
const api::GroupVersionResource kDeployments{.group = "apps", .version = "v1", .plural = "deployments"};
const api::GroupVersionResource kBatchJobs{.group = "batch", .version = "v1", .plural = "jobs"};
const api::GroupVersionResource kAdvisedPods{.group = "", .version = "v1", .plural = "pods"};

constexpr std::string_view kDeployment =
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {selector: {matchLabels: {a: b}}, template: "
    "{metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}";

std::string job_with(std::string_view fields, std::string_view pod_fields = "") {
  return "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {generateName: j-}, spec: {queue: default" +
         std::string(fields) + ", tasks: [{name: t, replicas: 1, template: {spec: {containers: [{name: c, image: i}]" +
         std::string(pod_fields) + "}}}]}}";
}

TEST(Advice, AWorkloadThatNobodyRunsIsAnsweredWithAWarning) {
  AdvisedWorld world;
  EXPECT_THAT(world.create(kDeployments, kDeployment),
              ElementsAre("nobody runs a Deployment in this cluster: it is stored, and no pods are made for it; use a "
                          "Job of batch.volcano.sh/v1alpha1, or pods"));
  EXPECT_THAT(world.create(kBatchJobs,
                           "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {template: {spec: "
                           "{restartPolicy: Never, containers: [{name: c, image: i}]}}}}"),
              ElementsAre("nobody runs a Job in this cluster: it is stored, and no pods are made for it; use a Job of "
                          "batch.volcano.sh/v1alpha1"));
  EXPECT_THAT(AdvisedWorld(false).create(kDeployments, kDeployment), IsEmpty()) << "somebody else may run it";
}

TEST(Advice, WhatNobodyActsOnIsAnsweredWithAWarning) {
  AdvisedWorld world;
  EXPECT_THAT(world.create({.group = "networking.k8s.io", .version = "v1", .plural = "ingresses"},
                           "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web}, spec: "
                           "{defaultBackend: {service: {name: web, port: {number: 80}}}}}"),
              ElementsAre("nobody acts on an Ingress in this cluster: it is stored, and no traffic comes in by it; use "
                          "the address of the Service"));
  EXPECT_THAT(world.create({.group = "networking.k8s.io", .version = "v1", .plural = "networkpolicies"},
                           "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: closed}, spec: "
                           "{podSelector: {}}}"),
              ElementsAre("nobody acts on a NetworkPolicy in this cluster: it is stored, and it keeps no traffic away; "
                          "do not rely on it"));
}

TEST(Advice, AJobThatNamesWhatDoesNotExistIsTakenWithAWarning) {
  AdvisedWorld world;
  EXPECT_THAT(world.create(kVolcanoJobs, job_with("")), IsEmpty());
  EXPECT_THAT(world.create(kVolcanoJobs, job_with(", schedulerName: volcno")),
              ElementsAre("spec.schedulerName: nobody in this cluster places pods for the scheduler \"volcno\"; those "
                          "here are volcano, default-scheduler"));
  EXPECT_THAT(world.create(kVolcanoJobs, job_with(", priorityClassName: urgent")),
              ElementsAre("spec.priorityClassName: there is no PriorityClass \"urgent\"; pods are refused until it "
                          "exists"));
  EXPECT_THAT(world.create(kVolcanoJobs, job_with(", volumes: [{mountPath: /d, volumeClaimName: data}]")),
              ElementsAre("spec.volumes[0].volumeClaimName: there is no PersistentVolumeClaim \"data\" in namespace "
                          "default; pods wait until it exists"));
  EXPECT_THAT(world.create(kVolcanoJobs, job_with("", ", priorityClassName: urgent")),
              ElementsAre("spec.tasks[0].template.spec.priorityClassName: there is no PriorityClass \"urgent\"; pods "
                          "are refused until it exists"));
  EXPECT_THAT(
      world.create({.group = "scheduling.k8s.io", .version = "v1", .plural = "priorityclasses"},
                   "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: urgent}, value: 1}"),
      IsEmpty());
  EXPECT_THAT(world.create(kVolcanoJobs, job_with(", priorityClassName: urgent")), IsEmpty());
}

TEST(Advice, APodThatNobodyPlacesIsTakenWithAWarning) {
  AdvisedWorld world;
  const std::string pod =
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {schedulerName: mine, containers: [{name: c, image: i}], "
      "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]}}";
  EXPECT_THAT(world.create(kAdvisedPods, pod),
              ElementsAre("spec.schedulerName: nobody in this cluster places pods for the scheduler \"mine\"; those "
                          "here are volcano, default-scheduler",
                          "spec.volumes[0].persistentVolumeClaim.claimName: there is no PersistentVolumeClaim \"data\" "
                          "in namespace default; pods wait until it exists"));
}

}  // namespace
}  // namespace basalt::server
