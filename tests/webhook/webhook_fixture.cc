#include "tests/webhook/webhook_fixture.h"

#include <chrono>
#include <thread>

#include "kube/api/object_fields.h"
#include "kube/client/wall_clock.h"
#include "kube/text/base64.h"
#include "kube/text/yaml.h"
#include "programs/webhook/answer_review.h"
#include "programs/webhook/webhook_configurations.h"
#include "server/bootstrap.h"

namespace basalt::tests {
namespace {

constexpr std::chrono::seconds kTestTimeout{30};

api::GroupVersionResource resource_of(std::string_view plural) {
  if (plural.ends_with("configurations")) return webhook::configuration_resource(plural.starts_with("mutating"));
  if (plural == "queues") return {.group = "scheduling.volcano.sh", .version = "v1beta1", .plural = "queues"};
  return {.group = "", .version = "v1", .plural = std::string(plural)};
}

text::Object object_of(std::string_view yaml) {
  const auto parsed = text::parse_yaml(yaml);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return parsed && parsed->value.is_object() ? parsed->value.get_object() : text::Object();
}

}  // namespace

WebhookFixture::WebhookFixture() : store_(store::Store::in_memory()) {
  server_ =
      std::make_unique<server::ApiServer>(*store_, server::ApiServerOptions{.clock = client::wall_clock, .seed = 7});
  client_ = std::make_unique<server::InProcessClient>(
      *server_, api::UserInfo{.name = "test", .uid = "", .groups = {"system:masters"}}, "test");
  const auto begun = server::bootstrap(*client_, {.queues = true});
  EXPECT_TRUE(begun) << (begun ? "" : begun.error().message);
}

void WebhookFixture::create(std::string_view plural, std::string_view manifest) {
  text::Object object = object_of(manifest);
  const std::string ns(api::namespace_of(object));
  const auto made = client_->call(
      {.verb = api::Verb::Create, .resource = resource_of(plural), .namespace_name = ns, .body = std::move(object)});
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
}

void WebhookFixture::remove(std::string_view plural, const std::string& name) {
  EXPECT_TRUE(client_->call({.verb = api::Verb::Delete, .resource = resource_of(plural), .name = name}));
}

client::ObjectPtr WebhookFixture::get(std::string_view plural, const std::string& name, const std::string& ns) {
  const auto found =
      client_->call({.verb = api::Verb::Get, .resource = resource_of(plural), .namespace_name = ns, .name = name});
  return found ? found->object : nullptr;
}

std::string WebhookFixture::bundle_of(std::string_view path) {
  const std::string_view plural =
      path.ends_with("mutate") ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations";
  const client::ObjectPtr found = get(plural, webhook::configuration_name(path));
  if (found == nullptr) return "";
  const text::Array& webhooks = *api::array_at(found->get_object(), {"webhooks"});
  const auto bundle = text::decode_base64(api::string_at(webhooks.at(0).get_object(), {"clientConfig", "caBundle"}));
  return bundle.value_or("");
}

void WebhookFixture::patch(std::string_view plural, const std::string& name, const std::string& ns,
                           text::Value change) {
  const auto done = client_->call({.verb = api::Verb::Patch,
                                   .resource = resource_of(plural),
                                   .namespace_name = ns,
                                   .name = name,
                                   .body = std::move(change),
                                   .patch = api::PatchType::Merge});
  EXPECT_TRUE(done) << (done ? "" : done.error().message);
}

void await(const std::function<bool()>& is_so, std::string_view what) {
  const auto end = std::chrono::steady_clock::now() + kTestTimeout;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) FAIL() << "waited in vain: " << what;
    std::this_thread::yield();
  }
}

std::string review_text(std::string_view path, std::string_view operation, std::string_view object_yaml,
                        std::string_view name) {
  const admission::Webhook& row = *webhook::webhook_at(path);
  const text::Value object = object_yaml.empty() ? text::Value(nullptr) : text::Value(object_of(object_yaml));
  text::Object request{
      {"uid", "u-1"},
      {"operation", operation},
      {"name", name},
      {"namespace", "default"},
      {"resource", text::Object{{"group", row.group}, {"version", row.version}, {"resource", row.plural}}},
      {"object", object},
      {"oldObject", nullptr}};
  return text::to_json(text::Object{
      {"kind", "AdmissionReview"}, {"apiVersion", "admission.k8s.io/v1"}, {"request", std::move(request)}});
}

text::Object post(net::HttpClient& http, const std::string& path, const std::string& body) {
  const auto answer = http.request({.method = "POST",
                                    .target = path + "?timeout=10s",
                                    .headers = {{{"Content-Type", "application/json"}}},
                                    .body = body,
                                    .peer = {}});
  if (!answer) return {{"error", answer.error().message}};
  const auto parsed = text::parse_json(answer->body);
  if (answer->status != 200 || !parsed || !parsed->is_object()) {
    return {{"status", answer->status}, {"text", answer->body}};
  }
  const text::Object* response = api::object_at(parsed->get_object(), {"response"});
  return response == nullptr ? text::Object() : *response;
}

}  // namespace basalt::tests
