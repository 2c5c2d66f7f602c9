// A job that came in under a definition that says less than ours: the controllers tell it, and leave it alone.
#include <gmock/gmock.h>

#include "control/volcano/system_services.h"
#include "control/volcano/volcano_controller_manager.h"
#include "kube/api/object_fields.h"
#include "kube/text/yaml.h"
#include "server/rest/storage_conversion.h"
#include "tests/jobs/job_cluster.h"

namespace basalt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kMalformedJob = R"(
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: j, namespace: default, uid: u-j}
spec:
  minAvailable: "2"
  queue: default
  tasks:
  - {name: a, replicas: 4, template: {spec: {containers: [{name: main, image: busybox}]}}}
)";

// Past every door: straight into the store.
void store_job(SharedServer& shared) {
  const auto kinds = shared.server->kinds();
  const api::ApiResource* jobs = kinds->find("batch.volcano.sh", "v1alpha1", "jobs");
  ASSERT_NE(jobs, nullptr);
  server::EncodedObject encoded =
      server::encode_for_store(*jobs, text::parse_yaml(kMalformedJob).value().value.as_object());
  ASSERT_TRUE(shared.store->write({.address = {.resource = jobs->storage_name(), .key = "default/j"},
                                   .bytes = std::move(encoded.bytes),
                                   .version_at = encoded.version_at},
                                  [](const auto&) {}));
}

std::vector<client::ObjectPtr> list(SharedServer& shared, std::string_view plural) {
  api::Call call{.verb = api::Verb::List, .resource = {.group = "", .version = "v1", .plural = std::string(plural)}};
  call.namespace_name = "default";
  return shared.client->call(std::move(call)).value().items;
}

TEST(MalformedJob, IsToldAndLeftAlone) {
  SharedServer shared;
  store_job(shared);
  const auto controllers = volcano::VolcanoControllerManager::make(*shared.client, {}, volcano::make_system_services(),
                                                                   {.component = "test"});
  ASSERT_TRUE(controllers) << controllers.error().message;
  for (int i = 0; i < 4; ++i) (*controllers)->step(shared.now);
  (*controllers)->stop();
  std::vector<std::string> told;
  for (const client::ObjectPtr& event : list(shared, "events")) {
    const text::Object& root = event->get_object();
    told.push_back(std::string(api::string_at(root, {"involvedObject", "name"})) + " " +
                   std::string(api::string_at(root, "reason")) + ": " + std::string(api::string_at(root, "message")));
  }
  EXPECT_THAT(told, ElementsAre("j FailedDecode: json: cannot unmarshal string into Go struct field spec.minAvailable "
                                "of type int32; this state is ignored until it changes"));
  EXPECT_THAT(list(shared, "pods"), IsEmpty());
}

}  // namespace
}  // namespace basalt
