// Volcano's webhooks as a client of the server meets them.
#include <gmock/gmock.h>

#include "kube/api/object_fields.h"
#include "kube/text/yaml.h"
#include "server/api_server.h"
#include "server/bootstrap.h"
#include "server/in_process_client.h"

namespace basalt::server {
namespace {

using testing::StartsWith;

const api::GroupVersionResource kJobs{.group = "batch.volcano.sh", .version = "v1alpha1", .plural = "jobs"};
const api::GroupVersionResource kQueues{.group = "scheduling.volcano.sh", .version = "v1beta1", .plural = "queues"};

constexpr std::string_view kJob = R"(
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train}
spec:
  queue: default
  tasks:
  - replicas: 2
    template: {spec: {containers: [{name: main, image: busybox}]}}
)";

class World {
 public:
  explicit World(bool webhooks = true)
      : store_(store::Store::in_memory()),
        api_(*store_, options(webhooks)),
        client_(api_, {.name = "tester", .uid = "", .groups = {}}, "test") {
    EXPECT_TRUE(bootstrap(client_, {.queues = true}));
  }

  client::ReplyOrError send(api::Verb verb, const api::GroupVersionResource& resource, std::string_view name,
                            std::string_view yaml = "", std::string_view subresource = "") {
    api::Call call{.verb = verb, .resource = resource, .name = std::string(name)};
    if (resource.plural == "jobs") call.namespace_name = "default";
    call.subresource = subresource;
    if (!yaml.empty()) call.body = text::parse_yaml(yaml).value().value;
    return client_.call(std::move(call));
  }
  client::ReplyOrError create(const api::GroupVersionResource& resource, std::string_view yaml) {
    return send(api::Verb::Create, resource, "", yaml);
  }
  std::string state(std::string_view queue) {
    const client::ReplyOrError there = send(api::Verb::Get, kQueues, queue);
    return there ? std::string(api::string_at(there->object->get_object(), {"status", "state"})) : "absent";
  }
  client::ObjectClient& client() { return client_; }

 private:
  static ApiServerOptions options(bool webhooks) {
    ApiServerOptions options{.clock = [] { return Instant::from_unix_seconds(1'700'000'000); }, .seed = 1};
    if (webhooks) options.admission.volcano = std::make_shared<const basalt::admission::VolcanoAdmissionOptions>();
    return options;
  }

  std::unique_ptr<store::Store> store_;
  ApiServer api_;
  InProcessClient client_;
};

std::string job_in(std::string_view queue) {
  std::string yaml(kJob);
  return yaml.replace(yaml.find("queue: default"), 14, "queue: " + std::string(queue));
}

TEST(Webhooks, WhatIsOfAWrongTypeIsNotFilledIn) {
  World world;
  for (const auto& [wrong, refusal] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"minAvailable: '2'", "string into Go struct field spec.minAvailable of type int32"},
           {"maxRetry: '10'", "string into Go struct field spec.maxRetry of type int32"},
           {"queue: 5", "number into Go struct field spec.queue of type string"}}) {
    std::string yaml(kJob);
    yaml.replace(yaml.find("queue: default"), 14, wrong);
    const client::ReplyOrError outcome = world.create(kJobs, yaml);
    ASSERT_FALSE(outcome) << wrong;
    EXPECT_EQ(outcome.error().message,
              "admission webhook \"mutatejob.volcano.sh\" denied the request: json: cannot unmarshal " +
                  std::string(refusal));
    EXPECT_FALSE(world.send(api::Verb::Get, kJobs, "train"));
  }
}

TEST(Webhooks, ARefusalReadsAsThatOfAWebhook) {
  World world;
  const client::ReplyOrError outcome = world.create(kJobs, job_in("nowhere"));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, 400);
  EXPECT_THAT(outcome.error().message,
              StartsWith("admission webhook \"validatejob.volcano.sh\" denied the request: unable to find job queue: "
                         "queue.scheduling.volcano.sh \"nowhere\" not found;"));
  const text::Value status = outcome.error().to_status();
  EXPECT_FALSE(status.get_object().contains("reason"));
  EXPECT_FALSE(status.get_object().contains("details"));
}

TEST(Webhooks, WhatIsFilledInIsStored) {
  World world;
  const client::ReplyOrError outcome = world.create(kJobs, kJob);
  ASSERT_TRUE(outcome) << outcome.error().message;
  const text::Object& spec = *api::object_at(outcome->object->get_object(), {"spec"});
  EXPECT_EQ(api::int_at(spec, {"minAvailable"}), 2);
  EXPECT_EQ(api::string_at(spec, "schedulerName"), "volcano");
  EXPECT_EQ(api::string_at(api::array_at(spec, {"tasks"})->at(0).get_object(), "name"), "default0");
}

TEST(Webhooks, SchemaSpeaksBeforeThem) {
  World world;
  std::string yaml = job_in("nowhere");
  yaml.replace(yaml.find("replicas: 2"), 11, "replicas: -1");
  const client::ReplyOrError outcome = world.create(kJobs, yaml);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, 422);
}

TEST(Webhooks, UpdatesAndDeletionsAreJudgedAndStatusIsNot) {
  World world;
  ASSERT_TRUE(world.create(kQueues,
                           "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: a}, "
                           "spec: {parent: default}}"));
  const client::ReplyOrError moved = world.send(api::Verb::Patch, kQueues, "a", "{spec: {parent: a}}");
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().message,
            "admission webhook \"validatequeue.volcano.sh\" denied the request: queue a cannot use itself as parent");
  EXPECT_TRUE(world.send(api::Verb::Patch, kQueues, "a", "{status: {state: Closing}}", "status"));
  EXPECT_TRUE(world.send(api::Verb::Patch, kQueues, "a", "{spec: {weight: 2}}"));
  const client::ReplyOrError deleted = world.send(api::Verb::Delete, kQueues, "default");
  ASSERT_FALSE(deleted);
  EXPECT_EQ(deleted.error().message,
            "admission webhook \"validatequeue.volcano.sh\" denied the request: `default` queue can not be deleted");
  EXPECT_TRUE(world.send(api::Verb::Delete, kQueues, "a"));
}

TEST(Webhooks, NobodyIsAskedUnlessWanted) {
  World world(false);
  const client::ReplyOrError outcome = world.create(kJobs, job_in("nowhere"));
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_FALSE(api::object_at(outcome->object->get_object(), {"spec"})->contains("schedulerName"));
}

TEST(Bootstrap, QueuesAreOpenAndStayAsTheirOwnersLeaveThem) {
  World world;
  EXPECT_EQ(world.state("root"), "Open");
  EXPECT_EQ(world.state("default"), "Open");
  EXPECT_TRUE(world.send(api::Verb::Patch, kQueues, "default", "{status: {state: Closed}}", "status"));
  EXPECT_TRUE(bootstrap(world.client(), {.queues = true}));
  EXPECT_EQ(world.state("default"), "Closed");
}

}  // namespace
}  // namespace basalt::server
