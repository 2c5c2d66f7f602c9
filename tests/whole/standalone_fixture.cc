#include "tests/whole/standalone_fixture.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "kube/api/object_fields.h"
#include "kube/client/kubeconfig_loader.h"
#include "kube/net/http_client.h"
#include "kube/text/json.h"
#include "kube/text/yaml.h"
#include "programs/cli/server_flags.h"

namespace basalt::tests {

const api::GroupVersionResource StandaloneFixture::kJobs{
    .group = "batch.volcano.sh", .version = "v1alpha1", .plural = "jobs"};
const api::GroupVersionResource StandaloneFixture::kPods{.group = "", .version = "v1", .plural = "pods"};
const api::GroupVersionResource StandaloneFixture::kQueues{
    .group = "scheduling.volcano.sh", .version = "v1beta1", .plural = "queues"};
const api::GroupVersionResource StandaloneFixture::kNamespaces{.group = "", .version = "v1", .plural = "namespaces"};
const api::GroupVersionResource StandaloneFixture::kLeases{
    .group = "coordination.k8s.io", .version = "v1", .plural = "leases"};

WatchedObjects::WatchedObjects(client::ObjectClient& client, const api::GroupVersionResource& kind) {
  watch_ = client.watch({.verb = api::Verb::Watch, .resource = kind},
                        [this](const client::WatchEvent& event) { take(event); });
}

void WatchedObjects::take(const client::WatchEvent& event) {
  if (event.object == nullptr || event.type == client::WatchEventType::Bookmark) return;
  const std::lock_guard lock(mutex_);
  const std::string name(api::name_of(event.object->get_object()));
  if (event.type == client::WatchEventType::Deleted) {
    objects_.erase(name);
  } else {
    objects_[name] = event.object;
  }
  changed_.notify_all();
}

bool WatchedObjects::wait(const std::string& name, const std::function<bool(const text::Object&)>& is_so) {
  std::unique_lock lock(mutex_);
  const bool found = changed_.wait_for(lock, kTestTimeout, [&] {
    const auto at = objects_.find(name);
    return at != objects_.end() && is_so(at->second->get_object());
  });
  const auto last = objects_.find(name);
  EXPECT_TRUE(found) << name << " was last " << (last == objects_.end() ? "absent" : text::to_json(*last->second));
  return found;
}

bool WatchedObjects::wait_any(const std::function<bool(const text::Object&)>& is_so) {
  std::unique_lock lock(mutex_);
  const bool found = changed_.wait_for(lock, kTestTimeout, [&] {
    return std::ranges::any_of(objects_, [&](const auto& one) { return is_so(one.second->get_object()); });
  });
  EXPECT_TRUE(found) << "none of " << objects_.size() << " objects";
  return found;
}

bool WatchedObjects::wait_gone(const std::string& name) {
  std::unique_lock lock(mutex_);
  const bool gone = changed_.wait_for(lock, kTestTimeout, [&] { return !objects_.contains(name); });
  EXPECT_TRUE(gone) << name << " is still there";
  return gone;
}

StandaloneFixture::StandaloneFixture() {
  std::string pattern = testing::TempDir() + "basalt-whole-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no directory for the test");
  directory_ = pattern;
  options.state = directory_ / "state";
  options.ephemeral = true;
  options.components.local_node = false;
}

StandaloneFixture::~StandaloneFixture() {
  stop();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

void StandaloneFixture::start() {
  auto started = up::Standalone::start(options);
  ASSERT_TRUE(started) << started.error().message;
  cluster_ = std::move(*started);
  client_ = connect();
}

void StandaloneFixture::stop() {
  client_.reset();
  if (cluster_ != nullptr) cluster_->stop(std::chrono::seconds(5));
  cluster_.reset();
}

std::unique_ptr<client::ObjectClient> StandaloneFixture::connect() const {
  auto connected = cli::connect({.kubeconfig = kubeconfig()}, "whole-test");
  if (!connected) throw std::runtime_error(connected.error().message);
  return std::move(*connected);
}

void StandaloneFixture::create(const api::GroupVersionResource& kind, std::string_view ns, std::string_view yaml) {
  const auto manifest = text::parse_yaml(yaml);
  ASSERT_TRUE(manifest) << manifest.error().message << "\n" << yaml;
  const client::ReplyOrError outcome = client_->call(
      {.verb = api::Verb::Create, .resource = kind, .namespace_name = std::string(ns), .body = manifest->value});
  ASSERT_TRUE(outcome) << outcome.error().message << "\n" << yaml;
}

void StandaloneFixture::remove(const api::GroupVersionResource& kind, std::string_view ns, std::string_view name) {
  const client::ReplyOrError outcome = client_->call(
      {.verb = api::Verb::Delete, .resource = kind, .namespace_name = std::string(ns), .name = std::string(name)});
  ASSERT_TRUE(outcome) << outcome.error().message;
}

std::string StandaloneFixture::page(std::string_view path) {
  const auto where = client::load_rest_config({.file = kubeconfig()});
  if (!where) return "";
  const std::string& url = cluster_->url();
  const auto port = static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  auto http = net::HttpClient::connect("127.0.0.1", port,
                                       {.ca_pem = where->ca_pem,
                                        .certificate_pem = where->identity.certificate_pem,
                                        .key_pem = where->identity.key_pem});
  if (!http) return "";
  const auto answer = http->request({.method = "GET", .target = std::string(path)});
  return answer ? answer->body : "";
}

std::string StandaloneFixture::gang(std::string_view name, int size, std::string_view container,
                                    std::string_view more) {
  return fmt::format(
      "{{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {{name: {}}}, spec: {{minAvailable: {}, "
      "schedulerName: volcano, queue: default, tasks: [{{name: w, replicas: {}, template: {{metadata: {{annotations: "
      "{{basalt.sh/run-seconds: \"0\"}}}}, spec: {{restartPolicy: Never, containers: [{}]{}}}}}}}]}}}}",
      name, size, size, container, more);
}

bool StandaloneFixture::has_phase(const text::Object& job, std::string_view phase) {
  return api::string_at(job, {"status", "state", "phase"}) == phase;
}

}  // namespace basalt::tests
